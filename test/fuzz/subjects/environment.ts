import { Environment } from '../../../src/handover/environment/environment.ts';
import type { Random } from '../../../src/base/random.ts';
import { idsOf } from '../../agent/scripted-policy.ts';
import { partsOf, settingsOf } from '../../handover/environment/served.ts';
import { bytesOf, mutateJsonFile, mutateText, pick, textOf } from './mutate.ts';
import { must, subject, type Subject } from './subject.ts';

/** Calls of a trainer, damaged, to an environment with a rollout that waits. */

/** What a trainer was refused with. */
class Refused extends Error {}

interface Call {
  method: string;
  path: string;
  body: string;
}

const SEARCH = idsOf('<think> a </think><search> who wrote it </search>');
const ANSWER = idsOf('<think> b </think><short_answer> \\boxed{ x } </short_answer>');
const OPENING = { rollouts: [{ id: 'a', draw: 0, step: 1 }] };
const answer = (ids: readonly number[]) => ({ id: 'a#0', ids, logprobs: ids.map(() => -0.5) });

const VALID: readonly (readonly [path: string, body: object])[] = [
  ['/v1/open', OPENING],
  ['/v1/open', { rollouts: [{ id: 'b', heldOut: 3, index: 1, step: 2, record: true }] }],
  [
    '/v1/open',
    {
      rollouts: [
        { id: 'c', question: 'train-1', step: 7, group: 'g', groupSeed: 5, evaluate: true },
      ],
    },
  ],
  ['/v1/step', { answers: [answer(SEARCH)] }],
  ['/v1/step', { answers: [answer(ANSWER)] }],
  ['/v1/step', { answers: [{ ...answer(SEARCH.slice(0, 4)), finish: 'length' }] }],
  ['/v1/close', { rollouts: ['a', 'b'] }],
  ['/v1/prepare', { most: 3 }],
];
const CALLS = VALID.map(([path, body]) => ({ method: 'POST', path, body: JSON.stringify(body) }));

function mutated(random: Random): Call {
  const { method, path, body } = pick(random, CALLS);
  return {
    method: random.uniform() < 0.02 ? pick(random, ['GET', 'PUT', '']) : method,
    path: random.uniform() < 0.02 ? mutateText(path, random) : path,
    body: textOf(mutateJsonFile(bytesOf(body), random)),
  };
}

let environment: Promise<Environment> | null = null;
let now = 0;

const opened = (): Promise<Environment> =>
  (environment ??= partsOf(settingsOf('search-r1'), { now: () => now }).then(
    (parts) =>
      new Environment(parts, {
        limits: { rollouts: 100, expireSeconds: 60, keptChars: 2 ** 20, bodyBytes: 2 ** 20 },
      }),
  ));

async function call({ method, path, body }: Call): Promise<void> {
  const environment = await opened();
  // What cases before left behind expires.
  now += 120_000;
  environment.sweep();
  await environment.call('POST', '/v1/open', JSON.stringify(OPENING));
  const reply = await environment.call(method, path, body);
  const said = JSON.parse(reply.body) as { error?: string };
  must(reply.status !== 500, `a fault of its own: ${String(said.error)}`);
  if (reply.status !== 200) throw new Refused(said.error);
}

export const ENVIRONMENT_SUBJECTS: readonly Subject[] = [
  subject<Call>({
    name: 'environment: calls',
    unit: 300,
    make: mutated,
    read: call,
    refuses: (error) => error instanceof Refused,
  }),
];

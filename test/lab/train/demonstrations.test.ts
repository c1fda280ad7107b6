import { describe, expect, it } from 'vitest';
import { createRouter } from '../../../src/agent/router/router.ts';
import { folderFiles } from '../../../src/cli/shared/checkpoint-folder.ts';
import { builtIn } from '../../../src/cli/shared/paths.ts';
import type {
  DemonstrationsFrom,
  DemonstrationsProgress,
} from '../../../src/lab/contract/demonstrations.ts';
import type { PolicyFacts } from '../../../src/lab/models/serving/policy-facts.ts';
import { DemonstrationsHost } from '../../../src/lab/train/demonstrations.ts';
import { readDemonstrations } from '../../../src/learn/rl/demonstrations.ts';
import { parsePolicyConfig } from '../../../src/policy/checkpoint/config.ts';
import { readSmallFile } from '../../../src/policy/checkpoint/checkpoint.ts';
import { getTraining } from '../../../src/systems/index.ts';
import { BUILT_IN_SETUP } from '../../../src/records/setup.ts';
import type { WorldQuestion } from '../../../src/retrieval/world/manifest.ts';
import { LOCAL, QUESTION, retrieverOver, WEB } from '../../agent/helpers.ts';
import { ScriptedPolicy, type Script } from '../../agent/scripted-policy.ts';
import type { Policy } from '../../../src/policy/policy.ts';

const question = (id: string, split: WorldQuestion['split']): WorldQuestion => ({
  ...QUESTION,
  id,
  split,
});

let released = 0;
async function facts(): Promise<PolicyFacts> {
  const files = folderFiles(builtIn('policy'));
  const json: unknown = JSON.parse(
    new TextDecoder().decode(await readSmallFile(files, 'config.json')),
  );
  const open = () => Promise.resolve({ files, release: () => void released++ });
  const config = parsePolicyConfig(json);
  return { id: 'm', revision: 'r', config, stored: 'f32', engines: 1, open };
}

/** Turns of the larger model; both are right. */
const SCRIPT: Script = {
  main: [
    '<think> Who wrote it ?</think><search> author of Old Wolf</search>',
    '<think> It is Victor Kerlund .</think><search> birth city of Victor Kerlund</search>',
    '<think> It is Borfield .</think><short_answer> \\boxed{ Borfield }</short_answer>',
  ],
};

const ended: string[] = [];
const asked: unknown[] = [];

const host = (
  questions: readonly WorldQuestion[],
  teacher: () => Policy = () => new ScriptedPolicy(SCRIPT),
): DemonstrationsHost =>
  new DemonstrationsHost({
    policy: facts,
    openApart: (ref) => {
      asked.push(ref);
      return Promise.resolve({
        policy: teacher(),
        device: { device: 'server', adapter: 'there', fallback: false },
        textModel: () => {
          throw new Error('not asked for');
        },
        terminate: () => void ended.push('teacher'),
      });
    },
    world: () =>
      Promise.resolve({
        seed: 0,
        questions,
        retriever: retrieverOver([...LOCAL, ...WEB], []),
        router: createRouter(),
      }),
  });

const TRAIN = Array.from({ length: 3 }, (_, i) => question(`q${i}`, 'train'));
const how = (id = 'search/grpo') => ({
  settings: getTraining(id),
  setup: BUILT_IN_SETUP,
  maxTokens: 1200,
  most: 1000,
});

describe('demonstrations made in the lab', () => {
  it('are of the training questions, in the tokens of the model, and usable by a cold start', async () => {
    const told: DemonstrationsProgress[] = [];
    const questions = [...TRAIN, question('held out', 'test')];
    const outcome = await host(questions).make({ kind: 'gold' }, how(), (one) => told.push(one));
    if (outcome.status !== 'made') throw new Error('cancelled');
    expect(outcome.summary).toMatchObject({ of: 3, kept: 3, leftOut: {} });
    const rollouts = readDemonstrations((await outcome.file?.text()) ?? '', 100_000);
    expect(rollouts.map((one) => one.question.id)).toEqual(['q0', 'q1', 'q2']);
    expect(rollouts[0]).toMatchObject({ policy: { id: 'm' }, metrics: { em: 1 } });
    expect(told.at(-1)).toEqual({ done: 3, total: 3, kept: 3 });
    expect(released).toBeGreaterThan(0);
    // What they become when they are given as rollouts of others.
    const again = await host([]).make(
      { kind: 'rollouts', name: 'file', files: [{ name: 'file', blob: outcome.file! }] },
      how(),
      () => undefined,
    );
    expect(again).toMatchObject({ status: 'made', summary: { of: 3, kept: 3 } });
  });

  it('are right rollouts of another model, which is ended after', async () => {
    const told: DemonstrationsProgress[] = [];
    const policy = { kind: 'endpoint', id: 'server' } as const;
    const outcome = await host(TRAIN).make({ kind: 'teacher', policy }, how(), (one) =>
      told.push(one),
    );
    if (outcome.status !== 'made') throw new Error('cancelled');
    expect(outcome.summary).toMatchObject({ of: 12, kept: 12, searches: 2 });
    expect(told.at(-1)).toEqual({ done: 12, total: 12, kept: 12 });
    expect({ asked, ended }).toEqual({ asked: [policy], ended: ['teacher'] });
    const [rollout] = readDemonstrations((await outcome.file?.text()) ?? '', 100_000);
    expect(rollout?.policy).toMatchObject({
      id: 'm',
      logprobs: expect.stringContaining('scripted sampled this text'),
    });
  });

  it('of another model hold the background that it was shown', async () => {
    const policy = { kind: 'endpoint', id: 'server' } as const;
    const outcome = await host(TRAIN.slice(0, 1)).make(
      { kind: 'teacher', policy },
      { ...how('kunlun-baize/whole'), setup: { ...BUILT_IN_SETUP, source: 'local' } },
      () => undefined,
    );
    if (outcome.status !== 'made') throw new Error('cancelled');
    expect(outcome.summary).toMatchObject({ of: 4, kept: 4, searches: 2 });
    const [rollout] = readDemonstrations((await outcome.file?.text()) ?? '', 100_000);
    const shown = rollout?.segments.filter(({ source }) => source === 'environment') ?? [];
    expect(shown.map(({ role }) => role)).toEqual(['background', 'result', 'result']);
    expect(shown[0]?.text).toContain('Victor Kerlund was born in Borfield');
    // Where the teacher's router sent a search, though another one may be asked here.
    for (const event of rollout?.events ?? [])
      if (event.kind === 'retrieve') expect(event.source).toBe(event.hits[0] ? 'local' : 'web');
  });

  it('say what happened where the other model ends', async () => {
    const gone = () =>
      new ScriptedPolicy({
        ...SCRIPT,
        onGenerate: () => {
          throw new Error('The server does not answer.');
        },
      });
    const policy = { kind: 'endpoint', id: 'server' } as const;
    ended.length = 0;
    const made = host(TRAIN, gone).make({ kind: 'teacher', policy }, how(), () => undefined);
    await expect(made).rejects.toThrow('The server does not answer.');
    expect(ended).toEqual(['teacher']);
  });

  it('end when as many are kept as were asked for', async () => {
    const limits = { ...how(), most: 2 };
    const outcome = await host(TRAIN).make({ kind: 'gold' }, limits, () => undefined);
    expect(outcome).toMatchObject({ summary: { of: 2, kept: 2 } });
  });

  it('end where they are cancelled, and nothing is kept', async () => {
    const many = Array.from({ length: 200 }, (_, i) => question(`q${i}`, 'train'));
    const lab = host(many);
    let done = 0;
    const outcome = await lab.make({ kind: 'gold' }, how(), (progress) => {
      ({ done } = progress);
      void lab.cancel();
    });
    expect(outcome).toEqual({ status: 'cancelled' });
    expect(done).toBeLessThan(200);
  });

  it('are refused with a reason where there is nothing to write', async () => {
    const make = (from: DemonstrationsFrom, questions: readonly WorldQuestion[], id?: string) =>
      host(questions).make(from, how(id), () => undefined);
    const gold = { kind: 'gold' } as const;
    await expect(make(gold, [question('q', 'test')])).rejects.toThrow(/choose others/);
    const foreign = { kind: 'rollouts', name: 'file', files: [] } as const;
    await expect(make(foreign, [], 'kunlun-baize/whole')).rejects.toThrow(/Choose another recipe/);
  });
});

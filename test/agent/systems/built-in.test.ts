import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { createRouter } from '../../../src/agent/router/router.ts';
import { runGroup, runRollout } from '../../../src/agent/run.ts';
import { sleep } from '../../../src/base/sleep.ts';
import { openPolicy } from '../../../src/cli/shared/parts.ts';
import type { Policy } from '../../../src/policy/policy.ts';
import { getRecipe } from '../../../src/systems/index.ts';
import type { Question } from '../../../src/records/records.ts';
import type { Rollout } from '../../../src/records/rollout.ts';
import { inLockStep } from '../../../src/retrieval/lock-step.ts';
import { openWorldRetriever } from '../../../src/retrieval/open.ts';
import type { Retriever } from '../../../src/retrieval/retriever.ts';
import { loadWorld } from '../../../src/retrieval/world/load.ts';
import { eventsOf, expectSegments } from '../helpers.ts';

/** The shipped policy in the shipped world: every system that is not trained searches in its own way and ends. */

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const world = new URL('../../../public/world/', import.meta.url);
const fetchFile = (name: string): Promise<Uint8Array> => readFile(new URL(name, world));

let policy: Policy;
let retriever: Retriever;
let question: Question;

beforeAll(async () => {
  policy = await openPolicy({ device: 'wasm' });
  const loaded = await loadWorld(fetchFile);
  const found = loaded.questions.find(({ split, hops }) => split === 'test' && hops === 2);
  if (!found) throw new Error('the world has no test question of two hops');
  question = found;
  retriever = openWorldRetriever(loaded, fetchFile);
});
afterAll(() => policy.dispose());

const PROMPTED =
  'chain-of-thought rewrite-retrieve-read ircot iter-retgen self-ask rat search-o1 react flare self-rag sear-chain instruct-rag active-rag'
    .split(' ')
    .map(getRecipe);

it('every prompted system runs in its nearest form, by its own way of searching', async () => {
  const able = PROMPTED.filter(({ needs }) => needs === undefined);
  const ran = await Promise.all(
    able.map((recipe) =>
      runRollout(
        { policy, retriever, router: createRouter(), now: Date.now },
        { question, recipe, seed: 3, rolloutId: recipe.id, runId: 'r', groupId: 'g', step: 0 },
      ),
    ),
  );
  // A form that it was never shown may leave a box empty, as one of these does.
  expect(ran.filter(({ answer }) => answer !== null).length).toBeGreaterThanOrEqual(10);
  const byId = new Map(ran.map((rollout) => [rollout.recipe.id, rollout]));
  for (const rollout of ran) {
    expectSegments(rollout, policy.tokenizer);
    expect(eventsOf(rollout, 'error').filter(({ what }) => what !== 'malformed')).toEqual([]);
    expect(['error', 'cancelled']).not.toContain(eventsOf(rollout, 'stop')[0]?.reason);
  }
  const of = (id: string): Rollout => {
    const rollout = byId.get(id);
    if (!rollout) throw new Error(`${id} did not run`);
    return rollout;
  };
  const { text } = question;
  const asked = (id: string): string[] => eventsOf(of(id), 'retrieve').map(({ query }) => query);
  expect(asked('chain-of-thought')).toEqual([]);
  for (const id of ['ircot', 'iter-retgen', 'self-ask', 'instruct-rag'])
    expect(asked(id)[0]).toBe(text);
  expect(asked('rewrite-retrieve-read')[0]).not.toBe(text);
  for (const query of asked('iter-retgen').slice(1)) expect(query.startsWith(text)).toBe(true);
  // Its rationale: what it notes of the passages, whole, before it answers.
  expect(of('instruct-rag').segments.map((segment) => segment.text)).toContainEqual(
    expect.stringMatching(/^<refine>[^<]+<\/refine>$/),
  );
  expect(eventsOf(of('search-o1'), 'summarize').length).toBe(asked('search-o1').length);
  expect(eventsOf(of('self-rag'), 'aside').some((event) => event.of === 'judgement')).toBe(true);
});

it('rollouts that wait for each other at every search write the same tokens', async () => {
  const group = (from: Retriever): Promise<Rollout[]> =>
    runGroup(
      { policy, retriever: from, router: createRouter(), now: Date.now },
      {
        question,
        recipe: getRecipe('search'),
        overrides: { sampling: { temperature: 2 } },
        seed: 3,
        size: 8,
        runId: 'r',
        groupId: 'g',
        step: 0,
      },
    );
  const own = await group(retriever);
  const waited: string[] = [];
  const noting: Retriever = {
    search: async (...asked) => {
      waited.push(asked[1]);
      // The first one is slow: at their own pace the others would be rounds ahead.
      if (waited.length === 1) await sleep(1000);
      return retriever.search(...asked);
    },
  };
  const together = await group(inLockStep(noting));
  // They search, and not all as often, so that some end while others wait.
  expect(new Set(own.map((one) => eventsOf(one, 'search').length)).size).toBeGreaterThan(1);
  const text = (rollouts: Rollout[]) => rollouts.map(({ segments }) => segments);
  expect(text(together)).toEqual(text(own));
  // Every first query stands before every second one, and so on.
  const rounds = [0, 1, 2, 3, 4, 5].map((place) =>
    own.flatMap((one) => eventsOf(one, 'retrieve')[place]?.query ?? []),
  );
  let at = 0;
  for (const round of rounds) {
    expect(waited.slice(at, at + round.length).toSorted()).toEqual(round.toSorted());
    at += round.length;
  }
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createRouter } from '../../../src/agent/router/router.ts';
import type { AgentDeps, GroupRequest } from '../../../src/agent/request.ts';
import { runGroup } from '../../../src/agent/run.ts';
import { deriveSeed, uniform } from '../../../src/base/random.ts';
import { openPolicy } from '../../../src/cli/shared/parts.ts';
import { turnsOf } from '../../../src/learn/branching/turns.ts';
import { growGroup } from '../../../src/learn/branching/grow.ts';
import type { Policy } from '../../../src/policy/policy.ts';
import { getRecipe } from '../../../src/systems/index.ts';
import type { Branching } from '../../../src/recipes/parts/branching.ts';
import type { Rollout } from '../../../src/records/rollout.ts';
import { openTestWorld, type World } from '../rl/helpers.ts';

/** Groups of the built-in policy, which searches, as training grows them. */

let world: World;
let policy: Policy;
beforeAll(async () => {
  [world, policy] = await Promise.all([openTestWorld(), openPolicy({ device: 'wasm' })]);
});
afterAll(() => policy.dispose());

const deps = (): AgentDeps => ({
  policy,
  retriever: world.retriever,
  router: createRouter(),
  now: () => 0,
});
const requestOf = (size: number): GroupRequest => ({
  question: world.questions.find(({ hops }) => hops === 3) ?? world.questions[0]!,
  recipe: getRecipe('search'),
  overrides: { sampling: { temperature: 1 }, retrieval: { k: 1, maxSearches: 4 } },
  seed: 5,
  runId: 'run',
  groupId: 'g',
  step: 1,
  size,
});
const texts = (group: readonly Rollout[]): string[] =>
  group.map(({ id, segments }) => `${id} ${segments.map(({ ids }) => ids.join(' ')).join('|')}`);

const ENTROPY = {
  id: 'arpo',
  start: 3,
  base: 0.5,
  slope: 0.5,
  when: 'drawn',
  tokens: 20,
  credit: 'soft',
} as const;

describe('a group that is screened', () => {
  it.each<[string, Branching, number]>([
    ['by entropy', ENTROPY, 6],
    ['as a tree', { id: 'tree-rpo', children: 3, depth: 2 }, 3 ** 2],
    [
      'revived',
      { id: 'rex-rag', chance: 1, rate: 1, smoothing: 0.1, correction: 'mixture' },
      2 * 6,
    ],
  ])(
    '%s is the one that is made at once: none of its rollouts is made twice',
    async (_, rule, most) => {
      // Nobody is right, so that all may be revived.
      const asked = requestOf(6);
      const request = { ...asked, question: { ...asked.question, answers: ['nobody'] } };
      const ground = { place: 0, kept: {} };
      const whole = await growGroup(deps(), request, rule, { ...ground, begun: [] });
      const begun = await runGroup(deps(), { ...request, size: 2 });
      const rest = await growGroup(deps(), request, rule, { ...ground, begun });
      const joined = [...begun, ...rest];
      expect(texts(joined)).toEqual(texts(whole));
      expect(whole.some(({ forks }) => forks !== undefined)).toBe(true);
      expect(whole.length).toBeLessThanOrEqual(most);
      for (const rollout of whole) {
        const point = rollout.forks?.at(-1);
        if (!point) continue;
        const of = whole.find(({ id }) => id === point.rolloutId);
        const flat = (one: typeof of): number[] => one?.segments.flatMap(({ ids }) => ids) ?? [];
        expect(point.tokens).toBeGreaterThan(0);
        expect(flat(rollout).slice(0, point.tokens)).toEqual(flat(of).slice(0, point.tokens));
        expect(rollout.groupId).toBe(request.groupId);
      }
      expect(new Set(joined.map(({ id }) => id)).size).toBe(joined.length);
      expect(new Set(joined.map(({ seed }) => seed)).size).toBe(joined.length);
    },
  );
});

it('ARPO as released: whether a branch branches at its first own result is a fair coin of its own', async () => {
  // With so steep a slope any ΔH but 0 decides alone.
  const rule = { ...ENTROPY, start: 2, slope: 1e9, measured: 'before-result' } as const;
  const ground = { place: 0, kept: {}, begun: [] };
  const group = await growGroup(deps(), requestOf(24), rule, ground);
  const coins = group.flatMap((rollout) => {
    const point = rollout.forks?.at(-1);
    const turns = turnsOf(rollout);
    const of = group.find(({ id }) => id === point?.rolloutId);
    if (!point || !of) return [];
    // It took over after this result of the other; its own next one is judged in the round of that number.
    const own = turnsOf(of).findIndex(({ event }) => event === point.event) + 1;
    const turn = turns[own];
    if (!turn) return [];
    const branched = group.some(
      ({ forks }) => forks?.at(-1)?.rolloutId === rollout.id && forks.at(-1)?.event === turn.event,
    );
    return [[uniform(deriveSeed(rollout.seed, 'branch', own)) <= 0.5, branched]];
  });
  expect(group.length).toBeLessThanOrEqual(24);
  expect(coins.length).toBeGreaterThan(2);
  expect(coins.filter(([heads, branched]) => heads !== branched)).toEqual([]);
});

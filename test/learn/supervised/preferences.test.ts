import { expect, it } from 'vitest';
import { actionPairs, rankedPairs, rankReward } from '../../../src/learn/supervised/actions.ts';
import { prefers } from '../../../src/learn/supervised/efficient.ts';
import { trajectoryWeights } from '../../../src/learn/supervised/items.ts';
import type { AgentEvent } from '../../../src/records/events.ts';
import { emptyRollout } from '../../fixtures/rollouts.ts';

it('WebThinker prefers right, then fewer calls, then what is shorter by more than γ', () => {
  const a = { right: true, calls: 3, tokens: 900 };
  const b = { right: true, calls: 5, tokens: 700 };
  const c = { right: false, calls: 1, tokens: 100 };
  const d = { right: true, calls: 3, tokens: 400 };
  expect([prefers(a, c, 1.5), prefers(b, c, 1.5), prefers(a, b, 1.5)]).toEqual([true, true, true]);
  expect([prefers(c, a, 1.5), prefers(b, a, 1.5)]).toEqual([false, false]);
  // 900 / 400 = 2.25.
  expect([prefers(d, a, 1.5), prefers(a, d, 1.5), prefers(d, a, 3)]).toEqual([true, false, false]);
  expect(prefers({ ...c, calls: 0 }, c, 1.5)).toBe(false);
});

it('RAG-Gym pairs the best of ten with ranks 2 to 9: eight pairs, the second in none', () => {
  expect([0, 1, 2, 3, 9].map((rank) => Number(rankReward(rank).toFixed(3)))).toEqual([
    1, 0.5, 0.333, 0.25, 0.1,
  ]);
  expect(rankedPairs(10)).toEqual(
    [2, 3, 4, 5, 6, 7, 8, 9].map((rejected) => ({ chosen: 0, rejected })),
  );
});

it('candidates of a step are learned behind what the step began with, each once', () => {
  const action = (rank: number, ids: number[]): AgentEvent => ({
    t: 0,
    kind: 'aside',
    of: 'action',
    prompt: '',
    text: '',
    tokens: ids.length,
    action: { at: 2, rank, ids },
  });
  const metrics = { em: 1, f1: 1 } as never;
  const events = [action(1, [8]), action(0, [7]), action(2, [8]), action(3, [9, 9])];
  const sequence = (em: number) => ({
    rollout: { ...emptyRollout('a'), metrics: em === 1 ? metrics : null, events },
    ids: Int32Array.of(1, 2, 7, 3),
    mask: Uint8Array.of(0, 0, 1, 1),
    temperature: 1,
  });
  const { actions, pairs } = actionPairs([sequence(1)]);
  expect(actions.map(({ ids, mask }) => [[...ids], [...mask]])).toEqual([
    [[1, 2, 7], [0, 0, 1]],
    [[1, 2, 8], [0, 0, 1]],
    [[1, 2, 9, 9], [0, 0, 1, 1]],
  ]); // prettier-ignore
  expect(pairs).toEqual([{ chosen: 0, rejected: 2 }]);
  expect(actionPairs([sequence(0)])).toEqual({ actions: [], pairs: [] });
});

it('sampling that ends with the first right answer weighs that one alone', () => {
  const weights = trajectoryWeights('first', {
    groups: [0, 0, 0, 1],
    right: [false, true, true, false],
    logs: [-1, -1, -1, -1],
  });
  expect([...weights]).toEqual([0, 1, 0, 0]);
});

import { expect, it } from 'vitest';
import { PolicyLearner } from '../../../src/learn/replicas/learner.ts';
import type { ReplicaClient } from '../../../src/learn/replicas/replica.ts';
import { supervisedUpdates } from '../../../src/learn/supervised/items.ts';
import { tokenizer } from '../../agent/tokenizer.ts';
import { emptyRollout } from '../../fixtures/rollouts.ts';

/** ln π of a sequence's two trained tokens by its first id: with the adapter, and without. */
const KNOWN: Record<number, [number, number]> = { 1: [-2, -2.5], 2: [-3.25, -3], 3: [-9, -9] };

/** Scores as told; what it was asked for tells policy and reference apart. */
function replica(): ReplicaClient {
  let reference = false;
  return {
    maxTokens: 64,
    setAdapter: (_, flat) => {
      reference = flat === null;
      return Promise.resolve();
    },
    score: (items) =>
      Promise.resolve(
        items.map(({ ids }) => {
          const value = KNOWN[ids[0] ?? 0]?.[Number(reference)] ?? 0;
          return { logprobs: Float32Array.of(value, value), entropies: new Float32Array(2) };
        }),
      ),
    gradient: () => Promise.reject(new Error('not asked')),
    bytes: () => Promise.resolve(0),
    close: () => Promise.resolve(),
  };
}

const sequence = (id: number, reward: number) => ({
  rollout: { ...emptyRollout(`r${id}`), reward },
  group: 0,
  ids: Int32Array.of(id, 7, 8),
  mask: Uint8Array.of(0, 1, 1),
  temperature: 1,
});

it('pairs weigh their tokens by the loss of log-ratios over whole sequences, and the rest is left out', async () => {
  const learner = new PolicyLearner([replica()]);
  learner.setAdapter(new Float32Array(1));
  const [update] = supervisedUpdates(
    [sequence(1, 1), sequence(3, 0.5), sequence(2, 0)],
    { kind: 'dpo', beta: 0.1, nll: 0, high: 0.75, low: 0.25 },
    { tokenizer, seed: 0, step: 1 },
  );
  const adapters = { policy: new Float32Array(1), reference: null };
  const { items, loss } = (await update?.(learner, adapters)) ?? { items: [] };
  // Log-ratios: 2 · (−2 + 2.5) = 1 and 2 · (−3.25 + 3) = −0.5, so β σ(−0.15) = 0.0463.
  expect(items.map(({ ids }) => ids[0])).toEqual([1, 2]);
  expect(items[0]?.weight).toBeCloseTo(0.0463, 4);
  expect(items[1]?.weight).toBeCloseTo(-0.0463, 4);
  // What a curve of the run shows: −ln σ(0.15), not the sum whose gradient the weights give.
  expect(loss).toBeCloseTo(0.621, 3);
});

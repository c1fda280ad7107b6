import { describe, expect, it } from 'vitest';
import { creditShared, type Shared } from '../../../src/learn/branching/credit.ts';
import { grouping, treeCredit } from '../../../src/systems/tree-rpo/grouping.ts';
import type { ForkPoint, Rollout } from '../../../src/records/rollout.ts';
import { emptyRollout } from '../../fixtures/rollouts.ts';

/** Four tokens of which the last three are trained; it left others at these tokens. */
const one = (
  id: string,
  reward: number,
  forks: readonly (readonly [string, number])[] = [],
  group = 0,
): Shared & { rollout: Rollout } => ({
  rollout: {
    ...emptyRollout(id),
    id,
    reward,
    forks: forks.map(([rolloutId, tokens]): ForkPoint => ({
      rolloutId,
      tokens,
      event: 0,
      seed: 0,
      settings: {},
      changes: {},
    })),
  },
  group,
  mask: Uint8Array.of(0, 1, 1, 1),
});

const round = (values: readonly (number | null)[]): (number | null)[] =>
  values.map((value) => (value === null ? null : Number(value.toFixed(4))));

describe("TreeRPO's advantages", () => {
  /** Two children and two levels: a, b share token 1, c, d share token 1. */
  const tree = (rewards: readonly [number, number, number, number]): Shared[] => [
    one('a', rewards[0]),
    one('b', rewards[1], [['a', 2]]),
    one('c', rewards[2]),
    one('d', rewards[3], [['c', 2]]),
  ];

  it('of leaves 1, 0 and 0, 0: the second pair has none of its own', () => {
    const credit = treeCredit(tree([1, 0, 0, 0])).map(round);
    expect(credit).toEqual([
      [1, 1, 1],
      [null, -1, -1],
      [-1, null, null],
      [null, null, null],
    ]);
  });

  it('of leaves 1, 1 and 1, 0: right siblings teach nothing below their parent', () => {
    const credit = treeCredit(tree([1, 1, 1, 0])).map(round);
    expect(credit).toEqual([
      [1, null, null],
      [null, null, null],
      [-1, 1, 1],
      [null, -1, -1],
    ]);
  });

  it('of a rollout that ended at once is its reward beside the mean of the others', () => {
    const credit = treeCredit([one('a', 1), one('b', 0, [['a', 2]]), one('c', 1)]).map(round);
    // V = ½ and 1.
    expect(credit).toEqual([
      [-1, 1, 1],
      [null, -1, -1],
      [1, 1, 1],
    ]);
  });
});

it('tokens that do not count leave mask, log-probabilities and references', () => {
  const sequences = [one('a', 1), one('b', 0, [['a', 2]])].map((shared, i) => ({
    ...shared,
    oldLogprobs: Float32Array.of(-1, -2, -3).map((value) => value - i),
    entropies: Float32Array.of(0.5, 0.25, 0.125),
  }));
  const references = sequences.map(() => Float32Array.of(-5, -6, -7));
  const counted = creditShared(
    { sequences, advantages: [0, 0], references },
    grouping({ children: 2, depth: 2 }),
  );
  expect(counted.sequences.map(({ mask }) => [...mask])).toEqual([
    [0, 0, 1, 1],
    [0, 0, 1, 1],
  ]);
  expect(counted.sequences.map(({ oldLogprobs }) => [...oldLogprobs])).toEqual([
    [-2, -3],
    [-3, -4],
  ]);
  expect(counted.references?.map((values) => [...values])).toEqual([
    [-6, -7],
    [-6, -7],
  ]);
  expect(counted.advantages.map((values) => [...(values as Float32Array)])).toEqual([
    [1, 1],
    [-1, -1],
  ]);
  expect(counted.sequences.map(({ rollout }) => rollout.advantage)).toEqual([1, -1]);
});

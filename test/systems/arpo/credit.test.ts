import { describe, expect, it } from 'vitest';
import { estimateAdvantages } from '../../../src/learn/advantages.ts';
import type { Shared } from '../../../src/learn/branching/credit.ts';
import type { ForkPoint, Rollout } from '../../../src/records/rollout.ts';
import { grouping, sharedCredit } from '../../../src/systems/arpo/grouping.ts';
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

describe("ARPO's shared tokens", () => {
  // Rewards 1, 0, 0, 1; the first two share their first trained token.
  const group = [one('a', 1), one('b', 0, [['a', 2]]), one('c', 0), one('d', 1)];
  const advantages = estimateAdvantages('grpo', [1, 0, 0, 1], [0, 0, 0, 0], [3, 3, 3, 3]);

  it('have the advantage of each rollout, their mean, or count once', () => {
    expect(round([...advantages])).toEqual([0.866, -0.866, -0.866, 0.866]);
    expect(sharedCredit(group, advantages, 'soft').map(round)[1]).toEqual([-0.866, -0.866, -0.866]);
    const hard = sharedCredit(group, advantages, 'hard').map(round);
    expect(hard[0]).toEqual([0, 0.866, 0.866]);
    expect(hard[1]).toEqual([0, -0.866, -0.866]);
    expect(hard[2]).toEqual([-0.866, -0.866, -0.866]);
    const once = sharedCredit(group, advantages, 'once').map(round);
    expect(once[0]).toEqual([0, 0.866, 0.866]);
    expect(once[1]).toEqual([null, -0.866, -0.866]);
  });

  it('of other groups are not shared', () => {
    const apart = [one('a', 1), one('b', 0, [['a', 2]], 1)];
    expect(sharedCredit(apart, [0.5, -0.5], 'hard').map(round)).toEqual([
      [0.5, 0.5, 0.5],
      [-0.5, -0.5, -0.5],
    ]);
  });

  it('refuse a mean where searches are credited by themselves', () => {
    const rule = {
      start: 2,
      base: 0.5,
      slope: 0.2,
      when: 0.5,
      tokens: 20,
      credit: 'hard',
    } as const;
    expect(() => grouping(rule).credit?.(group, [new Float32Array(3)])).toThrow(/objective.credit/);
  });
});

import { describe, expect, it } from 'vitest';
import { turnsOf } from '../../../src/learn/branching/turns.ts';
import type { Rollout } from '../../../src/records/rollout.ts';
import {
  branchChance,
  branches,
  firstWritten,
  openingOf,
  riseAt,
  summedEntropy,
} from '../../../src/systems/arpo/entropy.ts';

describe("ARPO's rule", () => {
  const rule = { base: 0.5, slope: 0.2, when: 'drawn' } as const;

  it('branches with P = clamp(0.5 + 0.2 ΔH, 0, 1)', () => {
    expect(branchChance(0.15, rule)).toBeCloseTo(0.53, 12);
    expect(branchChance(-2.5, rule)).toBe(0);
    expect(branchChance(-9, rule)).toBe(0);
    expect(branchChance(9, rule)).toBe(1);
  });

  it('draws as the code does: u = 0.54 does not branch at ΔH = 0.15, u = 0.52 does', () => {
    expect(branches(0.15, 0.54, rule)).toBe(false);
    expect(branches(0.15, 0.52, rule)).toBe(true);
    expect(branches(-2.6, 0, rule)).toBe(false);
  });

  it('with a threshold asks nobody: P > τ', () => {
    expect(branches(0.15, 0.99, { ...rule, when: 0.5 })).toBe(true);
    expect(branches(0, 0, { ...rule, when: 0.5 })).toBe(false);
  });

  it('sums the first entropies over ln |V|', () => {
    expect(summedEntropy([Math.log(4), Math.log(2), 7], 2, 8)).toBeCloseTo(1, 12);
  });
});

describe('ARPO as released', () => {
  const segment = (source: 'policy' | 'environment', entropies: number[]) => ({
    source,
    role: source === 'policy' ? 'think' : 'result',
    text: '',
    ids: entropies,
    mask: source === 'policy' ? 1 : 0,
    entropies,
  });
  const found = (at: number) => ({ t: 0, kind: 'retrieve', segment: at });
  const goesOn = { t: 0, kind: 'think' };
  // Written: 1 | result | 2, 2 | result | 5.
  const rollout = {
    segments: [
      segment('policy', [1]),
      segment('environment', [9]),
      segment('policy', [2, 2]),
      segment('environment', [9]),
      segment('policy', [5]),
    ],
    events: [found(1), goesOn, found(3), goesOn],
  } as unknown as Rollout;
  const turns = turnsOf(rollout);
  const sum = (values: readonly number[]): number => summedEntropy(values, 20, Math.E);
  const known = { turns, opening: openingOf(rollout) };
  const rises = (first?: number): number[] =>
    [0, 1].map((at) => riseAt({ ...known, at }, first, sum));

  it('takes what stands before the result, so that the first branch is a fair coin', () => {
    expect(turns.map(({ before, entropies }) => [before, entropies])).toEqual([
      [[1], [2, 2, 5]],
      [[2, 2], [5]],
    ]);
    expect(rises(sum(firstWritten(known, 0)))).toEqual([0, 3]);
    expect(branchChance(0, { base: 0.5, slope: 0.2 })).toBe(0.5);
    // After the result: 9 and 5, less the 10 of the whole.
    expect(rises()).toEqual([-1, -5]);
  });

  it('of a branch is told from its own first segment: its first own result is a fair coin, too', () => {
    // Branched off after the first result, so that 2, 2 is the first that it wrote; its opening is another's.
    expect(rises(sum(firstWritten(known, 1)))[1]).toBe(0);
  });

  it('with its table kept over batches, is no coin for the next question in the same place', () => {
    const begun = segment('policy', [4]) as Rollout['segments'][number];
    const other = { ...rollout, segments: [begun, ...rollout.segments.slice(1)] };
    const of = { turns: turnsOf(other), opening: openingOf(other) };
    // The first batch writes 1 there; the next one’s 4 is distinguished from it.
    const kept = sum(firstWritten(known, 0));
    expect([kept, sum(firstWritten(of, 0))]).toEqual([1, 4]);
    const rise = riseAt({ ...of, at: 0 }, kept, sum);
    expect(rise).toBe(3);
    expect(branchChance(rise, { base: 0.5, slope: 0.2 })).toBe(1);
    expect(riseAt({ ...of, at: 0 }, sum(firstWritten(of, 0)), sum)).toBe(0);
  });

  it('has in the place of a branch what it wrote itself, up to its next result', () => {
    expect(firstWritten({ turns, opening: openingOf(rollout) }, 1)).toEqual([2, 2]);
    // None of its own after the last: all that it wrote.
    expect(firstWritten({ turns, opening: openingOf(rollout) }, 2)).toEqual([5]);
    expect(firstWritten({ turns: [], opening: [1, 2] }, 0)).toEqual([1, 2]);
  });
});

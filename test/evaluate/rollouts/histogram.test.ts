import { describe, expect, it } from 'vitest';
import { edgesOf, histogramOf } from '../../../src/evaluate/rollouts/histogram.ts';
import { compileFilter } from '../../../src/evaluate/rollouts/filter/match.ts';
import { parseFilter } from '../../../src/evaluate/rollouts/filter/parse.ts';
import { rowOf, type RolloutRow } from '../../../src/evaluate/rollouts/row.ts';
import { ROW_NUMBER_NAMES } from '../../../src/evaluate/rollouts/row-numbers.ts';
import { emptyRollout } from '../../fixtures/rollouts.ts';

const BARE = rowOf({ ...emptyRollout('r'), layout: 'forage' } as unknown as Parameters<
  typeof rowOf
>[0]);

const NONE = Object.fromEntries(ROW_NUMBER_NAMES.map((name) => [name, null]));

const row = (numbers: Partial<RolloutRow['numbers']>, clauses = {}): RolloutRow => ({
  ...BARE,
  clauses,
  numbers: { ...BARE.numbers, ...NONE, ...numbers },
});

const rewards = (...values: (number | null)[]) => values.map((reward) => row({ reward }));

describe('a distribution', () => {
  it('has a bin a value where there are few, and counts what passes beside the file', () => {
    const rows = rewards(0, 1, 1, 0.5, null, 1);
    const { bins, all, shown } = histogramOf(rows, [1, 3, 4], 'reward');
    expect(bins.map(({ from, to, all: n, shown: m }) => [from, to, n, m])).toEqual([
      [0, null, 1, 0],
      [0.5, null, 1, 1],
      [1, null, 3, 1],
    ]);
    expect(all).toEqual({ known: 5, unknown: 1, mean: 0.7 });
    expect(shown).toEqual({ known: 2, unknown: 1, mean: 0.75 });
  });

  it('has ranges of round width where there are many: from 0 to 1 by 0.1', () => {
    const values = Array.from({ length: 41 }, (_, i) => i / 40);
    // (1 − 0) / 16 is 0.0625; the next round width is 0.1. 1 itself lies in a bin of its own.
    expect(edgesOf(values)).toEqual([0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.1]);
    const { bins } = histogramOf(rewards(...values), [], 'reward');
    expect(bins.map(({ all }) => all)).toEqual([4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 1]);
  });

  it('has whole widths for whole numbers', () => {
    const values = Array.from({ length: 20 }, (_, i) => 3 + i);
    expect(edgesOf(values)).toEqual([2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24]);
  });

  it.each([
    ['below zero', [-1, -0.7, -0.31, -0.3, -0.1, 0, 0.2, 0.30000000000000004, 0.6, 0.7, 0.9, 1, 2]],
    ['tiny', Array.from({ length: 30 }, (_, i) => i * 1.7e-8)],
    ['huge', Array.from({ length: 30 }, (_, i) => i * 123_456_789.5)],
    ['thirds', Array.from({ length: 30 }, (_, i) => i / 3)],
  ])('asks for exactly the rollouts of each bin: %s', (_, values) => {
    const rows = rewards(...values, null);
    const { bins } = histogramOf(rows, [], 'reward');
    expect(bins.reduce((sum, { all }) => sum + all, 0)).toBe(values.length);
    for (const { filter, all } of bins) {
      const asked = compileFilter(parseFilter(filter ?? ''));
      expect(rows.filter((one) => asked.row(one) === true)).toHaveLength(all);
    }
  });

  it('is of F1 first, else of what the file has; clauses of the reward among them', () => {
    const scored = [row({ f1: 0.5, reward: 1 }, { 'answer is': 1, format: 0.1 })];
    expect(histogramOf(scored, [], null)).toMatchObject({ column: 'f1' });
    const { columns } = histogramOf(scored, [], null);
    expect(columns).toEqual(expect.arrayContaining(['f1', 'reward', 'reward.format']));
    expect(columns).not.toContain('em');
    expect(histogramOf(rewards(1), [], 'f1').column).toBe('reward');
    // A filter has no word for it.
    expect(histogramOf(scored, [], 'reward.answer is').bins[0]?.filter).toBeNull();
    expect(histogramOf([], [], null)).toMatchObject({ column: null, bins: [] });
  });
});

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bootstrapMean } from '../../src/evaluate/bootstrap.ts';
import { compareArms, comparisonMarkdown } from '../../bench/mechanisms/compare.ts';
import { summarizeRollouts } from '../../src/evaluate/summary.ts';
import { scored } from '../fixtures/rollouts.ts';

const ROLLOUTS = [
  scored('a', 1, { em: 1, f1: 1, recall: 1, searches: 1, tokens: 30 }),
  scored('b', 1, { em: 0, f1: 0.5, recall: 1, searches: 2, tokens: 30 }),
  scored('c', 2, { em: 1, f1: 1, recall: 0.5, searches: 3, tokens: 60, formatValid: false }),
  scored('d', 2, { em: 0, f1: 0, recall: 0, searches: 2, tokens: 60, seconds: 2 }),
];

describe('the summary of the command line', () => {
  it('is means, in all and by hops', () => {
    const summary = summarizeRollouts(ROLLOUTS, 3);
    expect(summary).toMatchObject({
      n: 4,
      em: 0.5,
      f1: 0.625,
      recall: 0.625,
      searches: 2,
      formatValid: 0.75,
      tokensPerSecond: 60,
    });
    expect(summary.byHops['1']).toMatchObject({
      n: 2,
      em: 0.5,
      searches: 1.5,
      tokensPerSecond: 30,
    });
    expect(summary.byHops['2']).toMatchObject({
      n: 2,
      recall: 0.25,
      formatValid: 0.5,
      tokensPerSecond: 40,
    });
    expect(Object.keys(summary.byHops)).toEqual(['1', '2']);
  });

  it('of nothing is zeros, not NaN, and no recall', () => {
    expect(summarizeRollouts([])).toEqual({
      n: 0,
      em: 0,
      f1: 0,
      recall: null,
      searches: 0,
      formatValid: 0,
      tokensPerSecond: 0,
      byHops: {},
    });
  });
});

describe('bootstrap', () => {
  it('has about the width of the normal interval, and is the same for the same seed', () => {
    // 200 coin flips of 0 and 1: standard error 0.0354, so ± 0.069
    const flips = Array.from({ length: 200 }, (_, i) => i % 2);
    const interval = bootstrapMean(flips, { seed: 3 });
    expect(interval.high - interval.low).toBeGreaterThan(0.12);
    expect(interval.high - interval.low).toBeLessThan(0.16);
    expect(bootstrapMean(flips, { seed: 3 })).toEqual(interval);
  });

  it('lies within the values and around the mean', () => {
    const values = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), {
      minLength: 1,
      maxLength: 20,
    });
    fc.assert(
      fc.property(values, (list) => {
        const { low, high } = bootstrapMean(list, { resamples: 50 });
        expect(low).toBeGreaterThanOrEqual(Math.min(...list) - 1e-12);
        expect(high).toBeLessThanOrEqual(Math.max(...list) + 1e-12);
        expect(low).toBeLessThanOrEqual(high);
      }),
    );
  });
});

describe('comparison of arms', () => {
  it('takes differences over the questions that all arms have', () => {
    const other = [
      scored('a', 1, { em: 1, searches: 2 }),
      scored('b', 1, { em: 1, searches: 3 }),
      scored('z', 1, { em: 0 }),
    ];
    const comparison = compareArms([
      { name: 'search', rollouts: ROLLOUTS.slice(0, 2) },
      { name: 'full', rollouts: other },
    ]);
    expect(comparison.questions).toBe(2);
    expect(comparison.rows[0]?.difference).toBeNull();
    expect(comparison.rows[1]?.difference?.em).toMatchObject({ mean: 0.5, low: 0, high: 1 });
    expect(comparison.rows[1]?.difference?.searches).toEqual({ mean: 1, low: null, high: null });
    expect(comparisonMarkdown(comparison)).toContain('| full | 3 | 66.7 |');
    expect(comparisonMarkdown(comparison)).toContain('+50.0 [0.0, 100.0]');
  });

  it('averages the rollouts of a group before it compares questions', () => {
    const group = [scored('a', 1, { em: 1 }), scored('a', 1, { em: 0 })];
    const comparison = compareArms([
      { name: 'one', rollouts: [scored('a', 1, { em: 0 })] },
      { name: 'two', rollouts: group },
    ]);
    expect(comparison.rows[1]?.difference?.em?.mean).toBe(0.5);
  });
});

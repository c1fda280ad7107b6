import { describe, expect, test } from 'vitest';
import { bootstrapMean } from '../../src/evaluate/bootstrap.ts';

/** `right` ones among `n` answers. */
const answers = (n: number, right: number): number[] =>
  Array.from({ length: n }, (_, i) => Number(i < right));

describe('percentile intervals of a mean', () => {
  test('no question, one question and equal ones have no width', () => {
    expect(bootstrapMean([])).toEqual({ mean: 0, low: 0, high: 0 });
    expect(bootstrapMean([0.25])).toEqual({ mean: 0.25, low: 0.25, high: 0.25 });
    expect(bootstrapMean([3, 3, 3, 3])).toEqual({ mean: 3, low: 3, high: 3 });
  });

  // The mean of resampled 0s and 1s, one half of each, is binomial.
  test.each([
    // Two answers: 0, ½ and 1 with 1/4, 1/2 and 1/4.
    [2, 0.4, 0.5, 0.5],
    [2, 0.6, 0, 1],
    // Six: P(0) = 1/64, P(≤ 1) = 7/64, P(≤ 2) = 22/64.
    [6, 0.98, 0, 1],
    [6, undefined, 1 / 6, 5 / 6],
    [6, 0.6, 2 / 6, 4 / 6],
    [6, 0.2, 0.5, 0.5],
  ])('%i answers, half of them right, level %s: %d to %d', (n, level, low, high) => {
    const interval = bootstrapMean(answers(n, n / 2), level === undefined ? {} : { level });
    expect(interval.mean).toBe(0.5);
    expect(interval.low).toBeCloseTo(low, 12);
    expect(interval.high).toBeCloseTo(high, 12);
  });

  test('the first and the last question are drawn as often as those between', () => {
    const spread = (values: number[]): number[] => {
      const { low, high } = bootstrapMean(values, { level: 0.8 });
      return [low, high];
    };
    // One of six right: P(0) = (5/6)⁶ = 0.33, P(≤ 1) = 0.74, P(≤ 2) = 0.94.
    for (const place of [0, 1, 4, 5])
      expect(spread(answers(6, 0).with(place, 1))).toEqual([0, 2 / 6]);
  });

  test('the same seed gives the same numbers, and 2,000 resamples of seed 0 are the default', () => {
    const values = Array.from({ length: 40 }, (_, i) => Math.sin(i));
    const of = (seed?: number, resamples?: number) =>
      bootstrapMean(values, {
        seed,
        resamples,
      });
    expect(of()).toEqual(of(0, 2000));
    expect(of(1).low).not.toBe(of(0).low);
    expect(of(0, 1999).low).not.toBe(of(0).low);
  });
});

import { describe, expect, test } from 'vitest';
import { gainOf, standardError } from '../../src/evaluate/gain.ts';

describe('the gain of training', () => {
  const before = [1, 0, 0, 1, 0];
  const seeds = [
    [1, 1, 0, 1, 0],
    [1, 1, 1, 1, 0],
    [0, 1, 1, 1, 0],
  ];

  test('by seed and over seeds, by hand', () => {
    const gain = gainOf(before, seeds, { resamples: 50 });
    expect(gain.n).toBe(5);
    expect(gain.before).toBeCloseTo(0.4, 12);
    expect(gain.seeds.map(({ after }) => after)).toEqual([0.6, 0.8, 0.6]);
    gain.seeds.forEach((seed, i) =>
      expect(seed.gain.mean).toBeCloseTo([0.2, 0.4, 0.2][i] ?? NaN, 12),
    );
    expect(gain.overQuestions.mean).toBeCloseTo(0.8 / 3, 12);
    // Standard deviation of 0.2, 0.4, 0.2 with n − 1 is 0.11547; over the root of three, 0.06667.
    expect(gain.overSeeds).toBeCloseTo(0.0666667, 6);
  });

  test('seeds that agree leave the uncertainty over questions where it is', () => {
    const n = 400;
    const none = Array.from({ length: n }, () => 0);
    const half = Array.from({ length: n }, (_, i) => i % 2);
    const { overQuestions, overSeeds } = gainOf(none, [half, half, half]);
    expect(overSeeds).toBe(0);
    // A proportion of 1/2 over 400 questions: ± 1.96 · 0.5 / 20 = ± 0.049.
    const width = Number(overQuestions.high) - Number(overQuestions.low);
    expect(width).toBeGreaterThan(0.085);
    expect(width).toBeLessThan(0.111);
  });

  test('no flip in four questions leaves room for some, of scores that are right or wrong', () => {
    const same = [1, 0, 0, 1];
    // Up and down (0 + 1)/6 each: 0 ± 1.96 √((2/6)/6) = ± 0.46198.
    const { seeds: runs, overQuestions } = gainOf(same, [same], { binary: true });
    expect(overQuestions.high).toBeCloseTo(0.46198, 5);
    expect(runs[0]?.gain).toEqual(overQuestions);
    expect(gainOf(same, [same]).overQuestions).toEqual({ mean: 0, low: null, high: null });
  });

  test('one seed has no spread; no seed and other questions are refused', () => {
    expect(gainOf(before, [seeds[0] ?? []], { resamples: 10 }).overSeeds).toBeNull();
    expect(standardError([3])).toBeNull();
    expect(() => gainOf(before, [])).toThrow(RangeError);
    expect(() => gainOf(before, [[1, 0]])).toThrow(/5 and 2 questions/);
  });
});

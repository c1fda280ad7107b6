import { describe, expect, it } from 'vitest';
import { mean, meanOrNull, median, moments, quantile, sum } from '../../src/base/statistics.ts';

describe('statistics', () => {
  it('sums and means, of lists and of typed arrays', () => {
    expect(sum(new Set([1, 2, 4]))).toBe(7);
    expect(mean([1, 2, 6])).toBe(3);
    expect(mean(new Int32Array([1, 2]))).toBe(1.5);
  });

  it('of nothing are 0, or null where that is told apart', () => {
    expect(mean([])).toBe(0);
    expect(meanOrNull([])).toBeNull();
    expect(meanOrNull([4, 6])).toBe(5);
    expect(median([])).toBeNull();
    expect(quantile([], 0.5)).toBe(0);
  });

  it('variance: squares 9 + 1 + 1 + 9 over four values, or over three', () => {
    expect(moments([2, 4, 6, 8], 0)).toEqual({ mean: 5, variance: 5 });
    expect(moments([2, 4, 6, 8], 1)).toEqual({ mean: 5, variance: 20 / 3 });
    expect(moments([7], 0)).toEqual({ mean: 7, variance: 0 });
    expect(moments([7], 1)).toEqual({ mean: 7, variance: 0 });
    expect(moments([], 1)).toEqual({ mean: 0, variance: 0 });
  });

  it('quantiles by linear interpolation', () => {
    expect(quantile([1, 2, 3, 4], 0.5)).toBe(2.5);
    expect(quantile([1, 2, 3, 4], 0)).toBe(1);
    expect(quantile([1, 2, 3, 4], 1)).toBe(4);
    expect(quantile([10, 20], 0.3)).toBe(13);
  });

  it('medians of unsorted values', () => {
    expect(median([9, 1, 5])).toBe(5);
    expect(median([9, 1, 5, 3])).toBe(4);
  });
});

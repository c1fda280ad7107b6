import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { logAtLeastOne, uniform, weightOf } from '../../../../src/policy/ops/numeric.ts';

describe('exponential and logarithm from IEEE operations', () => {
  test('e^x has nine right digits for x <= 0', () => {
    fc.assert(
      fc.property(fc.double({ min: -690, max: 0, noNaN: true }), (x) => {
        expect(Math.abs(weightOf(x) / Math.exp(x) - 1)).toBeLessThan(1e-9);
      }),
    );
    expect(weightOf(0)).toBe(1);
    expect(weightOf(-1e9)).toBe(0);
    // Weights of e^−700 are the least that count.
    expect(weightOf(-700) / Math.exp(-700)).toBeCloseTo(1, 8);
    expect(weightOf(-700.01)).toBe(0);
  });

  test('ln x has twelve right digits for x >= 1', () => {
    fc.assert(
      fc.property(fc.double({ min: 1, max: 1e12, noNaN: true }), (x) => {
        expect(Math.abs(logAtLeastOne(x) - Math.log(x))).toBeLessThan(1e-12 * (1 + Math.log(x)));
      }),
    );
    expect(logAtLeastOne(1)).toBe(0);
  });
});

describe('counter-based random numbers', () => {
  test('are uniform: mean, variance and correlation of neighbours', () => {
    const n = 20_000;
    const draws = Array.from({ length: n }, (_, i) => uniform(7, i));
    const mean = draws.reduce((a, b) => a + b, 0) / n;
    const moment = (lag: number): number =>
      draws.reduce((sum, u, i) => sum + (u - mean) * (draws[(i + lag) % n]! - mean), 0) / n;
    expect(mean).toBeCloseTo(0.5, 2);
    expect(moment(0)).toBeCloseTo(1 / 12, 2);
    expect(Math.abs(moment(1))).toBeLessThan(0.002);
    expect(draws.every((u) => u >= 0 && u < 1)).toBe(true);
  });

  test('depend on seed and counter alone, and neighbouring seeds share nothing', () => {
    expect(uniform(3, 9)).toBe(uniform(3, 9));
    const both = new Set([1, 2, 3, 4].flatMap((seed) => [0, 1, 2, 3].map((i) => uniform(seed, i))));
    expect(both.size).toBe(16);
  });

  test('Philox2x32-10 gives the known answers of Random123', () => {
    // kat_vectors: philox2x32 10, counter 0 0, key 0 → ff1dae59 6cd10df2.
    const expected = ((0xff1dae59 >>> 5) * 67_108_864 + (0x6cd10df2 >>> 6)) / 2 ** 53;
    expect(uniform(0, 0)).toBe(expected);
  });

  // The other known answers have counters of 64 bits; these were computed by the same definition in whole
  // numbers of any size, which gives all three known answers.
  test.each([
    [0x13198a2e, 123_456_789, 0xc6a2fe78, 0xcbe18198],
    [0xffffffff, 2 ** 52 + 12_345, 0x1e5340af, 0xb4391f74],
    [7, 0x85a308, 0x60014a6b, 0x46568031],
  ])('of key %i and counter %i they are what the definition gives', (key, counter, high, low) => {
    expect(uniform(key, counter)).toBe(((high >>> 5) * 67_108_864 + (low >>> 6)) / 2 ** 53);
  });
});

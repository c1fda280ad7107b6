import { describe, expect, test } from 'vitest';
import { itemAt } from '../../../src/base/items.ts';
import { nthLargest, Selector } from '../../../src/retrieval/cluster/cluster-index.ts';
import {
  allocate,
  shares,
  temperature,
  updateWeights,
} from '../../../src/retrieval/cluster/sampling.ts';
import { SAMPLING_DEFAULTS } from '../../../src/retrieval/cluster/options.ts';

/** 0 to n − 1 in an order without order: 7 and n have no common factor. */
const mixed = (n: number): number[] => Array.from({ length: n }, (_, i) => (i * 7 + 3) % n);

const rising = (a: number, b: number): number => a - b;

describe('the n-th largest', () => {
  test('of every count, in any order, with equal values', () => {
    for (const values of [mixed(20), mixed(20).toSorted(rising), mixed(9).map((v) => v % 3), [5]]) {
      const sorted = values.toSorted((a, b) => b - a);
      sorted.forEach((value, i) =>
        expect(nthLargest(Float32Array.from(values), values.length, i + 1)).toBe(value),
      );
    }
  });
  test('of the first values alone', () => {
    expect(nthLargest(Float32Array.of(1, 3, 2, 9), 3, 1)).toBe(3);
    expect(nthLargest(Float32Array.of(-1, -3, -2, 9), 3, 3)).toBe(-3);
  });
});

describe('the places of the largest', () => {
  const select = (scores: number[], count: number, n = scores.length): number[] => {
    const out = new Int32Array(10).fill(-1);
    const written = new Selector().select(Float32Array.from(scores), n, count, out, 2);
    expect([...out.subarray(0, 2)]).toEqual([-1, -1]);
    expect([...out.subarray(2 + written)].every((place) => place === -1)).toBe(true);
    return [...out.subarray(2, 2 + written)];
  };
  test.each([
    [[1, 3, 2], 2, [1, 2]],
    [[1, 3, 2], 1, [1]],
    [[5, 5, 5, 5], 2, [0, 1]],
    [[1, 5, 2, 5, 2], 3, [1, 2, 3]],
    [[-1, -3, -2], 2, [0, 2]],
    [[0, 0, 1], 2, [0, 2]],
    [[1, 2], 2, [0, 1]],
    [[1, 2], 5, [0, 1]],
    [[1, 2], 0, []],
    [[1, 2], -1, []],
    [[], 3, []],
  ])('%j, %i of them: %j', (scores, count, places) =>
    expect(select(scores, count)).toEqual(places),
  );

  test('behind the first n nothing is looked at; scores stay as they are; it is used again', () => {
    expect(select([1, 2, 9], 1, 2)).toEqual([1]);
    const selector = new Selector();
    const scores = Float32Array.from(mixed(8));
    const out = new Int32Array(8);
    expect(selector.select(scores, 8, 3, out)).toBe(3);
    expect([...scores]).toEqual(mixed(8));
    expect(
      mixed(8)
        .filter((_, i) => [...out.subarray(0, 3)].includes(i))
        .toSorted(rising),
    ).toEqual([5, 6, 7]);
    expect(selector.select(Float32Array.of(4, 9, 1), 3, 1, out)).toBe(1);
    expect(out[0]).toBe(1);
    const large = Float32Array.from(mixed(100));
    const places = new Int32Array(100);
    expect(selector.select(large, 100, 5, places)).toBe(5);
    expect([...places.subarray(0, 5)].map((i) => itemAt(large, i)).toSorted(rising)).toEqual([
      95, 96, 97, 98, 99,
    ]);
  });
});

describe('sampling, by hand', () => {
  const options = { ...SAMPLING_DEFAULTS, annealingQueries: 200, annealingExponent: 2 };
  test.each([
    [0, 1.2],
    [99, 1.2],
    // (1 − 1/2)² of 1.2, which is the least already.
    [100, 0.3],
    [200, 0.3],
    [900, 0.3],
  ])('the temperature of query %i is %d', (t, tau) =>
    expect(temperature(t, options)).toBeCloseTo(tau, 12),
  );
  test('without a least temperature it falls to 0 and stays there', () => {
    const free = { ...options, minimumTemperature: 0, heldQueries: 0 };
    expect(temperature(50, free)).toBeCloseTo(1.2 * 0.5625, 12);
    expect(temperature(150, free)).toBeCloseTo(1.2 / 16, 12);
    expect(temperature(201, free)).toBe(0);
  });

  test('weights move by a tenth, and not below the least', () => {
    const weights = Float64Array.of(1, 1, 0.25, 0.5);
    updateWeights(weights, new Set([0, 3]), SAMPLING_DEFAULTS);
    [1, 0.9, 0.25, 0.55].forEach((weight, i) => expect(weights[i]).toBeCloseTo(weight, 12));
  });

  test.each([
    [[1, 1], [3, 1], 1, 0, [0.75, 0.25]],
    [[1, 3], [1, 1], 1, 0, [0.25, 0.75]],
    // At ½ the products are squared: 9 to 1.
    [[1, 1], [3, 1], 0.5, 0, [0.9, 0.1]],
    [[1, 1], [4, 1], 2, 0, [2 / 3, 1 / 3]],
    [[1, 1, 1], [0, 0, 0], 1, 0, [1 / 3, 1 / 3, 1 / 3]],
    // A least share of ¼ lifts 0.1: 0.9 and 0.25 of 1.15.
    [[1, 1], [9, 1], 1, 0.25, [0.9 / 1.15, 0.25 / 1.15]],
  ])('weights %j, relevance %j, τ %d, least %d: %j', (weights, relevance, tau, least, expected) => {
    const p = shares(weights, relevance, tau, least);
    expect(p).toHaveLength(expected.length);
    expected.forEach((share, i) => expect(p[i]).toBeCloseTo(share, 12));
  });

  test.each([
    [[0.5, 0.5], [9, 9], 4, [2, 2]],
    [[0.5, 0.5], [9, 9], 3, [2, 1]],
    [[0.2, 0.8], [9, 9], 4, [1, 3]],
    [[0.5, 0.3, 0.2], [9, 9, 9], 5, [3, 1, 1]],
    [[0.9, 0.1], [2, 9], 6, [2, 4]],
    [[0.9, 0.1], [2, 3], 9, [2, 3]],
    [[1, 0, 0], [1, 9, 9], 5, [1, 2, 2]],
    [[0.5, 0.5], [0, 9], 3, [0, 3]],
    [[0.5, 0.5], [9, 9], 0, [0, 0]],
    [[], [], 3, []],
  ])('shares %j of sizes %j, %i candidates: %j', (p, sizes, candidates, counts) =>
    expect([...allocate(Float64Array.from(p), sizes, candidates)]).toEqual(counts),
  );
});

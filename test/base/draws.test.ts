import { describe, expect, it } from 'vitest';
import { KeyedRandom, Random, randomNumbers, sampleRows } from '../../src/base/random.ts';

/** Each draw by its definition, over the generator's own uniform numbers. */
const uniforms = (seed: number, count: number): number[] => {
  const random = new Random(seed);
  return Array.from({ length: count }, () => random.uniform());
};

describe('draws over uniform numbers', () => {
  const SEEDS = [1, 2, 3, 4, 5, 6, 7, 8];

  it.each(SEEDS)('of seed %i are what their definitions give', (seed) => {
    const [u = 0, v = 0] = uniforms(seed, 2);
    expect(new Random(seed).below(10)).toBe(Math.floor(10 * u));
    expect(new Random(seed).between(3, 7)).toBe(3 + Math.floor(5 * u));
    expect(new Random(seed).pick(['a', 'b', 'c'])).toBe(['a', 'b', 'c'][Math.floor(3 * u)]);
    expect(new Random(seed).maybe(['a', 'b', 'c'])).toBe(['a', 'b', 'c'][Math.floor(3 * u)]);
    expect(new Random(seed).normal()).toBeCloseTo(
      Math.sqrt(-2 * Math.log(1 - u)) * Math.cos(2 * Math.PI * v),
      12,
    );
  });

  it.each(SEEDS)('chance of seed %i: true below the probability, not at it', (seed) => {
    const [u = 0] = uniforms(seed, 1);
    expect(new Random(seed).chance(u)).toBe(false);
    expect(new Random(seed).chance(u + 1e-12)).toBe(true);
  });

  it.each(SEEDS)('weights of seed %i: the key whose share of the running sum holds u', (seed) => {
    const [u = 0] = uniforms(seed, 1);
    const at = 10 * u;
    const key = at < 2 ? 'a' : at < 5 ? 'b' : 'c';
    expect(new Random(seed).weighted({ a: 2, b: 3, none: 0, c: 5 })).toBe(key);
  });

  it.each(SEEDS)('order of seed %i: Fisher and Yates, from the last down', (seed) => {
    const us = uniforms(seed, 3);
    const wanted = ['a', 'b', 'c', 'd'];
    [3, 2, 1].forEach((i, n) => {
      const j = Math.floor((us[n] ?? 0) * (i + 1));
      [wanted[i], wanted[j]] = [wanted[j] ?? '', wanted[i] ?? ''];
    });
    expect(new Random(seed).shuffle(['a', 'b', 'c', 'd'])).toEqual(wanted);
    expect(new Random(seed).sample(['a', 'b', 'c', 'd'], 2)).toEqual(wanted.slice(0, 2));
  });

  it('fill every place, each with a draw of its own', () => {
    const values = new Float32Array(5);
    new Random(3).fillNormal(values, 2);
    const again = new Random(3);
    values.forEach((value) => expect(value).toBeCloseTo(2 * again.normal(), 6));
  });
});

describe('keys of many integers', () => {
  it('keep the upper half of a large one and the sign of a negative one', () => {
    const starts = [1, 1 + 2 ** 32, 1 + 2 ** 33, -1, 2 ** 32 - 1].map((key) =>
      new KeyedRandom(key).bits(),
    );
    expect(new Set(starts).size).toBe(starts.length);
  });

  it('give numbers in [0, 1) with 32 bits', () => {
    for (const key of [0, 5, 77]) {
      const bits = new KeyedRandom(key).bits();
      expect(new KeyedRandom(key).uniform()).toBe(bits / 2 ** 32);
    }
  });
});

describe('selection sampling, by hand', () => {
  it.each([
    // A row is taken where (rows left) · u is below (rows wanted).
    [4, 2, [0.6, 0.6, 0.9, 0.5], [1, 3]],
    [4, 2, [0.4, 0.4, 0.4, 0.4], [0, 2]],
    // Exactly at it, it is not: neither 4 · 0.5 below 2 nor 2 · 0.5 below 1.
    [4, 2, [0.5, 0.5, 0.5, 0.5], [1, 3]],
    [3, 1, [0.9, 0.9, 0.9], [2]],
  ])('of %i rows %i by %o: %o', (rows, count, draws, wanted) => {
    const left = [...draws];
    expect([...sampleRows(rows, count, () => left.shift() ?? 0)]).toEqual(wanted);
  });

  it('asks for no number once it has enough', () => {
    let asked = 0;
    const next = randomNumbers(1);
    sampleRows(100, 0, () => {
      asked++;
      return next();
    });
    expect(asked).toBe(0);
  });
});

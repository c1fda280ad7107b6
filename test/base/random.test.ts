import { describe, expect, it } from 'vitest';
import {
  deriveSeed,
  KeyedRandom,
  Random,
  randomNumbers,
  sampleRows,
  uniform,
} from '../../src/base/random.ts';

/** 32-bit arithmetic on whole numbers of any size, to check code that uses `Math.imul` and shifts. */
const WORD = 0xffff_ffffn;
const u32 = (x: bigint): bigint => x & WORD;
const rotl = (x: bigint, k: bigint): bigint => u32((x << k) | (u32(x) >> (32n - k)));
const murmur = (x: bigint): bigint => {
  let h = u32(x);
  h = u32((h ^ (h >> 16n)) * 0x85ebca6bn);
  h = u32((h ^ (h >> 13n)) * 0xc2b2ae35n);
  return h ^ (h >> 16n);
};

function* xoshiro(state: bigint[]): Generator<bigint, never> {
  let [a = 0n, b = 0n, c = 0n, d = 0n] = state;
  for (;;) {
    yield u32(rotl(u32(b * 5n), 7n) * 9n);
    const t = u32(b << 9n);
    c ^= a;
    d ^= b;
    b ^= c;
    a ^= d;
    c ^= t;
    d = rotl(d, 11n);
  }
}

function splitMix(seed: bigint): bigint[] {
  let z = seed;
  return Array.from({ length: 4 }, () => {
    z = u32(z + 0x9e3779b9n);
    let t = u32((z ^ (z >> 16n)) * 0x21f0aaadn);
    t = u32((t ^ (t >> 15n)) * 0x735a2d97n);
    return t ^ (t >> 15n);
  });
}

function* sfc32(key: bigint): Generator<bigint, never> {
  let h = 0x9e3779b9n;
  h = murmur(h ^ key);
  h = murmur(h);
  let [a, b, c, counter] = [h, murmur(h + 0x6d2b79f5n), murmur(h ^ 0x85ebca6bn), 1n];
  for (let i = 0; ; i++) {
    const t = u32(a + b + counter);
    counter = u32(counter + 1n);
    a = b ^ (b >> 9n);
    b = u32(c + (c << 3n));
    c = u32(rotl(c, 21n) + t);
    if (i >= 12) yield t;
  }
}

const first = (words: Generator<bigint, never>, count: number): number[] =>
  Array.from({ length: count }, () => Number(words.next().value));

describe('Random', () => {
  it('is xoshiro128** as Blackman and Vigna print it', () => {
    // The reference code's output for the state 1, 2, 3, 4 checks the check.
    expect(first(xoshiro([1n, 2n, 3n, 4n]), 6)).toEqual([
      11520, 0, 5927040, 70819200, 2031721883, 1637235492,
    ]);
    for (const seed of [0, 1, 20_250_619, 0xffff_ffff]) {
      const random = new Random(seed);
      const words = Array.from({ length: 200 }, () => random.bits());
      expect(words).toEqual(first(xoshiro(splitMix(BigInt(seed))), 200));
    }
  });

  it('takes 53 bits a uniform number, high ones first', () => {
    const [high, low] = first(xoshiro(splitMix(7n)), 2);
    const expected = (BigInt(high ?? 0) >> 5n) * 2n ** 26n + (BigInt(low ?? 0) >> 6n);
    expect(new Random(7).uniform() * 2 ** 53).toBe(Number(expected));
  });

  it('draws normal numbers with mean 0 and deviation as asked', () => {
    const values = new Float32Array(20_000);
    new Random(3).fillNormal(values, 0.5);
    const mean = values.reduce((a, b) => a + b, 0) / values.length;
    const variance = values.reduce((a, b) => a + (b - mean) ** 2, 0) / values.length;
    // Five standard errors: 0.5 / √20,000 of the mean, 0.25 · √(2 / 20,000) of the variance.
    expect(Math.abs(mean)).toBeLessThan(5 * 0.0036);
    expect(Math.abs(variance - 0.25)).toBeLessThan(5 * 0.0025);
  });
});

describe('KeyedRandom', () => {
  it('is sfc32, its state spread from the key', () => {
    for (const key of [0, 1, 42, 0x7fff_ffff]) {
      const random = new KeyedRandom(key);
      const words = Array.from({ length: 200 }, () => random.bits());
      expect(words).toEqual(first(sfc32(BigInt(key)), 200));
    }
  });

  it('gives another stream to every key', () => {
    const keys = [[], [0], [0, 0], [1], [0, 1], [1, 0], [2 ** 32], [-1]];
    const starts = keys.map((key) => new KeyedRandom(...key).uniform());
    expect(new Set(starts).size).toBe(keys.length);
  });

  it('picks within its bounds, each side reached', () => {
    const random = new KeyedRandom(5);
    const drawn = Array.from({ length: 500 }, () => random.between(-1, 2));
    expect([...new Set(drawn)].sort((a, b) => a - b)).toEqual([-1, 0, 1, 2]);
    expect(random.maybe([])).toBeUndefined();
    expect(() => random.pick([])).toThrow('cannot pick from an empty list');
    expect(() => random.weighted({})).toThrow('cannot pick from no weights');
  });

  it('weighs keys as told', () => {
    const random = new KeyedRandom(6);
    let rare = 0;
    for (let i = 0; i < 10_000; i++)
      if (random.weighted({ rare: 1, never: 0, often: 3 }) === 'rare') rare++;
    // Five standard errors of a share of 1/4 over 10,000 draws.
    expect(Math.abs(rare / 10_000 - 0.25)).toBeLessThan(5 * 0.0044);
    expect(random.weighted({ only: 2 })).toBe('only');
  });

  it('shuffles without loss, and every order comes', () => {
    const random = new KeyedRandom(8);
    const items = ['a', 'b', 'c'];
    const seen = new Map<string, number>();
    for (let i = 0; i < 6000; i++) {
      const order = random.shuffle(items).join('');
      seen.set(order, (seen.get(order) ?? 0) + 1);
    }
    expect(items).toEqual(['a', 'b', 'c']);
    expect([...seen.keys()].sort()).toEqual(['abc', 'acb', 'bac', 'bca', 'cab', 'cba']);
    // Five standard errors of a count of 1,000 out of 6,000.
    for (const count of seen.values()) expect(Math.abs(count - 1000)).toBeLessThan(5 * 29);
    expect(random.sample(items, 2)).toHaveLength(2);
    expect(random.sample(items, 9).sort()).toEqual(items);
  });
});

describe('randomNumbers', () => {
  it('is Mulberry32', () => {
    const next = randomNumbers(42);
    let state = 42n;
    const word = (): number => {
      state = u32(state + 0x6d2b79f5n);
      let t = u32((state ^ (state >> 15n)) * (state | 1n));
      t ^= u32(t + u32((t ^ (t >> 7n)) * (t | 61n)));
      return Number(t ^ (t >> 14n));
    };
    for (let i = 0; i < 200; i++) expect(next() * 2 ** 32).toBe(word());
  });

  it('sampled rows are distinct, rising, and equally likely', () => {
    const random = randomNumbers(1);
    const counts = [0, 0, 0, 0, 0];
    for (let i = 0; i < 5000; i++) {
      const [a = -1, b = -1] = sampleRows(5, 2, random);
      expect(a).toBeLessThan(b);
      for (const row of [a, b]) counts[row] = (counts[row] ?? 0) + 1;
    }
    // Each row is in 2 of 5 samples; five standard errors of that share over 5,000.
    for (const count of counts) expect(Math.abs(count / 5000 - 0.4)).toBeLessThan(5 * 0.007);
    expect([...sampleRows(3, 9, random)]).toEqual([0, 1, 2]);
    expect([...sampleRows(0, 9, random)]).toEqual([]);
  });
});

describe('derived seeds', () => {
  const step = (state: bigint, value: bigint): bigint => murmur(u32((state ^ value) * 0x9e3779b1n));
  const derive = (seed: bigint, ...path: (string | bigint)[]): number => {
    let state = step(0x2545f491n, seed);
    for (const part of path) {
      if (typeof part === 'bigint') state = step(state, part);
      else for (const char of part) state = step(state, BigInt(char.codePointAt(0) ?? 0));
      state = step(state, 0x51ed270bn);
    }
    return Number(state);
  };

  it('take each name and number of the path in', () => {
    expect(deriveSeed(7, 'rollout', 3)).toBe(derive(7n, 'rollout', 3n));
    expect(deriveSeed(0xffff_ffff)).toBe(derive(0xffff_ffffn));
    expect(deriveSeed(7, 'ab', 'c')).not.toBe(deriveSeed(7, 'a', 'bc'));
    expect(deriveSeed(7, '𝔸')).toBe(derive(7n, '𝔸'));
  });

  it('give one number each, uniform over many', () => {
    expect(uniform(9) * 2 ** 32).toBe(Number(step(0x6a09e667n, 9n)));
    const draws = Array.from({ length: 10_000 }, (_, i) => uniform(deriveSeed(1, i)));
    const mean = draws.reduce((a, b) => a + b, 0) / draws.length;
    // Five standard errors: the deviation of a uniform number is 1/√12.
    expect(Math.abs(mean - 0.5)).toBeLessThan(5 * 0.0029);
    expect(Math.max(...draws)).toBeLessThan(1);
  });
});

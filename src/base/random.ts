import { avalanche } from './hash.ts';
import { itemAt } from './items.ts';

/**
 * Numbers from a seed, the same on every machine. A stream is named, so that no order of calls can
 * change what another stream gives: `new KeyedRandom(seed, 3, step)` by integers, or
 * `new Random(deriveSeed(seed, 'epoch', round))` by a path of names and numbers.
 *
 * Four sequences are here, because each of them is baked into something that must be made again
 * bit for bit:
 * - `KeyedRandom` (sfc32): the shipped world, and the examples that the encoder learnt from;
 * - `Random` (xoshiro128**): the shipped policy's first weights, adapters' first weights, the order of
 *   questions in stored runs, which are continued;
 * - `randomNumbers` (Mulberry32): clusters and fusion weights that were learned on someone's device,
 *   and the passages that sampled clusters gave recorded rollouts;
 * - `deriveSeed` and `uniform` (a hash): the seeds in recorded rollouts, which are replayed, and the
 *   intervals of reports.
 */

/** What is drawn on top of uniform numbers. */
abstract class Draws {
  /** Uniform in [0, 1). */
  abstract uniform(): number;

  /** Uniform integer in [0, n). */
  below(n: number): number {
    return Math.floor(this.uniform() * n);
  }

  /** Uniform integer in [low, high]. */
  between(low: number, high: number): number {
    return low + this.below(high - low + 1);
  }

  chance(probability: number): boolean {
    return this.uniform() < probability;
  }

  /** One of the items. Throws a RangeError on an empty list. */
  pick<T>(items: readonly T[]): T {
    if (items.length === 0) throw new RangeError('cannot pick from an empty list');
    return itemAt(items, this.below(items.length));
  }

  /** One of the items, or undefined on an empty list. */
  maybe<T>(items: readonly T[]): T | undefined {
    return items[this.below(items.length)];
  }

  /** One key, with probability in proportion to its weight. Throws a RangeError without keys. */
  weighted<K extends string>(weights: Readonly<Partial<Record<K, number>>>): K {
    let left = 0;
    for (const key in weights) left += weights[key] ?? 0;
    left *= this.uniform();
    let last: K | undefined;
    for (const key in weights) {
      last = key;
      left -= weights[key] ?? 0;
      if (left < 0) break;
    }
    if (last === undefined) throw new RangeError('cannot pick from no weights');
    return last;
  }

  /** A shuffled copy (Fisher–Yates). */
  shuffle<T>(items: readonly T[]): T[] {
    const out = items.slice();
    for (let i = out.length - 1; i > 0; i--) {
      const j = this.below(i + 1);
      [out[i], out[j]] = [itemAt(out, j), itemAt(out, i)];
    }
    return out;
  }

  /** `count` distinct items in random order, or all of them where there are fewer. */
  sample<T>(items: readonly T[], count: number): T[] {
    return this.shuffle(items).slice(0, count);
  }

  /** Standard normal by Box and Muller. */
  normal(): number {
    const radius = Math.sqrt(-2 * Math.log(1 - this.uniform()));
    return radius * Math.cos(2 * Math.PI * this.uniform());
  }

  fillNormal(values: Float32Array, deviation: number): void {
    for (let i = 0; i < values.length; i++) values[i] = deviation * this.normal();
  }
}

/** sfc32, keyed by any number of integers. */
export class KeyedRandom extends Draws {
  private a: number;
  private b: number;
  private c: number;
  private counter = 1;

  /** @param key integers that name this stream, e.g. `new KeyedRandom(seed, 3, step)` */
  constructor(...key: number[]) {
    super();
    let h = 0x9e3779b9;
    for (const k of key) {
      h = avalanche(h ^ (k | 0));
      h = avalanche(h + Math.floor(k / 0x1_0000_0000));
    }
    this.a = h;
    this.b = avalanche(h + 0x6d2b79f5);
    this.c = avalanche(h ^ 0x85ebca6b);
    for (let i = 0; i < 12; i++) this.bits();
  }

  /** The next 32 random bits as an unsigned integer. */
  bits(): number {
    const t = (((this.a + this.b) | 0) + this.counter) | 0;
    this.counter = (this.counter + 1) | 0;
    this.a = this.b ^ (this.b >>> 9);
    this.b = (this.c + (this.c << 3)) | 0;
    this.c = (this.c << 21) | (this.c >>> 11);
    this.c = (this.c + t) | 0;
    return t >>> 0;
  }

  /** Uniform in [0, 1) with 32 bits. */
  uniform(): number {
    return this.bits() / 0x1_0000_0000;
  }
}

/** xoshiro128** (Blackman and Vigna, 2018), seeded by SplitMix32. */
export class Random extends Draws {
  #a: number;
  #b: number;
  #c: number;
  #d: number;

  constructor(seed: number) {
    super();
    let z = seed >>> 0;
    const word = (): number => {
      z = (z + 0x9e3779b9) >>> 0;
      let t = z ^ (z >>> 16);
      t = Math.imul(t, 0x21f0aaad);
      t ^= t >>> 15;
      t = Math.imul(t, 0x735a2d97);
      return (t ^ (t >>> 15)) >>> 0;
    };
    // Never all zero, the generator's only fixed point: different z give different words.
    [this.#a, this.#b, this.#c, this.#d] = [word(), word(), word(), word()];
  }

  /** The next 32 random bits as an unsigned integer. */
  bits(): number {
    const x = Math.imul(this.#b, 5);
    const result = Math.imul((x << 7) | (x >>> 25), 9) >>> 0;
    const t = this.#b << 9;
    this.#c ^= this.#a;
    this.#d ^= this.#b;
    this.#b ^= this.#c;
    this.#a ^= this.#d;
    this.#c ^= t;
    this.#d = (this.#d << 11) | (this.#d >>> 21);
    return result;
  }

  /** Uniform in [0, 1) with 53 bits. */
  uniform(): number {
    const high = this.bits() >>> 5;
    return (high * 67_108_864 + (this.bits() >>> 6)) / 9_007_199_254_740_992;
  }
}

/** Uniform numbers in [0, 1) from a seed (Mulberry32). */
export function randomNumbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 0x1_0000_0000;
  };
}

/** `count` distinct whole numbers below `n` in rising order (all of them where there are fewer). */
export function sampleRows(n: number, count: number, random: () => number): Int32Array {
  const take = Math.min(n, count);
  const rows = new Int32Array(take);
  // Selection sampling (Knuth, algorithm S): every subset has the same chance.
  for (let row = 0, taken = 0; taken < take; row++) {
    if ((n - row) * random() < take - taken) rows[taken++] = row;
  }
  return rows;
}

const mixed = (state: number, value: number): number =>
  avalanche(Math.imul(state ^ value, 0x9e3779b1)) >>> 0;

/**
 * A 32-bit seed from a seed and a path of names and numbers. A group's seed gives each rollout's seed,
 * `deriveSeed(groupSeed, 'rollout', i)`, and a rollout's seed one seed to every place where chance
 * enters: `deriveSeed(seed, 'policy')` for the context, `'thought'` for T's context,
 * `('probe', round, k)` for candidate k, and `('route', round)` for the router.
 */
export function deriveSeed(seed: number, ...path: readonly (string | number)[]): number {
  let state = mixed(0x2545f491, seed >>> 0);
  for (const part of path) {
    if (typeof part === 'number') state = mixed(state, part >>> 0);
    else for (const char of part) state = mixed(state, char.codePointAt(0) ?? 0);
    state = mixed(state, 0x51ed270b);
  }
  return state;
}

/** One number in [0, 1) from a seed. */
export const uniform = (seed: number): number => mixed(0x6a09e667, seed) / 0x1_0000_0000;

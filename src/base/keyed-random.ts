/** Seeded random numbers: sfc32, keyed by any number of integers. Same key, same numbers, anywhere. */
export class Rng {
  private a: number;
  private b: number;
  private c: number;
  private counter = 1;

  /** @param key integers that name this stream, e.g. `new Rng(seed, 3, step)` */
  constructor(...key: number[]) {
    let h = 0x9e3779b9;
    for (const k of key) {
      h = mix(h ^ (k | 0));
      h = mix(h + Math.floor(k / 0x1_0000_0000));
    }
    this.a = h;
    this.b = mix(h + 0x6d2b79f5);
    this.c = mix(h ^ 0x85ebca6b);
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

  /** Uniform in [0, 1). */
  uniform(): number {
    return this.bits() / 0x1_0000_0000;
  }

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
    return items[this.below(items.length)]!;
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
      [out[i], out[j]] = [out[j]!, out[i]!];
    }
    return out;
  }

  /** `count` distinct items in random order, or all of them where there are fewer. */
  sample<T>(items: readonly T[], count: number): T[] {
    return this.shuffle(items).slice(0, count);
  }
}

/** The finalizer of MurmurHash3: every input bit reaches every output bit. */
const mix = (x: number): number => {
  let h = x | 0;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return h ^ (h >>> 16);
};

/** 32-bit FNV-1a of a string, for rules that must not depend on a seed. */
export const hashText = (text: string): number => {
  let h = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193);
  return mix(h) >>> 0;
};

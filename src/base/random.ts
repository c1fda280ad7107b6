/**
 * Seeded generator with a state that can be saved: xoshiro128** (Blackman and Vigna, 2018), seeded
 * by SplitMix32. Its sequences are the same on every platform.
 */
export class Random {
  #state: Uint32Array;

  constructor(seed: number) {
    this.#state = new Uint32Array(4);
    let z = seed >>> 0;
    for (let i = 0; i < 4; i++) {
      z = (z + 0x9e3779b9) >>> 0;
      let t = z ^ (z >>> 16);
      t = Math.imul(t, 0x21f0aaad);
      t ^= t >>> 15;
      t = Math.imul(t, 0x735a2d97);
      this.#state[i] = (t ^ (t >>> 15)) >>> 0;
    }
    // The all-zero state is the generator's only fixed point.
    if (this.#state.every((word) => word === 0)) this.#state[0] = 1;
  }

  /** Uniform integer in [0, 2^32). */
  nextUint32(): number {
    const s = this.#state;
    const x = Math.imul(s[1]!, 5);
    const result = Math.imul((x << 7) | (x >>> 25), 9) >>> 0;
    const t = s[1]! << 9;
    s[2]! ^= s[0]!;
    s[3]! ^= s[1]!;
    s[1]! ^= s[2]!;
    s[0]! ^= s[3]!;
    s[2]! ^= t;
    s[3] = (s[3]! << 11) | (s[3]! >>> 21);
    return result;
  }

  /** Uniform in [0, 1) with 53 bits. */
  next(): number {
    const high = this.nextUint32() >>> 5;
    return (high * 67_108_864 + (this.nextUint32() >>> 6)) / 9_007_199_254_740_992;
  }

  /** Uniform integer in [0, bound). */
  integer(bound: number): number {
    return Math.floor(this.next() * bound);
  }

  /** Standard normal by Box and Muller. */
  normal(): number {
    const radius = Math.sqrt(-2 * Math.log(1 - this.next()));
    return radius * Math.cos(2 * Math.PI * this.next());
  }

  fillNormal(values: Float32Array, deviation: number): void {
    for (let i = 0; i < values.length; i++) values[i] = deviation * this.normal();
  }

  /** The state, four 32-bit words, for a checkpoint. */
  save(): number[] {
    return [...this.#state];
  }

  static restore(state: readonly number[]): Random {
    if (state.length !== 4) throw new Error(`random: a state has 4 words, got ${state.length}`);
    const random = new Random(0);
    random.#state = Uint32Array.from(state);
    return random;
  }
}

/**
 * SHA-256 (FIPS 180-4) of a stream, whose state can be stored and taken up again: a download that
 * was broken off continues without reading again what is on the disk. The platform's own digest wants
 * the whole input at once.
 */

const BLOCK = 64;
const WORDS = 8;
/** Words, length as a float64, and a block that is not full yet. */
const STATE_BYTES = WORDS * 4 + 8 + BLOCK;

const primes = (count: number): number[] => {
  const found: number[] = [];
  for (let n = 2; found.length < count; n++)
    if (found.every((prime) => n % prime !== 0)) found.push(n);
  return found;
};

/** First 32 bits of the fraction. */
const fraction = (value: number): number => Math.floor((value - Math.floor(value)) * 2 ** 32);

const K = Int32Array.from(primes(64), (prime) => fraction(Math.cbrt(prime)) | 0);
const INITIAL = Int32Array.from(primes(WORDS), (prime) => fraction(Math.sqrt(prime)) | 0);

export class Sha256 {
  readonly #words = INITIAL.slice();
  readonly #tail = new Uint8Array(BLOCK);
  readonly #schedule = new Int32Array(64);
  #length = 0;

  /** Takes up a state that `save` gave. @throws Error where it is none */
  static from(state: Uint8Array): Sha256 {
    if (state.byteLength !== STATE_BYTES) throw new Error('no state of a SHA-256');
    const hash = new Sha256();
    const view = new DataView(state.buffer, state.byteOffset, state.byteLength);
    for (let i = 0; i < WORDS; i++) hash.#words[i] = view.getInt32(i * 4);
    hash.#length = view.getFloat64(WORDS * 4);
    hash.#tail.set(state.subarray(WORDS * 4 + 8));
    return hash;
  }

  /** Bytes that were taken in. */
  get length(): number {
    return this.#length;
  }

  save(): Uint8Array<ArrayBuffer> {
    const state = new Uint8Array(STATE_BYTES);
    const view = new DataView(state.buffer);
    this.#words.forEach((word, i) => view.setInt32(i * 4, word));
    view.setFloat64(WORDS * 4, this.#length);
    state.set(this.#tail, WORDS * 4 + 8);
    return state;
  }

  update(bytes: Uint8Array): this {
    const held = this.#length % BLOCK;
    this.#length += bytes.length;
    let at = 0;
    if (held > 0) {
      at = Math.min(BLOCK - held, bytes.length);
      this.#tail.set(bytes.subarray(0, at), held);
      if (held + at < BLOCK) return this;
      this.#blocks(this.#tail, 0, 1);
    }
    const whole = Math.floor((bytes.length - at) / BLOCK);
    this.#blocks(bytes, at, whole);
    this.#tail.set(bytes.subarray(at + whole * BLOCK));
    return this;
  }

  /** Hexadecimal; the state stays as it is, so that more may follow. */
  digest(): string {
    const end = Sha256.from(this.save());
    const held = this.#length % BLOCK;
    const padding = new Uint8Array((held < 56 ? 64 : 128) - held);
    padding[0] = 0x80;
    const view = new DataView(padding.buffer);
    view.setBigUint64(padding.length - 8, BigInt(this.#length) * 8n);
    end.update(padding);
    let hex = '';
    for (const word of end.#words) hex += (word >>> 0).toString(16).padStart(8, '0');
    return hex;
  }

  #blocks(bytes: Uint8Array, from: number, count: number): void {
    const w = this.#schedule;
    const h = this.#words;
    let at = from;
    for (let block = 0; block < count; block++) {
      for (let i = 0; i < 16; i++, at += 4)
        w[i] = (bytes[at]! << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!;
      for (let i = 16; i < 64; i++) {
        const x = w[i - 15]!;
        const y = w[i - 2]!;
        const s0 = ((x >>> 7) | (x << 25)) ^ ((x >>> 18) | (x << 14)) ^ (x >>> 3);
        const s1 = ((y >>> 17) | (y << 15)) ^ ((y >>> 19) | (y << 13)) ^ (y >>> 10);
        w[i] = (w[i - 16]! + s0 + w[i - 7]! + s1) | 0;
      }
      let a = h[0]!;
      let b = h[1]!;
      let c = h[2]!;
      let d = h[3]!;
      let e = h[4]!;
      let f = h[5]!;
      let g = h[6]!;
      let last = h[7]!;
      for (let i = 0; i < 64; i++) {
        const s1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
        const t1 = (last + s1 + ((e & f) ^ (~e & g)) + K[i]! + w[i]!) | 0;
        const s0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
        const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
        last = g;
        g = f;
        f = e;
        e = (d + t1) | 0;
        d = c;
        c = b;
        b = a;
        a = (t1 + t2) | 0;
      }
      h[0] = (h[0]! + a) | 0;
      h[1] = (h[1]! + b) | 0;
      h[2] = (h[2]! + c) | 0;
      h[3] = (h[3]! + d) | 0;
      h[4] = (h[4]! + e) | 0;
      h[5] = (h[5]! + f) | 0;
      h[6] = (h[6]! + g) | 0;
      h[7] = (h[7]! + last) | 0;
    }
  }
}

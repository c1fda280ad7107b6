/**
 * What the product quantizer lost, at 4 or 8 bits a dimension with one scale a vector: whole numbers
 * `c` with `error ≈ scale · c`, |c| ≤ 7 or 127. Four bits are stored as `c + 8`, the even dimension in
 * the low half of the byte.
 */
export class Refinement {
  readonly bits: 4 | 8;
  readonly dimensions: number;
  /** Bytes of a vector's code. */
  readonly width: number;
  readonly codes: Int8Array;
  readonly scales: Float32Array;

  constructor(bits: 4 | 8, dimensions: number, size: number) {
    this.bits = bits;
    this.dimensions = dimensions;
    this.width = bits === 8 ? dimensions : Math.ceil(dimensions / 2);
    this.codes = new Int8Array(size * this.width);
    this.scales = new Float32Array(size);
  }

  /** Stores the error of a vector, `dimensions` numbers of `errors` from `from`. */
  set(place: number, errors: Float32Array, from: number): void {
    const { dimensions: d, width, codes } = this;
    let most = 0;
    for (let i = 0; i < d; i++) most = Math.max(most, Math.abs(errors[from + i] ?? NaN));
    const scale = most / (this.bits === 8 ? 127 : 7);
    this.scales[place] = scale;
    const whole = (i: number): number =>
      i < d && scale > 0 ? Math.round((errors[from + i] ?? NaN) / scale) : 0;
    const at = place * width;
    if (this.bits === 8) for (let i = 0; i < d; i++) codes[at + i] = whole(i);
    else
      for (let i = 0; i < width; i++) {
        codes[at + i] = (whole(2 * i) + 8) | ((whole(2 * i + 1) + 8) << 4);
      }
  }

  /** Inner product of the query with the stored error. */
  dot(query: Float32Array, place: number): number {
    const { width, codes } = this;
    const at = place * width;
    let s0 = 0;
    let s1 = 0;
    const last = this.dimensions - 1;
    if (this.bits === 8) {
      for (let i = 0; i < last; i += 2) {
        s0 += (query[i] ?? NaN) * (codes[at + i] ?? NaN);
        s1 += (query[i + 1] ?? NaN) * (codes[at + i + 1] ?? NaN);
      }
      if (last % 2 === 0) s0 += (query[last] ?? NaN) * (codes[at + last] ?? NaN);
    } else {
      for (let i = 0; i < last; i += 2) {
        const byte = codes[at + i / 2] ?? NaN;
        s0 += (query[i] ?? NaN) * ((byte & 15) - 8);
        s1 += (query[i + 1] ?? NaN) * (((byte >> 4) & 15) - 8);
      }
      if (last % 2 === 0) s0 += (query[last] ?? NaN) * (((codes[at + width - 1] ?? NaN) & 15) - 8);
    }
    return (s0 + s1) * (this.scales[place] ?? NaN);
  }

  /** Adds the stored error to `out`. */
  decodeInto(place: number, out: Float32Array): void {
    const at = place * this.width;
    const scale = this.scales[place] ?? NaN;
    for (let i = 0; i < this.dimensions; i++) {
      const byte = this.codes[at + (this.bits === 8 ? i : i >> 1)] ?? NaN;
      const whole = this.bits === 8 ? byte : ((byte >> (4 * (i & 1))) & 15) - 8;
      out[i] = (out[i] ?? NaN) + scale * whole;
    }
  }

  get bytes(): number {
    return this.codes.byteLength + this.scales.byteLength;
  }
}

/** IEEE 754 binary16 conversion: Node 20 has no Float16Array. */

const scratch = new DataView(new ArrayBuffer(4));

/** Rounds to nearest, ties to even; overflow becomes infinity, NaN stays NaN. */
export function toFloat16Bits(value: number): number {
  scratch.setFloat32(0, value);
  const bits = scratch.getUint32(0);
  const sign = (bits >>> 16) & 0x8000;
  const magnitude = bits & 0x7fffffff;
  if (magnitude > 0x7f800000) return sign | 0x7e00;
  // 65520 and above round to infinity.
  if (magnitude >= 0x477ff000) return sign | 0x7c00;
  if (magnitude < 0x38800000) return sign | subnormalBits(Math.abs(scratch.getFloat32(0)));
  const rebased = magnitude - 0x38000000;
  return sign | ((rebased + 0x0fff + ((rebased >>> 13) & 1)) >>> 13);
}

/** Below 2^-14 the spacing is 2^-24, so the bits are the rounded multiple of it. */
function subnormalBits(magnitude: number): number {
  const scaled = magnitude * 2 ** 24;
  const floor = Math.floor(scaled);
  const rest = scaled - floor;
  return rest > 0.5 || (rest === 0.5 && floor % 2 === 1) ? floor + 1 : floor;
}

export function fromFloat16Bits(bits: number): number {
  const exponent = (bits >>> 10) & 0x1f;
  const fraction = bits & 0x3ff;
  if (exponent === 0) return (bits & 0x8000 ? -1 : 1) * fraction * 2 ** -24;
  if (exponent === 0x1f && fraction !== 0) return NaN;
  // Written as binary32: weights are a million of these, and a power takes ten times as long.
  const widened = exponent === 0x1f ? 0xff : exponent + 112;
  scratch.setUint32(0, ((bits & 0x8000) << 16) | (widened << 23) | (fraction << 13));
  return scratch.getFloat32(0);
}

/** From 2^-14 to below 65520, binary32 magnitudes that are rounded by moving bits. */
const SMALLEST_REBASED = 0x38800000;
const FIRST_OVERFLOW = 0x477ff000;

/** The bits of each value, rounded as by `toFloat16Bits`. */
export function toFloat16(values: Float32Array): Uint16Array<ArrayBuffer> {
  const bits = new Uint16Array(values.length);
  const words = new Uint32Array(values.buffer, values.byteOffset, values.length);
  for (let i = 0; i < bits.length; i++) {
    const word = words[i] ?? 0;
    const magnitude = word & 0x7fffffff;
    if (magnitude >= SMALLEST_REBASED && magnitude < FIRST_OVERFLOW)
      bits[i] =
        ((word >>> 16) & 0x8000) |
        ((magnitude - REBASED + 0x0fff + ((magnitude >>> 13) & 1)) >>> 13);
    else bits[i] = toFloat16Bits(values[i] ?? NaN);
  }
  return bits;
}

/** From here to infinity, exponents of binary16 and binary32 differ by a constant. */
const SMALLEST_NORMAL = 0x0400;
const INFINITE = 0x7c00;
/** 112, by which binary32's exponents are biased more, where its exponent lies. */
const REBASED = 112 << 23;

/** The values of each. A model and a table of vectors are a million: bits are moved, and no view is asked. */
export function fromFloat16(bits: Uint16Array): Float32Array<ArrayBuffer> {
  const values = new Float32Array(bits.length);
  const words = new Uint32Array(values.buffer);
  for (let i = 0; i < bits.length; i++) {
    const half = bits[i] ?? 0;
    const magnitude = half & 0x7fff;
    if (magnitude >= SMALLEST_NORMAL && magnitude < INFINITE)
      words[i] = ((half & 0x8000) << 16) | ((magnitude << 13) + REBASED);
    else values[i] = fromFloat16Bits(half);
  }
  return values;
}

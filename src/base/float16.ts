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

/** The bits of each value, rounded as by `toFloat16Bits`. */
export const toFloat16 = (values: Float32Array): Uint16Array =>
  Uint16Array.from(values, toFloat16Bits);

export const fromFloat16 = (bits: Uint16Array): Float32Array =>
  Float32Array.from(bits, fromFloat16Bits);

/** Arrays of IEEE 754 binary16, kept as bits: Node 20 has no Float16Array. */

const scratch = new Float32Array(1);
const scratchBits = new Uint32Array(scratch.buffer);

/** Rounds each value to the nearest half, ties to even; beyond 65,504 it becomes infinity. */
export const toFloat16 = (values: Float32Array): Uint16Array => Uint16Array.from(values, halfBits);

export const fromFloat16 = (bits: Uint16Array): Float32Array => Float32Array.from(bits, halfValue);

function halfBits(value: number): number {
  scratch[0] = value;
  const bits = scratchBits[0] ?? 0;
  const sign = (bits >>> 16) & 0x8000;
  const magnitude = bits & 0x7fffffff;
  if (magnitude > 0x7f800000) return sign | 0x7e00; // NaN
  if (magnitude >= 0x477ff000) return sign | 0x7c00;
  // Below 2^-14 halves are multiples of 2^-24; ties go to even.
  if (magnitude < 0x38800000) return sign | roundToEven(Math.abs(scratch[0] ?? 0) * 2 ** 24);
  const rebased = magnitude - 0x38000000;
  return sign | ((rebased + 0x0fff + ((rebased >>> 13) & 1)) >>> 13);
}

function roundToEven(value: number): number {
  const floor = Math.floor(value);
  const rest = value - floor;
  return rest > 0.5 || (rest === 0.5 && floor % 2 === 1) ? floor + 1 : floor;
}

function halfValue(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >>> 10) & 0x1f;
  const fraction = bits & 0x3ff;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 0x1f) return fraction === 0 ? sign * Infinity : NaN;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}

/** How most weights of a checkpoint are stored. */
export type StoredType = 'f32' | 'f16' | 'bf16';

/** Largest value of binary16. */
const MOST_F16 = 65_504;

/** Whether no value is beyond the range of binary16. */
export function fitsHalf(values: Float32Array): boolean {
  for (const value of values) if (!(Math.abs(value) <= MOST_F16)) return false;
  return true;
}

/** How most weights of a checkpoint are stored. */
export type StoredType = 'f32' | 'f16' | 'bf16';

/**
 * What a matrix is held in. `int8` and `int4` are symmetric by groups of 32 values along the input, with
 * a binary16 scale each (`ops/quantise.ts`).
 */
export const MATRIX_TYPES = ['f32', 'f16', 'int8', 'int4'] as const;
export type MatrixType = (typeof MATRIX_TYPES)[number];
export type PackedType = Extract<MatrixType, 'int8' | 'int4'>;

/** What all matrices are held in, or each tensor by its name in the checkpoint: GGUF files mix types. */
export type HeldTypes = MatrixType | Readonly<Record<string, MatrixType>>;

/**
 * What a matrix that is stacked of tensors is held in: a type that is exact for each of them. A tensor that is not
 * named is held in f32.
 */
export function heldType(types: HeldTypes, names: readonly string[]): MatrixType {
  if (typeof types === 'string') return types;
  const wanted = new Set(names.map((name) => types[name] ?? 'f32'));
  const [first] = wanted;
  if (wanted.size === 1 && first) return first;
  // Four bits are levels of eight; a half is neither a level times a scale nor the other way round.
  return wanted.has('f32') || wanted.has('f16') ? 'f32' : 'int8';
}

/** Largest value of binary16. */
const MOST_F16 = 65_504;

/** Whether no value is beyond the range of binary16. */
export function fitsHalf(values: Float32Array): boolean {
  for (const value of values) if (!(Math.abs(value) <= MOST_F16)) return false;
  return true;
}

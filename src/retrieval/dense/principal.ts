import { createTurns } from '../../base/turns.ts';
import type { VectorTable } from './dense.ts';

/**
 * The plane of the two first principal components of vectors (Pearson 1901; Hotelling 1933). It is linear:
 * a query is placed by the very map that placed the passages, which an embedding of neighbours cannot do.
 */
export interface PrincipalPlane {
  /** Mean of the vectors: [dimensions]. */
  mean: Float64Array;
  /** Unit vectors, at right angles: [dimensions] each. */
  axes: readonly [Float64Array, Float64Array];
  /** Share of the variance along each. */
  shares: readonly [number, number];
}

interface PlaneHooks {
  onProgress?: (done: number, total: number) => void;
  signal?: AbortSignal;
}

/** Rows that the axes are found by; of more, as many evenly spread: axes of a sample hardly differ. */
const MOST_ROWS = 10_000;
const ROUNDS = 300;
/** Change of an axis, as 1 − |cosine|, below which it stands. */
const STILL = 1e-12;

const dot = (a: Float64Array, b: Float64Array): number => {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += (a[i] ?? 0) * (b[i] ?? 0);
  return sum;
};

/** Takes what lies along `of` out of `vector`, and scales it to length 1; false where nothing is left. */
function unit(vector: Float64Array, of: readonly Float64Array[]): boolean {
  for (const other of of) {
    const along = dot(vector, other);
    for (let i = 0; i < vector.length; i++) vector[i] = (vector[i] ?? 0) - along * (other[i] ?? 0);
  }
  const length = Math.sqrt(dot(vector, vector));
  if (length < 1e-12) return false;
  for (let i = 0; i < vector.length; i++) vector[i] = (vector[i] ?? 0) / length;
  return true;
}

function times(matrix: Float64Array, vector: Float64Array): Float64Array {
  const size = vector.length;
  const out = new Float64Array(size);
  for (let i = 0; i < size; i++) {
    let sum = 0;
    for (let j = 0; j < size; j++) sum += (matrix[i * size + j] ?? 0) * (vector[j] ?? 0);
    out[i] = sum;
  }
  return out;
}

/** Covariance of the rows that are taken, and their mean. */
async function covariance(
  { dimensions, values }: VectorTable,
  { onProgress, signal }: PlaneHooks,
): Promise<{ mean: Float64Array; matrix: Float64Array }> {
  const turn = createTurns(signal);
  const rows = values.length / dimensions;
  const step = Math.max(1, rows / MOST_ROWS);
  const taken = Array.from({ length: Math.floor(rows / step) }, (_, i) => Math.floor(i * step));
  const mean = new Float64Array(dimensions);
  for (const row of taken)
    for (let i = 0; i < dimensions; i++)
      mean[i] = (mean[i] ?? 0) + (values[row * dimensions + i] ?? 0) / taken.length;
  const matrix = new Float64Array(dimensions * dimensions);
  const centred = new Float64Array(dimensions);
  for (const [done, row] of taken.entries()) {
    for (let i = 0; i < dimensions; i++)
      centred[i] = (values[row * dimensions + i] ?? 0) - (mean[i] ?? 0);
    for (let i = 0; i < dimensions; i++) {
      const own = centred[i] ?? 0;
      for (let j = 0; j <= i; j++)
        matrix[i * dimensions + j] = (matrix[i * dimensions + j] ?? 0) + own * (centred[j] ?? 0);
    }
    if (done % 64 === 0) {
      onProgress?.(done, taken.length);
      await turn();
    }
  }
  for (let i = 0; i < dimensions; i++)
    for (let j = 0; j < i; j++) matrix[j * dimensions + i] = matrix[i * dimensions + j] ?? 0;
  return { mean, matrix };
}

/** The direction of the most variance that is left, by power iteration. */
async function component(
  matrix: Float64Array,
  size: number,
  before: readonly Float64Array[],
  turn: () => Promise<void>,
): Promise<Float64Array> {
  // A start that is nobody's eigenvector, the same every time; where nothing is left, any direction.
  const axis = Float64Array.from({ length: size }, (_, i) => 1 + 1 / (i + 1 + before.length));
  unit(axis, before);
  for (let round = 0; round < ROUNDS; round++) {
    const next = times(matrix, axis);
    if (!unit(next, before)) break;
    const moved = 1 - Math.abs(dot(next, axis));
    axis.set(next);
    if (moved < STILL) break;
    await turn();
  }
  // The sign says nothing: the larger share points to the right, and up.
  const heaviest = axis.reduce(
    (best, value) => (Math.abs(value) > Math.abs(best) ? value : best),
    0,
  );
  return heaviest < 0 ? axis.map((value) => -value) : axis;
}

/** @throws the signal's reason when aborted */
export async function principalPlane(
  table: VectorTable,
  hooks: PlaneHooks = {},
): Promise<PrincipalPlane> {
  const { dimensions } = table;
  const { mean, matrix } = await covariance(table, hooks);
  const turn = createTurns(hooks.signal);
  const first = await component(matrix, dimensions, [], turn);
  const second = await component(matrix, dimensions, [first], turn);
  let total = 0;
  for (let i = 0; i < dimensions; i++) total += matrix[i * dimensions + i] ?? 0;
  const shareOf = (axis: Float64Array): number =>
    total > 0 ? dot(axis, times(matrix, axis)) / total : 0;
  return { mean, axes: [first, second], shares: [shareOf(first), shareOf(second)] };
}

/** Places of vectors in the plane: [rows × 2]. */
export function placesIn(
  { mean, axes: [first, second] }: PrincipalPlane,
  { dimensions, values }: VectorTable,
): Float32Array {
  const rows = values.length / dimensions;
  const out = new Float32Array(2 * rows);
  for (let row = 0; row < rows; row++) {
    let [x, y] = [0, 0];
    for (let i = 0; i < dimensions; i++) {
      const value = (values[row * dimensions + i] ?? 0) - (mean[i] ?? 0);
      x += value * (first[i] ?? 0);
      y += value * (second[i] ?? 0);
    }
    out[2 * row] = x;
    out[2 * row + 1] = y;
  }
  return out;
}

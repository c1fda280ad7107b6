import { EncoderError } from './errors.ts';
import type { EncoderManifest } from './manifest.ts';
import type { PaddedBatch } from './tokens.ts';

/** One vector a text from a model's output ([rows, d] for `none`, else [rows, length, d]). */
export function poolRows(
  output: Float32Array,
  batch: PaddedBatch,
  dimensions: number,
  pooling: EncoderManifest['pooling'],
): Float32Array {
  const { rows, length, mask } = batch;
  const expected = rows * dimensions * (pooling === 'none' ? 1 : length);
  if (output.length !== expected) {
    throw new EncoderError(`the encoder gave ${output.length} values, expected ${expected}`);
  }
  if (pooling === 'none') return output.slice();
  const pooled = new Float32Array(rows * dimensions);
  for (let row = 0; row < rows; row++) {
    const tokens = Math.max(1, sum(mask, row * length, length));
    const start = row * length * dimensions;
    const states = output.subarray(start, start + tokens * dimensions);
    pooled.set(poolOne(states, tokens, dimensions, pooling), row * dimensions);
  }
  return pooled;
}

/** Pools the states [tokens, d] of one text. */
function poolOne(
  states: Float32Array,
  tokens: number,
  dimensions: number,
  pooling: EncoderManifest['pooling'],
): Float32Array {
  if (pooling === 'cls') return states.subarray(0, dimensions);
  if (pooling === 'last') return states.subarray((tokens - 1) * dimensions);
  const pooled = new Float32Array(dimensions).fill(pooling === 'max' ? -Infinity : 0);
  for (let i = 0; i < tokens * dimensions; i++) {
    const at = i % dimensions;
    const value = states[i] ?? NaN;
    const before = pooled[at] ?? NaN;
    pooled[at] = pooling === 'max' ? Math.max(before, value) : before + value / tokens;
  }
  return pooled;
}

/** Tokens are at the front of a row, so their number is the sum of its mask. */
const sum = (values: Int32Array, start: number, length: number): number =>
  values.subarray(start, start + length).reduce((total, value) => total + value, 0);

/** Every row scaled to length 1; rows of zeros stay. */
export function unitRows(rows: Float32Array, dimensions: number): Float32Array {
  const scaled = rows.slice();
  for (let start = 0; start < rows.length; start += dimensions) {
    const row = scaled.subarray(start, start + dimensions);
    const norm = Math.sqrt(row.reduce((total, value) => total + value * value, 0));
    if (norm > 0) row.forEach((value, i) => (row[i] = value / norm));
  }
  return scaled;
}

import type { PackedBatch } from '../train-batch.ts';

/** Lengths are rounded up to a multiple of this, so that few shapes are compiled. */
const STEP = 32;

/**
 * Rows of the output layer in one call: `rows × vocabulary` is the largest matrix that exists. Fewer for
 * large vocabularies, so that a matrix of a published one stays below the 128 MiB that every WebGPU
 * adapter binds.
 */
export const headRows = (vocabSize: number): number => (vocabSize > 32_768 ? 64 : 192);

/** A rectangle of sequences, padded at their ends. */
export interface PaddedPart {
  sequences: number;
  tokens: number;
  /** Of the rectangle's sequences: first token in the packed batch, and length. */
  starts: number[];
  lengths: number[];
  /** Rows of the packed batch that lie in it: place in `batch.rows`, and row in the rectangle. */
  rows: { place: number; row: number }[];
}

const roundUp = (length: number): number => Math.ceil(length / STEP) * STEP;

/**
 * Cuts a packed batch into rectangles of at most `maxTokens` tokens, padding included. All have as
 * many sequences as fit at their length: empty ones complete the last.
 */
export function padBatch(batch: PackedBatch, maxTokens: number): PaddedPart[] {
  const parts: PaddedPart[] = [];
  const owner: { part: PaddedPart; base: number; start: number; end: number }[] = [];
  let start = 0;
  let at = 0;
  while (at < batch.lengths.length) {
    let tokens = 0;
    let n = 0;
    while (at + n < batch.lengths.length) {
      const next = Math.max(tokens, roundUp(batch.lengths[at + n]!));
      if (n > 0 && next * (n + 1) > maxTokens) break;
      tokens = next;
      n++;
    }
    const part: PaddedPart = { sequences: n, tokens, starts: [], lengths: [], rows: [] };
    for (let i = 0; i < n; i++) {
      const length = batch.lengths[at + i]!;
      part.starts.push(start);
      part.lengths.push(length);
      owner.push({ part, base: i * tokens, start, end: start + length });
      start += length;
    }
    parts.push(part);
    at += n;
  }
  let sequence = 0;
  batch.rows.forEach((row, place) => {
    while (row >= owner[sequence]!.end) sequence++;
    const { part, base, start: first } = owner[sequence]!;
    part.rows.push({ place, row: base + row - first });
  });
  return parts;
}

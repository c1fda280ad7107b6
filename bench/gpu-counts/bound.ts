import type { PolicyConfig } from '../../src/policy/checkpoint/config.ts';
import type { Dispatch } from './null-gpu/counts.ts';

/** Tables of which a kernel reads rows that it looks up, by the label of their buffer and the kernel. */
const PICK = 'few pick ';
const TABLES = ['embed ', PICK];

/**
 * Bytes that dispatches were given; of a table that rows are looked up in, the rows: an embedding a token, of the head
 * the block of logits that a draw falls in, of the rotary tables a row per token.
 * @param tokens of the step
 */
export function boundBytes(
  dispatches: readonly Dispatch[],
  tokens: number,
  { vocabSize, headDim }: PolicyConfig,
): number {
  return dispatches.reduce((sum, { pipeline, bound }) => {
    const looksUp = TABLES.some((table) => pipeline.label.startsWith(table));
    const outs = pipeline.label.startsWith(PICK) ? OUTS : 1;
    return bound.reduce((all, { buffer, size }) => {
      if (buffer.label === 'rotary') return all + Math.min(size, tokens * headDim * 4);
      if (looksUp && isTable(buffer.label)) return all + (size / vocabSize) * tokens * outs;
      return all + size;
    }, sum);
  }, 0);
}

/** Logits of a block of a large vocabulary. */
const OUTS = 128;
const isTable = (label: string): boolean => label === 'embedding' || label === 'output matrix';

import type { PolicyConfig } from '../checkpoint/config.ts';
import type { PackedBatch } from './train-batch.ts';

/**
 * Runs `visit` for every sequence and query head of a packed batch with byte offsets, from the first
 * values: of the head's slice in queries [heads, N, headDim], in keys or values [kvHeads, N, headDim], in
 * the output [N, heads, headDim], and in log-sum-exps [heads, N].
 */
export function eachHead(
  { heads, kvHeads, headDim }: Pick<PolicyConfig, 'heads' | 'kvHeads' | 'headDim'>,
  batch: PackedBatch,
  visit: (query: number, key: number, output: number, lse: number, length: number) => void,
): void {
  const N = batch.ids.length;
  let start = 0;
  for (const length of batch.lengths) {
    for (let head = 0; head < heads; head++) {
      const group = Math.floor((head * kvHeads) / heads);
      visit(
        4 * (head * N + start) * headDim,
        4 * (group * N + start) * headDim,
        4 * (start * heads + head) * headDim,
        4 * (head * N + start),
        length,
      );
    }
    start += length;
  }
}

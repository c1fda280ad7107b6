import { numpy as np } from '@jax-js/jax';
import type { PolicyConfig } from '../../checkpoint/config.ts';
import type { PackedBatch } from '../train-batch.ts';
import { headRows, type PaddedPart } from './padding.ts';

/** What the head reads of a rectangle. */
export interface HeadInput {
  part: PaddedPart;
  /** Of the last layer, [sequences · tokens, hidden], on the host. */
  output: Float32Array;
}

/** Rows of one call of the head. */
export interface HeadRows {
  /** [rows, hidden] */
  x: np.Array;
  /** [rows], int32 */
  targets: np.Array;
  /** 1 / temperature, [rows, 1]; null where all are 1. */
  inverse: np.Array | null;
  /** Those that are no padding. */
  rows: PaddedPart['rows'];
}

/** Calls `use` for every `headRows` rows of a rectangle, with their hidden states and temperatures. */
export async function byHeadRows(
  { hiddenSize: d, vocabSize }: PolicyConfig,
  batch: PackedBatch,
  { part, output }: HeadInput,
  use: (given: HeadRows) => Promise<void>,
): Promise<void> {
  const most = headRows(vocabSize);
  for (let from = 0; from < part.rows.length; from += most) {
    const rows = part.rows.slice(from, from + most);
    const x = new Float32Array(most * d);
    const targets = new Int32Array(most);
    rows.forEach(({ place, row }, i) => {
      x.set(output.subarray(row * d, (row + 1) * d), i * d);
      targets[i] = batch.targets[place]!;
    });
    const inverse = new Float32Array(most).fill(1);
    rows.forEach(({ place }, i) => (inverse[i] = 1 / (batch.temperatures?.[place] ?? 1)));
    await use({
      x: np.array(x, { shape: [most, d] }),
      targets: np.array(targets),
      inverse: batch.temperatures ? np.array(inverse, { shape: [most, 1] }) : null,
      rows,
    });
  }
}

import { packBatch, type PackedBatch } from '../../../src/policy/lora/train-batch.ts';

/** ‖a − b‖ / ‖b‖ */
export const relativeError = (a: ArrayLike<number>, b: ArrayLike<number>): number => {
  let [difference, size] = [0, 0];
  for (let i = 0; i < a.length; i++) {
    difference += (a[i]! - b[i]!) ** 2;
    size += b[i]! ** 2;
  }
  return Math.sqrt(difference / size);
};

/** A batch in which every token has weight 1, so that no row is left out; true weights come later. */
export const unweighted = (sequences: readonly { ids: readonly number[] }[]): PackedBatch =>
  packBatch(sequences.map(({ ids }) => ({ ids, weights: ids.map(() => 1) })));

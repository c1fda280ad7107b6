import { itemAt } from '../../base/items.ts';
import type { TokenRow } from './tokens.ts';

/** Texts of one run of the model, and tokens with padding, at most. */
const [BATCH, BATCH_TOKENS] = [32, 8192];

/**
 * Rows in batches of similar length, shortest first, so that little of a run is padding: places of
 * rows, batch by batch.
 */
export function batchesByLength(rows: readonly TokenRow[], maxTokens: number): number[][] {
  const width = (place: number): number => Math.min(maxTokens, itemAt(rows, place).ids.length);
  const order = [...rows.keys()].sort((a, b) => width(a) - width(b) || a - b);
  const batches: number[][] = [];
  let batch: number[] = [];
  for (const place of order) {
    // In this order the row that comes is the longest of its batch.
    if (batch.length === BATCH || (batch.length + 1) * width(place) > BATCH_TOKENS) {
      if (batch.length > 0) batches.push(batch);
      batch = [];
    }
    batch.push(place);
  }
  if (batch.length > 0) batches.push(batch);
  return batches;
}

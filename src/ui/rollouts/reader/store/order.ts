import type { Reading } from '../../../../lab/contract/rollouts.ts';
import { ORDER_KEY } from '../../store/order-key.ts';

/** Which rollout comes before and after: as the table stands that was left, else as the file has them. */

/** What lies around a rollout. */
export interface Neighbours {
  previous: string | null;
  next: string | null;
  /** From 0, and of how many. */
  position: number;
  count: number;
  /** The order is that of the table. */
  selected: boolean;
}

/** The table's order for a file; null where there is none or what is stored is not an order. */
export const readOrder = (text: string | null, fileId: string): string[] | null => {
  if (text === null) return null;
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null) return null;
    if (!('fileId' in value) || value.fileId !== fileId) return null;
    if (!('ids' in value) || !Array.isArray(value.ids)) return null;
    return value.ids.filter((id): id is string => typeof id === 'string');
  } catch {
    return null;
  }
};

/** Neighbours in an order, or in the file where that is null or does not hold the rollout. */
export const neighboursIn = (
  order: readonly string[] | null,
  {
    row,
    position,
    previous,
    next,
    file,
  }: Pick<Reading, 'row' | 'position' | 'previous' | 'next' | 'file'>,
): Neighbours => {
  const at = order?.indexOf(row.row.id) ?? -1;
  if (!order || at < 0) return { previous, next, position, count: file.rollouts, selected: false };
  return {
    previous: order[at - 1] ?? null,
    next: order[at + 1] ?? null,
    position: at,
    count: order.length,
    selected: true,
  };
};

/** The order that the table left for a file; null where there is none. */
export const storedOrder = (fileId: string): string[] | null => {
  try {
    return readOrder(sessionStorage.getItem(ORDER_KEY), fileId);
  } catch {
    // Storage may be forbidden; the file's order is always there.
    return null;
  }
};

import type { Reading } from '../../../../lab/contract/rollouts.ts';
import { ORDER_KEY } from '../../store/browse-address.ts';

/** Previous and next rollout: in the order of the table, else of the file. */

/** Neighbours of a rollout. */
export interface Neighbours {
  previous: string | null;
  next: string | null;
  /** 0-based position, and total. */
  position: number;
  count: number;
  /** In the table's order. */
  selected: boolean;
}

/** The table's stored order for a file; null if absent or invalid. */
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

/** Neighbours in an order, or in the file if it is null or lacks the rollout. */
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

/** The stored table order of a file; null without one. */
export const storedOrder = (fileId: string): string[] | null => {
  try {
    return readOrder(sessionStorage.getItem(ORDER_KEY), fileId);
  } catch {
    // Storage may be blocked; the file's order always works.
    return null;
  }
};

import { create } from 'zustand';
import { remember, remembered } from '../../kit/page/remembered.ts';

/** Widths that the reader gave to columns, by name; kept in this browser. */

const KEY = 'forage-column-widths';
/** CSS pixels of a column: less could not be gripped again. */
export const LEAST_WIDTH = 44;
/** CSS pixels. */
export const MOST_WIDTH = 1200;

const read = (): Record<string, number> => {
  try {
    const parsed: unknown = JSON.parse(remembered(KEY) ?? '{}');
    if (typeof parsed !== 'object' || parsed === null) return {};
    return Object.fromEntries(
      Object.entries(parsed).filter(
        (entry): entry is [string, number] =>
          typeof entry[1] === 'number' && entry[1] >= LEAST_WIDTH && entry[1] <= MOST_WIDTH,
      ),
    );
  } catch {
    return {};
  }
};

/** Widths by column, CSS pixels; absent: the column’s own. */
export const useWidths = create<Record<string, number>>()(() => read());

/** Sets a width within its bounds; `keepWidths` remembers it, once it is not dragged any more. */
export const setWidth = (column: string, width: number): void => {
  const fit = Math.round(Math.min(MOST_WIDTH, Math.max(LEAST_WIDTH, width)));
  useWidths.setState({ [column]: fit });
};

/** To be called when a column has its new width. */
export const keepWidths = (): void => {
  remember(KEY, JSON.stringify(useWidths.getState()));
};

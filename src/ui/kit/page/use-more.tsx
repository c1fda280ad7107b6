import { useState, type ReactNode } from 'react';
import { formatCount } from '../words/format.ts';

/**
 * The first rows of a list, and a button for more; null once all are shown.
 * @param page rows shown at first, and added by each click: as many as render without blocking
 */
export const useMore = <T,>(
  all: readonly T[],
  page: number,
): { rows: readonly T[]; more: ReactNode } => {
  const [shown, setShown] = useState(page);
  const more =
    all.length > shown ? (
      <button type="button" className="link" onClick={() => setShown(shown + page)}>
        Show more of {formatCount(all.length)}
      </button>
    ) : null;
  return { rows: all.slice(0, shown), more };
};

/** Table cells that render at once without blocking. */
const CELLS = 500;

/** Rows per page for a number of cells per row. */
export const pageOf = (cells: number): number => Math.max(5, Math.floor(CELLS / cells));

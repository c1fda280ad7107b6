import { useState, type ReactNode } from 'react';
import { formatCount } from '../words/format.ts';

/**
 * The first rows of a list, and the button that shows as many more; it is null once all are shown.
 * @param page rows that are shown at first, and added by each press: as many as are painted at once without holding the page up
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

/** Cells of a table that are painted at once. */
const CELLS = 500;

/** Rows of a page where each has this many cells. */
export const pageOf = (cells: number): number => Math.max(5, Math.floor(CELLS / cells));

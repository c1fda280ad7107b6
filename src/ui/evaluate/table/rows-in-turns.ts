import { useEffect, useRef, useState } from 'react';
import type { TableRow } from '../../../evaluate/systems/table/shape.ts';

/** Rows that change in one frame: style, layout and paint of sixty at once hold the page up for a tenth of a second. */
const ROWS_A_FRAME = 8;

/** Rows as text without the columns of a standing one, by which they are compared; each is written once. */
const texts = new WeakMap<TableRow, string>();
const textOf = (row: TableRow): string => {
  const known = texts.get(row) ?? JSON.stringify({ ...row, columns: undefined });
  texts.set(row, known);
  return known;
};

/** A row as it is on the page, with the columns it was drawn for. */
export interface StandingRow extends TableRow {
  /** JSON of the columns and where their bars end: an end that moves has every row drawn again, in turns as well. */
  columns: string;
}

/**
 * The rows to show next: those that already are as they should stay the same objects, at most `count` others are
 * taken over, and the rest stay as they were, or away.
 */
export function takeRows(
  shown: readonly StandingRow[],
  wanted: readonly TableRow[],
  columns: string,
  count: number,
): { rows: StandingRow[]; left: boolean } {
  const standing = new Map(shown.map((one) => [one.system, one]));
  let [taken, left] = [0, false];
  const rows = wanted.flatMap((row) => {
    const old = standing.get(row.system);
    if (old?.columns === columns && textOf(old) === textOf(row)) return [old];
    if (taken < count) {
      taken += 1;
      const next = { ...row, columns };
      texts.set(next, textOf(row));
      return [next];
    }
    left = true;
    return old ? [old] : [];
  });
  return { rows, left };
}

/** Tables that wait for a frame of their own, one after another. */
const waiting = new Set<() => boolean>();
let running = false;

/** One table has its turn in a frame. */
const frame = (): void => {
  const [first] = waiting;
  running = first !== undefined;
  if (!first) return;
  waiting.delete(first);
  // One of which more is left goes after the others.
  if (first()) waiting.add(first);
  requestAnimationFrame(frame);
};

/** @param take whether more is left */
const inFrames = (take: () => boolean): (() => void) => {
  waiting.add(take);
  if (!running) {
    running = true;
    requestAnimationFrame(frame);
  }
  return () => waiting.delete(take);
};

/** Rows of a table that is computed again and again, some changing with each frame, until all are as wanted. */
export const useRowsInTurns = (
  wanted: readonly TableRow[],
  columns: string,
): readonly StandingRow[] => {
  const [shown, setShown] = useState(() => takeRows([], wanted, columns, ROWS_A_FRAME).rows);
  const latest = useRef(shown);
  useEffect(
    () =>
      inFrames(() => {
        const { rows, left } = takeRows(latest.current, wanted, columns, ROWS_A_FRAME);
        latest.current = rows;
        setShown(rows);
        return left;
      }),
    [wanted, columns],
  );
  return shown;
};

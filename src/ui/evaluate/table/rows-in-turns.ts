import { useEffect, useRef, useState } from 'react';
import type { TableRow } from '../../../evaluate/systems/table/shape.ts';

/** Rows updated per frame: sixty at once would block the page for a tenth of a second. */
const ROWS_A_FRAME = 8;

/** Rows as JSON without the reference's columns, for comparison; cached. */
const texts = new WeakMap<TableRow, string>();
const textOf = (row: TableRow): string => {
  const known = texts.get(row) ?? JSON.stringify({ ...row, columns: undefined });
  texts.set(row, known);
  return known;
};

/** A rendered row with its columns. */
export interface StandingRow extends TableRow {
  /** JSON of the columns and their bar ranges: a changed range re-renders every row, also in turns. */
  columns: string;
}

/**
 * The next rows to render: unchanged ones keep their objects, at most `count` others are updated, the
 * rest wait.
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

/** Tables waiting for a frame. */
const waiting = new Set<() => boolean>();
let running = false;

/** One table per frame. */
const frame = (): void => {
  const [first] = waiting;
  running = first !== undefined;
  if (!first) return;
  waiting.delete(first);
  // An unfinished one goes to the end of the queue.
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

/** Updates the rows of a changing table a few per frame, until all are current. */
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

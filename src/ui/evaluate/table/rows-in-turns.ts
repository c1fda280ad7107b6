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
export interface RenderedRow extends TableRow {
  /** JSON of the columns and their bar ranges: a changed range re-renders every row, also in turns. */
  columns: string;
}

/**
 * The next rows to render: unchanged ones keep their objects, at most `count` others are updated, the
 * rest wait.
 */
export function nextRows(
  shown: readonly RenderedRow[],
  target: readonly TableRow[],
  columns: string,
  count: number,
): { rows: RenderedRow[]; left: boolean } {
  const standing = new Map(shown.map((one) => [one.system, one]));
  let [taken, left] = [0, false];
  const rows = target.flatMap((row) => {
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
  target: readonly TableRow[],
  columns: string,
): readonly RenderedRow[] => {
  const [shown, setShown] = useState(() => nextRows([], target, columns, ROWS_A_FRAME).rows);
  const latest = useRef(shown);
  useEffect(
    () =>
      inFrames(() => {
        const { rows, left } = nextRows(latest.current, target, columns, ROWS_A_FRAME);
        latest.current = rows;
        setShown(rows);
        return left;
      }),
    [target, columns],
  );
  return shown;
};

import { textPattern } from '../../../../evaluate/rollouts/reading/spans.ts';

/** A long text as rows of equal height, made a slice at a time, so that 20 MB never hold up the page. */

export interface RawRows {
  count: number;
  /** Segment of each row, and where in its text the row begins. */
  segment: Int32Array;
  start: Int32Array;
}

/** Characters between two chances to pause. */
const SLICE = 200_000;

/** Signs that take two cells: CJK, Hangul, full-width forms, most pictographs. */
const isWide = (code: number): boolean =>
  (code >= 0x1100 && code <= 0x115f) ||
  (code >= 0x2e80 && code <= 0xa4cf) ||
  (code >= 0xac00 && code <= 0xd7a3) ||
  (code >= 0xf900 && code <= 0xfaff) ||
  (code >= 0xfe30 && code <= 0xfe6f) ||
  (code >= 0xff00 && code <= 0xff60) ||
  code >= 0x1f000;

/** Where the row ends that begins at `from`: at most `columns` cells, and no sign cut in half. */
function rowEnd(text: string, from: number, to: number, columns: number): number {
  let [at, cells] = [from, 0];
  while (at < to) {
    const code = text.codePointAt(at)!;
    // A tab is shown at its widest; a control sign by its number, which is eight signs long.
    const width = code === 9 ? 4 : code < 32 ? 8 : isWide(code) ? 2 : 1;
    if (cells + width > columns && at > from) return at;
    cells += width;
    at += code > 0xffff ? 2 : 1;
  }
  return to;
}

class Growing {
  values = new Int32Array(1024);
  length = 0;

  push(value: number): void {
    if (this.length === this.values.length) {
      const larger = new Int32Array(this.length * 2);
      larger.set(this.values);
      this.values = larger;
    }
    this.values[this.length++] = value;
  }
}

/**
 * Rows of texts, each text beginning a row: lines, and pieces of lines longer than `columns` cells.
 * Yields after every slice, and returns the rows.
 */
export function* layoutRows(
  texts: readonly string[],
  columns: number,
): Generator<void, RawRows, void> {
  const [segment, start] = [new Growing(), new Growing()];
  let since = 0;
  for (const [s, text] of texts.entries()) {
    let at = 0;
    while (at < text.length) {
      const newline = text.indexOf('\n', at);
      const end = newline < 0 ? text.length : newline;
      do {
        segment.push(s);
        start.push(at);
        const stop = rowEnd(text, at, end, columns);
        since += stop - at + 1;
        at = stop;
        if (since < SLICE) continue;
        since = 0;
        yield;
      } while (at < end);
      if (newline >= 0) at = end + 1;
    }
  }
  return {
    count: segment.length,
    segment: segment.values.subarray(0, segment.length),
    start: start.values.subarray(0, start.length),
  };
}

/** Where a row's text ends, its line feed left out. */
export function rowStop(rows: RawRows, row: number, text: string): number {
  const next = row + 1 < rows.count && rows.segment[row + 1] === rows.segment[row];
  const end = next ? rows.start[row + 1]! : text.length;
  return end > rows.start[row]! && text[end - 1] === '\n' ? end - 1 : end;
}

/** The row that shows a place; the first where there are none. */
export function rowAt(rows: RawRows, segment: number, offset: number): number {
  let [low, high] = [0, rows.count - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    const before =
      rows.segment[middle]! < segment ||
      (rows.segment[middle] === segment && rows.start[middle]! <= offset);
    if (before) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Where a text was found: characters of one segment, up to but without `end`. */
export interface FoundText {
  segment: number;
  start: number;
  end: number;
}

/** Matches after which a search ends. */
export const MOST_FOUND = 10_000;

/** Occurrences of a text, whatever its case. Yields after every slice, and returns them. */
export function* findText(
  texts: readonly string[],
  needle: string,
): Generator<void, FoundText[], void> {
  const found: FoundText[] = [];
  if (needle === '') return found;
  const pattern = textPattern(needle);
  for (const [segment, text] of texts.entries()) {
    for (let from = 0; from < text.length; from += SLICE) {
      // A match may stand across the border of two slices.
      const slice = text.slice(from, from + SLICE + needle.length * 2);
      for (const { index, 0: match } of slice.matchAll(pattern)) {
        if (index >= SLICE) break;
        const start = from + index;
        const last = found.at(-1);
        if (last?.segment === segment && last.end > start) continue;
        found.push({ segment, start, end: start + match.length });
        if (found.length === MOST_FOUND) return found;
      }
      yield;
    }
  }
  return found;
}

/** Milliseconds of work between two chances for the page to answer. */
const TURN_MS = 10;

/** Runs a generator to its end in short turns. @returns null where it was stopped */
export async function inTurns<T>(
  work: Generator<void, T, void>,
  signal: AbortSignal,
): Promise<T | null> {
  for (;;) {
    const until = performance.now() + TURN_MS;
    while (performance.now() < until) {
      const step = work.next();
      if (step.done) return step.value;
    }
    await new Promise((resolve) => setTimeout(resolve, 0));
    if (signal.aborted) return null;
  }
}

import { numberOf } from './filter/match.ts';
import type { RolloutRow } from './row.ts';
import { ROW_NUMBER_NAMES } from './row-numbers.ts';

/** How a number is distributed over the rollouts of a file, and over those that pass a filter. */

export interface HistogramBin {
  /** Values of it: all that are `from`, or at least `from` and less than `to`. */
  from: number;
  to: number | null;
  /** Rollouts of the file, and of them those that pass. */
  all: number;
  shown: number;
  /** What a filter asks for them; null where a filter cannot name the number. */
  filter: string | null;
}

/** Rollouts whose record has the number, those whose record cannot say it, and the mean of the first. */
interface HistogramPart {
  known: number;
  unknown: number;
  mean: number | null;
}

export interface Histogram {
  /** The number; null where no record of the file has any. */
  column: string | null;
  /** Numbers that some record of the file has. */
  columns: string[];
  bins: HistogramBin[];
  all: HistogramPart;
  shown: HistogramPart;
}

/** Up to this many different values, each has its own bin. */
const MOST_VALUES = 12;
/** About as many bins otherwise. */
const BINS = 16;

/** 1, 2 or 5 times a power of ten, at least `raw`; of whole numbers 1 at least. */
function roundStep(raw: number, whole: boolean): number {
  const power = 10 ** Math.floor(Math.log10(raw));
  const factor = [1, 2, 5, 10].find((one) => one * power >= raw * (1 - 1e-9)) ?? 10;
  return whole ? Math.max(1, factor * power) : factor * power;
}

/** As a filter reads it back: 0.3, not 0.30000000000000004. */
const rounded = (value: number): number => Number(value.toPrecision(12));

/** Boundaries of bins that are equally wide and begin at round numbers; the last lies above every value. */
export function edgesOf(values: readonly number[]): number[] {
  let [low, high] = [Infinity, -Infinity];
  for (const value of values) [low, high] = [Math.min(low, value), Math.max(high, value)];
  const step = roundStep((high - low) / BINS, values.every(Number.isInteger));
  const first = Math.floor(low / step);
  const last = Math.floor(high / step) + 1;
  const edges = Array.from({ length: last - first + 1 }, (_, i) => rounded((first + i) * step));
  // Rounding may leave a value outside by its last digit.
  if ((edges[0] ?? low) > low) edges.unshift(rounded((first - 1) * step));
  if ((edges.at(-1) ?? high) <= high) edges.push(rounded((last + 1) * step));
  return edges;
}

/** Reward clauses may have names that a filter cannot write. */
const NAMED = /^[^\s()"=<>!]+$/;

/** A bin a value where there are few, else bins of equal width. */
function emptyBins(column: string, values: readonly number[]): HistogramBin[] {
  const distinct = [...new Set(values)].sort((a, b) => a - b);
  const none = { all: 0, shown: 0 };
  const asks = (filter: string): string | null => (NAMED.test(column) ? filter : null);
  if (distinct.length <= MOST_VALUES)
    return distinct.map((from) => ({
      ...none,
      from,
      to: null,
      filter: asks(`${column} = ${from}`),
    }));
  const edges = edgesOf(distinct);
  return edges.slice(0, -1).map((from, i) => {
    const to = edges[i + 1] ?? from;
    return { ...none, from, to, filter: asks(`${column} >= ${from} and ${column} < ${to}`) };
  });
}

/** The last bin that begins at or before the value. */
function binOf(bins: readonly HistogramBin[], value: number): HistogramBin | undefined {
  let [low, high] = [0, bins.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((bins[middle]?.from ?? Infinity) <= value) low = middle;
    else high = middle - 1;
  }
  return bins[low];
}

/** What is shown first: how good the answers are, else what they earned, else how long they took. */
const FIRST = ['f1', 'em', 'reward', 'searches'];

function partOf(values: readonly (number | null)[]): HistogramPart {
  let [sum, known] = [0, 0];
  for (const value of values) if (value !== null) [sum, known] = [sum + value, known + 1];
  return { known, unknown: values.length - known, mean: known === 0 ? null : sum / known };
}

/**
 * @param rows of the file
 * @param passing positions in it of those that pass
 * @param wanted name of the number; null, or one that no record has: one that suits the file
 */
export function histogramOf(
  rows: readonly RolloutRow[],
  passing: readonly number[],
  wanted: string | null,
): Histogram {
  const names = [
    ...ROW_NUMBER_NAMES,
    ...[...new Set(rows.flatMap(({ clauses }) => Object.keys(clauses)))]
      .sort()
      .map((clause) => `reward.${clause}`),
  ];
  const columns = names.filter((name) => rows.some((row) => numberOf(row, name) !== null));
  const column =
    [wanted, ...FIRST, ...columns].find((name) => name !== null && columns.includes(name)) ?? null;
  const values = rows.map((row) => (column === null ? null : numberOf(row, column)));
  const shownValues = passing.map((at) => values[at] ?? null);
  const known = values.filter((value) => value !== null);
  const bins = column === null ? [] : emptyBins(column, known);
  const add = (list: readonly (number | null)[], part: 'all' | 'shown'): void => {
    for (const value of list) {
      const bin = value === null ? undefined : binOf(bins, value);
      if (bin) bin[part] += 1;
    }
  };
  add(values, 'all');
  add(shownValues, 'shown');
  return { column, columns, bins, all: partOf(values), shown: partOf(shownValues) };
}

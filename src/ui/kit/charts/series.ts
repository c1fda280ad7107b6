import type { Point } from './downsample.ts';

/** What a chart draws, before it is made small. */

/** A line of a chart, or a part of a stack. */
export interface Series {
  /** Unique within the chart. */
  id: string;
  /** Direct label at the end of the line. */
  name: string;
  /** Number of the colour, from 0; see `--series-0` in the style sheet. */
  colour: number;
  points: readonly Point[];
  /** What is drawn in their place, with the points after it, fainter. */
  smoothed?: readonly Point[];
  /** Few measurements with steps between them: each is marked. */
  sparse?: boolean;
  /** 95 % interval at a point, drawn as a band. */
  interval?: ReadonlyMap<number, readonly [low: number, high: number]>;
}

/** What the numbers of an axis are, which decides how they are written. A share is 0 to 1 and shown in per cent. */
export type Unit = 'share' | 'number' | 'tokens' | 'seconds' | 'ms' | 'nats' | 'questions';

/** A chart as a page asks for it. */
export interface ChartSpec {
  id: string;
  title: string;
  /** What the numbers are, in a few words; shown beside the title. */
  note: string;
  unit: Unit;
  kind: 'lines' | 'stack';
  /** Powers of ten; only for values above 0. */
  log?: boolean;
  /** The axis holds these values at least. */
  include?: readonly number[];
  series: readonly Series[];
  /** A fixed value to compare with. */
  lines?: readonly { value: number; label: string }[];
  /** What is in place of the chart where there is nothing to draw. */
  empty: string;
}

/** Whether nothing was measured; `empty` then is in its place. */
export const isEmpty = ({ series }: ChartSpec): boolean =>
  series.every(({ points }) => points.length === 0);

/** First and last x over all series; null where there is no point. */
export const spanOf = (series: readonly Series[]): [number, number] | null => {
  let low = Infinity;
  let high = -Infinity;
  for (const { points } of series) {
    const first = points[0];
    const last = points.at(-1);
    if (!first || !last) continue;
    low = Math.min(low, first.x);
    high = Math.max(high, last.x);
  }
  return low <= high ? [low, high] : null;
};

/** Index of the point nearest to `x`; −1 where there is none. Points are in order of x. */
export const nearestIndex = (points: readonly Point[], x: number): number => {
  let low = 0;
  let high = points.length - 1;
  if (high < 0) return -1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (points[middle]!.x < x) low = middle + 1;
    else high = middle;
  }
  const before = points[low - 1];
  return before && x - before.x <= points[low]!.x - x ? low - 1 : low;
};

/** The value at exactly `x`; null where there was no measurement. */
export const valueAt = (points: readonly Point[], x: number): number | null => {
  const point = points[nearestIndex(points, x)];
  return point?.x === x ? point.y : null;
};

/** Every x at which a series has a value, in order, each once. */
export const allX = (series: readonly Series[]): number[] => {
  const seen = new Set<number>();
  for (const { points } of series) for (const { x } of points) seen.add(x);
  const xs = [...seen];
  // One series has them all as a rule, in order.
  const inOrder = xs.every((x, index) => index === 0 || xs[index - 1]! < x);
  return inOrder ? xs : xs.sort((a, b) => a - b);
};

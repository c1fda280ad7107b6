import type { Point } from './downsample.ts';

/** Chart data before downsampling. */

/** A line, or a layer of a stack. */
export interface Series {
  /** Unique within the chart. */
  id: string;
  /** Label at the end of the line. */
  name: string;
  /** Number of the colour, from 0; see `--series-0` in the style sheet. */
  colour: number;
  points: readonly Point[];
  /** Drawn instead, with the raw points behind, fainter. */
  smoothed?: readonly Point[];
  /** Sparse measurements: each gets a dot. */
  sparse?: boolean;
  /** 95 % interval at a point, drawn as a band. */
  interval?: ReadonlyMap<number, readonly [low: number, high: number]>;
}

/** The unit of an axis, which sets its number format. A share is 0 to 1 and shown in per cent. */
export type Unit = 'share' | 'number' | 'tokens' | 'seconds' | 'ms' | 'nats' | 'questions';

/** A chart as requested by a page. */
export interface ChartSpec {
  id: string;
  title: string;
  /** What the numbers are, in a few words; next to the title. */
  note: string;
  unit: Unit;
  /** What x counts, in the singular; absent: `step`. */
  axis?: string;
  kind: 'lines' | 'stack';
  /** Logarithmic axis; only for positive values. */
  log?: boolean;
  /** Values that the axis always includes. */
  include?: readonly number[];
  series: readonly Series[];
  /** A reference value. */
  lines?: readonly { value: number; label: string }[];
  /** Text if there is nothing to draw. */
  empty: string;
}

/** Whether nothing was measured; `empty` is then shown. */
export const isEmpty = ({ series }: ChartSpec): boolean =>
  series.every(({ points }) => points.length === 0);

/** First and last x over all series; null without points. */
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

/** Index of the point nearest to `x`; −1 if there is none. Points are sorted by x. */
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

/** The value at exactly `x`; null without a measurement. */
export const valueAt = (points: readonly Point[], x: number): number | null => {
  const point = points[nearestIndex(points, x)];
  return point?.x === x ? point.y : null;
};

/** Every x with a value in any series, sorted and distinct. */
export const allX = (series: readonly Series[]): number[] => {
  const seen = new Set<number>();
  for (const { points } of series) for (const { x } of points) seen.add(x);
  const xs = [...seen];
  // Usually one series has them all.
  const inOrder = xs.every((x, index) => index === 0 || xs[index - 1]! < x);
  return inOrder ? xs : xs.sort((a, b) => a - b);
};

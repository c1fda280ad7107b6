import type { Point } from './downsample.ts';
import type { ChartSpec, Series } from './series.ts';

/** View settings of a page's charts, and how they change what is drawn. */

export interface ChartLook {
  /** Weight of the past, from 0 (raw) to below 1. */
  smoothing: number;
  /** Logarithmic axis where possible. */
  log: boolean;
  /** First and last shown step; null: all. */
  span: readonly [number, number] | null;
}

/** Everything, unsmoothed. */
export const PLAIN_LOOK: ChartLook = { smoothing: 0, log: false, span: null };

/**
 * Exponential moving average with Adam's bias correction (arXiv 1412.6980, section 3): the first point
 * keeps its value.
 */
export const smooth = (points: readonly Point[], weight: number): Point[] => {
  let [sum, rest] = [0, 1];
  return points.map(({ x, y }) => {
    sum = weight * sum + (1 - weight) * y;
    rest *= weight;
    return { x, y: sum / (1 - rest) };
  });
};

const within =
  (span: ChartLook['span']) =>
  ({ x }: Point): boolean =>
    !span || (x >= span[0] && x <= span[1]);

/** A logarithmic axis only has positive values. */
const aboveZero = ({ interval, ...series }: Series): Series => {
  const kept = [...(interval ?? [])].filter(([, [low]]) => low > 0);
  return {
    ...series,
    points: series.points.filter(({ y }) => y > 0),
    ...(kept.length > 0 && { interval: new Map(kept) }),
  };
};

/** Sparse series are not smoothed. */
const smoothed = (series: Series, weight: number): Series =>
  weight <= 0 || series.sparse || series.points.length < 3
    ? series
    : { ...series, smoothed: smooth(series.points, weight) };

const canBeLog = ({ kind, series }: ChartSpec): boolean =>
  kind === 'lines' && series.some(({ points }) => points.some(({ y }) => y > 0));

/** The chart under these settings. Its readout keeps the measured numbers. */
export const applyView = (spec: ChartSpec, { smoothing, log, span }: ChartLook): ChartSpec => {
  if (smoothing <= 0 && !log && !span) return spec;
  const asLog = spec.log === true || (log && canBeLog(spec));
  const shown = span ? within(span) : null;
  const series = spec.series.map((one) => {
    // Smoothed before it is cut, so that zooming does not move the line.
    const soft = spec.kind === 'lines' ? smoothed(one, smoothing) : one;
    const cut = shown
      ? {
          ...soft,
          points: soft.points.filter(shown),
          ...(soft.smoothed && { smoothed: soft.smoothed.filter(shown) }),
        }
      : soft;
    return asLog ? aboveZero(cut) : cut;
  });
  return {
    ...spec,
    series: span || asLog ? series.filter(({ points }) => points.length > 0) : series,
    log: asLog,
    ...(asLog && spec.include && { include: spec.include.filter((value) => value > 0) }),
    ...(asLog && spec.lines && { lines: spec.lines.filter(({ value }) => value > 0) }),
    empty: span ? 'Nothing was measured in these steps.' : spec.empty,
  };
};

/** Half of the steps around one, or twice as many; null: all. */
export const zoomed = (
  [first, last]: readonly [number, number],
  whole: readonly [number, number],
  at: number,
  by: 'in' | 'out',
): ChartLook['span'] => {
  const width = Math.max(1, by === 'in' ? (last - first) / 2 : (last - first) * 2);
  const share = last === first ? 0.5 : (at - first) / (last - first);
  const low = Math.max(whole[0], Math.round(at - share * width));
  const high = Math.min(whole[1], Math.round(low + width));
  return low <= whole[0] && high >= whole[1] ? null : [low, high];
};

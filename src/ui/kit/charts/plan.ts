import { linearAxis, logAxis, placeOf, spreadLabels, stepTicks, type Axis } from './axis.ts';
import {
  bandBuckets,
  envelopeBuckets,
  meanBuckets,
  type PlotPoint,
  type Row,
} from './downsample.ts';
import { spanOf, type ChartSpec, type Series } from './series.ts';

/** The drawing plan of a chart: downsampled points, axes, and label positions. */

export interface ChartPlan {
  /** First and last step. */
  span: readonly [number, number];
  xTicks: number[];
  axis: Axis;
  /** Points to draw per series, in order. */
  lines: readonly (readonly PlotPoint[])[];
  /** Raw values under a smoothed line; otherwise empty. */
  behind: readonly (readonly PlotPoint[])[];
  /** Most measurements combined in one point. */
  stepsAPoint: number;
  /** Rows of a stack; `parts` in series order. Empty for lines. */
  rows: readonly Row[];
}

/** About one bucket per three pixels, because drawing time grows with the points. */
const BUCKETS = 120;

/** The points to draw, with the series' own intervals if it has some. */
const measuredOf = ({ points, interval }: Series): PlotPoint[] =>
  interval
    ? bandBuckets(
        points.map((point) => {
          const found = interval.get(point.x);
          return found ? { ...point, interval: found } : point;
        }),
        BUCKETS,
      )
    : envelopeBuckets(points, BUCKETS);

/** A smoothed line has no band; the raw values are drawn under it. */
const pointsOf = (series: Series): PlotPoint[] =>
  series.smoothed
    ? envelopeBuckets(series.smoothed, BUCKETS).map(({ x, y }) => ({ x, y }))
    : measuredOf(series);

/** Rows of a stack: every series has a point at every x. */
const rowsOf = (series: readonly Series[]): Row[] =>
  (series[0]?.points ?? []).map(({ x }, index) => ({
    x,
    parts: series.map(({ points }) => points[index]?.y ?? 0),
  }));

/** Lowest and highest drawn value; only positive values for a logarithmic axis. */
const extremesOf = (
  spec: ChartSpec,
  lines: readonly (readonly PlotPoint[])[],
  rows: readonly Row[],
): [number, number] => {
  let [low, high] = [Infinity, -Infinity];
  const take = (value: number) => {
    if (!Number.isFinite(value) || (spec.log && value <= 0)) return;
    low = Math.min(low, value);
    high = Math.max(high, value);
  };
  for (const points of lines)
    for (const { y, interval } of points) {
      take(y);
      interval?.forEach(take);
    }
  if (spec.kind === 'stack') take(0);
  for (const { parts } of rows) take(parts.reduce((sum, part) => sum + part, 0));
  spec.include?.forEach(take);
  spec.lines?.forEach(({ value }) => take(value));
  return [low, high];
};

/** Shares stay within 0 and 1 if their values do; a tick above 100 % would mislead. */
const axisOf = (spec: ChartSpec, [low, high]: readonly [number, number]): Axis => {
  if (spec.log && low > 0 && high < Infinity) return logAxis(low, high);
  return linearAxis(low, spec.unit === 'share' && high > 0.9 && high <= 1 ? 1 : high);
};

const share = (measured: readonly unknown[], drawn: readonly unknown[]): number =>
  Math.round(measured.length / Math.max(1, drawn.length));

/** @returns null if there is nothing to draw */
export const planChart = (spec: ChartSpec): ChartPlan | null => {
  const span = spanOf(spec.series);
  if (!span) return null;
  const stack = spec.kind === 'stack';
  const lines = stack ? [] : spec.series.map(pointsOf);
  const behind = spec.series.map((one) => (one.smoothed ? measuredOf(one) : []));
  const rows = stack ? meanBuckets(rowsOf(spec.series), BUCKETS) : [];
  return {
    span,
    xTicks: stepTicks(span[0], span[1]),
    axis: axisOf(spec, extremesOf(spec, [...lines, ...behind], rows)),
    lines,
    behind,
    rows,
    stepsAPoint: Math.max(
      1,
      ...spec.series.map(({ points }, i) => share(points, lines[i] ?? rows)),
    ),
  };
};

/** The label of a series, right of its last point. `index` is its position in the chart. */
export interface EndLabel {
  index: number;
  /** Pixels from the top of the plot. */
  y: number;
}

const LABEL_GAP = 13;

/** Positions of the labels: at the last values, moved apart. */
export const endLabels = (spec: ChartSpec, plan: ChartPlan, height: number): EndLabel[] => {
  const last = plan.rows.at(-1)?.parts ?? [];
  let below = 0;
  const desired = spec.series.map(({ points, smoothed }, index) => {
    const value =
      spec.kind === 'stack'
        ? // The middle of its layer.
          (below += last[index] ?? 0) - (last[index] ?? 0) / 2
        : ((smoothed?.at(-1) ?? points.at(-1))?.y ?? plan.axis.low);
    return (1 - placeOf(plan.axis, value)) * height;
  });
  return spreadLabels(desired, LABEL_GAP, 0, height).map((y, index) => ({ index, y }));
};

import { linearAxis, logAxis, placeOf, spreadLabels, stepTicks, type Axis } from './axis.ts';
import { meanBuckets, minMaxBuckets, type Point, type Row } from './downsample.ts';
import { spanOf, type ChartSpec, type Series } from './series.ts';

/** What is drawn of a chart: few enough points, axes, and where the labels stand. */

export interface PlotPoint extends Point {
  interval?: readonly [low: number, high: number];
}

export interface ChartPlan {
  /** First and last step. */
  span: readonly [number, number];
  xTicks: number[];
  axis: Axis;
  /** Points to draw of each series, in the order of the series. */
  lines: readonly (readonly PlotPoint[])[];
  /** Rows of a stack; `parts` in the order of the series. Empty for lines. */
  rows: readonly Row[];
}

/** Twice as many points as this at most: about one bucket for every two pixels of a wide chart. */
const BUCKETS = 240;

const withIntervals = (points: readonly Point[], { interval }: Series): PlotPoint[] =>
  points.map((point) => {
    const found = interval?.get(point.x);
    return found ? { ...point, interval: found } : point;
  });

/** Rows of a stack: every series has a point at every x, as the specs make them. */
const rowsOf = (series: readonly Series[]): Row[] =>
  (series[0]?.points ?? []).map(({ x }, index) => ({
    x,
    parts: series.map(({ points }) => points[index]?.y ?? 0),
  }));

const valuesOf = (
  spec: ChartSpec,
  lines: readonly (readonly PlotPoint[])[],
  rows: readonly Row[],
): number[] => {
  const drawn =
    spec.kind === 'stack'
      ? [0, ...rows.map(({ parts }) => parts.reduce((sum, part) => sum + part, 0))]
      : lines.flatMap((points) => points.flatMap(({ y, interval }) => [y, ...(interval ?? [])]));
  const fixed = [...(spec.include ?? []), ...(spec.lines ?? []).map(({ value }) => value)];
  return [...drawn, ...fixed].filter(Number.isFinite);
};

const extremes = (values: readonly number[]): [number, number] =>
  values.reduce<[number, number]>(
    ([low, high], value) => [Math.min(low, value), Math.max(high, value)],
    [Infinity, -Infinity],
  );

/** Shares keep within 0 and 1 where their values do; a tick above 100 % would claim too much. */
const axisOf = (spec: ChartSpec, values: readonly number[]): Axis => {
  const [low, high] = extremes(spec.log ? values.filter((value) => value > 0) : values);
  if (spec.log && low > 0) return logAxis(low, high);
  return linearAxis(low, spec.unit === 'share' && high > 0.9 && high <= 1 ? 1 : high);
};

/** @returns null where there is nothing to draw */
export const planChart = (spec: ChartSpec): ChartPlan | null => {
  const span = spanOf(spec.series);
  if (!span) return null;
  const stack = spec.kind === 'stack';
  const lines = stack
    ? []
    : spec.series.map((series) => withIntervals(minMaxBuckets(series.points, BUCKETS), series));
  const rows = stack ? meanBuckets(rowsOf(spec.series), BUCKETS) : [];
  const values = valuesOf(spec, lines, rows);
  return {
    span,
    xTicks: stepTicks(span[0], span[1]),
    axis: axisOf(spec, values),
    lines,
    rows,
  };
};

export interface EndLabel {
  index: number;
  /** Pixels from the top of the plot. */
  y: number;
}

const LABEL_GAP = 13;

/** Where the label of each series stands: at its last value, moved apart from the others. */
export const endLabels = (spec: ChartSpec, plan: ChartPlan, height: number): EndLabel[] => {
  const last = plan.rows.at(-1)?.parts ?? [];
  let below = 0;
  const wanted = spec.series.map(({ points }, index) => {
    const value =
      spec.kind === 'stack'
        ? // The middle of its layer.
          (below += last[index] ?? 0) - (last[index] ?? 0) / 2
        : (points.at(-1)?.y ?? plan.axis.low);
    return (1 - placeOf(plan.axis, value)) * height;
  });
  return spreadLabels(wanted, LABEL_GAP, 0, height).map((y, index) => ({ index, y }));
};

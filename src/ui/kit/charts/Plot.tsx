import { memo } from 'react';
import {
  Area,
  CartesianGrid,
  ComposedChart,
  ErrorBar,
  Line,
  ReferenceLine,
  XAxis,
  YAxis,
} from 'recharts';
import { formatCount } from '../words/format.ts';
import type { PlotPoint } from './downsample.ts';
import type { ChartPlan } from './plan.ts';
import type { ChartSpec, Series } from './series.ts';
import { formatTick } from './units.ts';

/** Margins of the plot in pixels; line labels are at the right. */
export const PAD = { top: 8, left: 52, bottom: 20 } as const;

const colourOf = ({ colour }: Series): string => `var(--series-${colour % 8})`;

const TICK = { fill: 'var(--dim)', fontSize: 11 };

/** Dots for sparse measurements, because a single point has no line; not clipped at the edges. */
const dotsOf = (series: Series) =>
  (series.sparse && series.points.length <= 200) || series.points.length === 1
    ? { r: 1.8, strokeWidth: 0, clipDot: false }
    : false;

const intervalsOf = (data: ChartPlan['lines'][number]) =>
  data.filter(({ interval }) => interval !== undefined);

/** Distances of a point from the ends of its interval. */
const reachOf = ({ y, interval: [low, high] = [y, y] }: PlotPoint): [number, number] => [
  y - low,
  high - y,
];

const lineOf = (series: Series, plan: ChartPlan, index: number) => {
  const data = plan.lines[index] ?? [];
  return (
    <Line
      key={series.id}
      data={[...data]}
      dataKey="y"
      type="linear"
      stroke={colourOf(series)}
      fill={colourOf(series)}
      strokeWidth={series.sparse ? 1.6 : 1.1}
      dot={dotsOf(series)}
      activeDot={false}
      isAnimationActive={false}
    >
      {/* The band of a single point has no width. */}
      {intervalsOf(data).length === 1 ? (
        <ErrorBar
          dataKey={(point: PlotPoint) => reachOf(point)}
          direction="y"
          width={4}
          stroke={colourOf(series)}
          strokeWidth={1.1}
          isAnimationActive={false}
        />
      ) : null}
    </Line>
  );
};

/** Raw values, drawn under the smoothed line. */
const behindOf = (series: Series, plan: ChartPlan, index: number) => {
  const data = plan.behind[index] ?? [];
  return data.length > 0 ? (
    <Line
      key={`${series.id} measured`}
      data={[...data]}
      dataKey="y"
      type="linear"
      stroke={colourOf(series)}
      strokeOpacity={0.3}
      strokeWidth={0.8}
      dot={false}
      activeDot={false}
      isAnimationActive={false}
    />
  ) : null;
};

/** The interval of an estimate, or the range of the steps that a point combines. */
const bandOf = (series: Series, plan: ChartPlan, index: number) => {
  const data = intervalsOf(plan.lines[index] ?? []);
  return data.length > 1 ? (
    <Area
      key={`${series.id} interval`}
      data={data}
      dataKey="interval"
      type="linear"
      stroke="none"
      fill={colourOf(series)}
      fillOpacity={0.14}
      dot={false}
      activeDot={false}
      isAnimationActive={false}
    />
  ) : null;
};

const layersOf = (spec: ChartSpec) =>
  spec.series.map((series, index) => (
    <Area
      key={series.id}
      dataKey={`parts[${index}]`}
      stackId="all"
      type="linear"
      stroke={colourOf(series)}
      strokeWidth={0.8}
      fill={colourOf(series)}
      fillOpacity={0.55}
      dot={false}
      activeDot={false}
      isAnimationActive={false}
    />
  ));

interface PlotProps {
  spec: ChartSpec;
  plan: ChartPlan;
  width: number;
  height: number;
  /** Pixels at the right for labels. */
  right: number;
}

/** Only the drawing; hover and selection are overlays and never redraw it. */
export const Plot = memo(({ spec, plan, width, height, right }: PlotProps) => (
  <ComposedChart
    width={width}
    height={height}
    data={spec.kind === 'stack' ? [...plan.rows] : []}
    margin={{ top: PAD.top, left: 0, right, bottom: 0 }}
    accessibilityLayer={false}
  >
    <CartesianGrid stroke="var(--line)" vertical={false} />
    <XAxis
      dataKey="x"
      type="number"
      domain={[plan.span[0], plan.span[1]]}
      ticks={plan.xTicks}
      interval={0}
      tickFormatter={formatCount}
      tick={TICK}
      tickLine={false}
      axisLine={{ stroke: 'var(--line-strong)' }}
      height={PAD.bottom}
      allowDataOverflow
    />
    <YAxis
      type="number"
      scale={plan.axis.log ? 'log' : 'linear'}
      domain={[plan.axis.low, plan.axis.high]}
      ticks={plan.axis.ticks}
      interval={0}
      tickFormatter={(value: number) => formatTick(value, spec.unit)}
      tick={TICK}
      tickLine={false}
      axisLine={false}
      width={PAD.left}
      allowDataOverflow
    />
    {spec.kind === 'stack' ? layersOf(spec) : spec.series.map((s, i) => bandOf(s, plan, i))}
    {spec.kind === 'stack' ? null : spec.series.map((s, i) => behindOf(s, plan, i))}
    {spec.kind === 'stack' ? null : spec.series.map((s, i) => lineOf(s, plan, i))}
    {(spec.lines ?? []).map(({ value, label }) => (
      <ReferenceLine
        key={label}
        y={value}
        stroke="var(--dim)"
        strokeDasharray="4 3"
        ifOverflow="extendDomain"
      />
    ))}
  </ComposedChart>
));

import { useElementSize } from '@mantine/hooks';
import {
  Fragment,
  memo,
  useEffect,
  useMemo,
  useRef,
  useState,
  type KeyboardEvent,
  type PointerEvent,
} from 'react';
import { formatCount } from '../words/format.ts';
import { takeTurn, useTurn } from '../turns.ts';
import { ChartTable } from './ChartTable.tsx';
import { applyView, zoomed } from './chart-view.ts';
import { useCharts, useChartsStore } from './charts-store.tsx';
import { endLabels, planChart, type ChartPlan } from './plan.ts';
import { PAD, Plot } from './Plot.tsx';
import { Terms } from '../words/explain/Term.tsx';
import { SaveChart } from './picture/SaveChart.tsx';
import {
  allX,
  isEmpty,
  nearestIndex,
  spanOf,
  valueAt,
  type ChartSpec,
  type Series,
} from './series.ts';
import { formatValue } from './units.ts';

const HEIGHT = 168;
const PLOT_HEIGHT = HEIGHT - PAD.top - PAD.bottom;
/** Approximate width of a label's character. */
const CHARACTER = 6.1;

/** Room for the longest label with its value. */
const labelWidth = ({ series, unit }: ChartSpec): number => {
  const longest = Math.max(
    0,
    ...series.map(
      ({ name, points }) => `${name} ${formatValue(points.at(-1)?.y ?? null, unit)}`.length,
    ),
  );
  return Math.min(168, Math.ceil(longest * CHARACTER) + 14);
};

const inkOf = ({ colour }: Series): string => `var(--series-ink-${colour % 8})`;

/** Whether the element was ever near the screen: charts below are drawn on demand. */
const useNear = () => {
  const element = useRef<HTMLDivElement>(null);
  const [near, setNear] = useState(false);
  useEffect(() => {
    if (!element.current) return undefined;
    let takeBack = (): void => undefined;
    const observer = new IntersectionObserver(
      ([entry]) => {
        takeBack();
        takeBack = takeTurn(() => setNear(entry?.isIntersecting ?? false));
      },
      { rootMargin: '300px' },
    );
    observer.observe(element.current);
    return () => {
      takeBack();
      observer.disconnect();
    };
  }, []);
  return { element, near };
};

const EndLabels = memo(({ spec, plan }: { spec: ChartSpec; plan: ChartPlan }) => (
  <div className="chart-labels" aria-hidden="true" style={{ top: PAD.top, height: PLOT_HEIGHT }}>
    {endLabels(spec, plan, PLOT_HEIGHT).map(({ index, y }) => {
      const series = spec.series[index];
      return series ? (
        <span key={series.id} style={{ top: y, color: inkOf(series) }}>
          {series.name} <b>{formatValue(series.points.at(-1)?.y ?? null, spec.unit)}</b>
        </span>
      ) : null;
    })}
  </div>
));

/** The values at one step, from the measurements, not from the drawn points. */
const Readout = ({ spec, step }: { spec: ChartSpec; step: number }) => (
  <span className="chart-readout">
    <span className="fine">
      {spec.axis ?? 'step'} {step}
    </span>{' '}
    {spec.series.map((series) => {
      const value = valueAt(series.points, step);
      return value === null ? null : (
        <Fragment key={series.id}>
          <span style={{ color: inkOf(series) }}>
            {series.name} <b>{formatValue(value, spec.unit)}</b>
          </span>{' '}
        </Fragment>
      );
    })}
  </span>
);

const readoutText = ({ series, unit, axis = 'step' }: ChartSpec, step: number): string =>
  `${axis} ${step}: ${series
    .flatMap(({ name, points }) => {
      const value = valueAt(points, step);
      return value === null ? [] : [`${name} ${formatValue(value, unit)}`];
    })
    .join(', ')}`;

/** Note if there are more steps than pixels; null if each step has a point. */
const thinned = (plan: ChartPlan | null): string | null =>
  plan && plan.stepsAPoint > 1
    ? `line: mean over ${formatCount(plan.stepsAPoint)} steps; band: their range`
    : null;

const moveTo = (key: string, at: number, count: number): number | null => {
  const page = Math.max(1, Math.round(count / 10));
  const moves: Record<string, number> = {
    ArrowRight: at + 1,
    ArrowUp: at + 1,
    ArrowLeft: at - 1,
    ArrowDown: at - 1,
    PageUp: at + page,
    PageDown: at - page,
    Home: 0,
    End: count - 1,
  };
  const next = moves[key];
  return next === undefined ? null : Math.max(0, Math.min(count - 1, next));
};

/** Shorter pointer moves are clicks. */
const DRAG = 8;

interface AreaProps {
  spec: ChartSpec;
  plan: ChartPlan;
  /** First and last step without zoom. */
  whole: readonly [number, number];
  width: number;
  right: number;
  selected: number | null;
  store: ReturnType<typeof useChartsStore>;
  pick: ((step: number) => void) | undefined;
}

/** The plot with its overlays: labels, crosshair, selected step. */
const ChartArea = (props: AreaProps) => {
  const { spec, plan, whole, width, right, selected, store } = props;
  const hovered = useCharts(store, (state) => state.hovered);
  const [pulled, setPulled] = useState<{ from: number; to: number } | null>(null);
  const xs = useMemo(() => allX(spec.series).map((x) => ({ x, y: 0 })), [spec.series]);
  const inner = Math.max(1, width - PAD.left - right);
  const [first, last] = plan.span;
  const hover = (step: number | null) => store.setState({ hovered: step });
  const left = (step: number) =>
    PAD.left + (last === first ? inner / 2 : ((step - first) / (last - first)) * inner);
  const pixelOf = (event: PointerEvent): number =>
    event.clientX - event.currentTarget.getBoundingClientRect().left;
  const stepAt = (pixel: number): number | null => {
    const share = (pixel - PAD.left) / inner;
    if (share < -0.02 || share > 1.02) return null;
    return xs[nearestIndex(xs, first + share * (last - first))]?.x ?? null;
  };
  const onPointerUp = (event: PointerEvent) => {
    const pull = pulled;
    setPulled(null);
    if (!pull) return;
    const to = pixelOf(event);
    if (Math.abs(to - pull.from) < DRAG) {
      const step = stepAt(to);
      if (step !== null) props.pick?.(step);
      return;
    }
    const held = (pixel: number) => Math.min(PAD.left + inner, Math.max(PAD.left, pixel));
    const ends = [stepAt(held(pull.from)), stepAt(held(to))].filter((step) => step !== null);
    const [low, high] = [Math.min(...ends), Math.max(...ends)];
    if (ends.length === 2 && low < high) store.setState({ span: [low, high] });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const zoom = { '+': 'in', '=': 'in', '-': 'out', '−': 'out' }[event.key];
    if (zoom === 'in' || zoom === 'out') {
      const at = hovered ?? selected ?? last;
      store.setState({ span: zoomed(plan.span, whole, at, zoom) });
      event.stopPropagation();
      return;
    }
    if (event.key === '0') return store.setState({ span: null });
    if (event.key === 'Enter' && hovered !== null) props.pick?.(hovered);
    const from = hovered ?? selected;
    const at = from === null ? xs.length : nearestIndex(xs, from);
    const next = moveTo(event.key, at, xs.length);
    if (next === null) return;
    event.preventDefault();
    event.stopPropagation();
    hover(xs[next]?.x ?? null);
  };
  const inRange = (step: number | null): step is number =>
    step !== null && step >= first && step <= last;
  const now = inRange(hovered) ? hovered : inRange(selected) ? selected : last;
  return (
    <div
      className="chart-area"
      role="slider"
      tabIndex={0}
      aria-label={`${spec.title}, by ${spec.axis ?? 'step'}`}
      aria-valuemin={first}
      aria-valuemax={last}
      aria-valuenow={now}
      aria-valuetext={readoutText(spec, now)}
      style={{ height: HEIGHT }}
      onKeyDown={onKeyDown}
      onBlur={() => hover(null)}
      onPointerDown={(event) => {
        if (event.button === 0) setPulled({ from: pixelOf(event), to: pixelOf(event) });
      }}
      onPointerMove={(event) => {
        const pixel = pixelOf(event);
        hover(stepAt(pixel));
        if (pulled) setPulled({ ...pulled, to: pixel });
      }}
      onPointerUp={onPointerUp}
      onPointerLeave={() => {
        hover(null);
        setPulled(null);
      }}
    >
      <Plot spec={spec} plan={plan} width={width} height={HEIGHT} right={right} />
      <EndLabels spec={spec} plan={plan} />
      {inRange(selected) ? (
        <i className="chart-mark selected" style={{ left: left(selected) }} />
      ) : null}
      {inRange(hovered) ? <i className="chart-mark" style={{ left: left(hovered) }} /> : null}
      {pulled && Math.abs(pulled.to - pulled.from) >= DRAG ? (
        <i
          className="chart-brush"
          style={{
            left: Math.min(pulled.from, pulled.to),
            width: Math.abs(pulled.to - pulled.from),
          }}
        />
      ) : null}
    </div>
  );
};

/** Characters that fit below a narrow chart. */
const LINE = 48;

/** The line below a chart: its values at a step, or its note. */
const Foot = (props: {
  spec: ChartSpec;
  plan: ChartPlan | null;
  selected: number | null;
  store: ReturnType<typeof useChartsStore>;
}) => {
  const { spec, plan, selected, store } = props;
  const hovered = useCharts(store, (state) => state.hovered);
  const shown = hovered ?? selected;
  const soft = spec.series.some(({ smoothed }) => smoothed !== undefined);
  const words = [
    spec.note,
    ...(spec.lines ?? []).map(({ label }) => label),
    soft ? 'smoothed, raw values in the background' : null,
    thinned(plan),
  ]
    .filter((part) => part !== null)
    .join('; ');
  const tall = spec.series.length > 3 || words.length > LINE;
  return (
    <div className={tall ? 'chart-foot tall' : 'chart-foot'}>
      {/* In saved files, whatever step is selected. */}
      <span className="fine" title={words} data-legend="" hidden={shown !== null}>
        <Terms>{words}</Terms>
      </span>
      {/* On the page all charts share this axis. */}
      <span className="fine" data-legend="" hidden>
        X axis: {spec.axis ?? 'step'}s.
      </span>
      {shown === null ? null : <Readout spec={spec} step={shown} />}
    </div>
  );
};

interface ChartProps {
  spec: ChartSpec;
  selected?: number | null;
  onSelect?: (step: number) => void;
}

/** A chart with its title, readout and table. */
export const Chart = memo(({ spec: newest, selected = null, onSelect }: ChartProps) => {
  const measured = useTurn(newest);
  const { element, near } = useNear();
  const { ref, width } = useElementSize();
  const store = useChartsStore();
  const smoothing = useCharts(store, (state) => state.smoothing);
  const log = useCharts(store, (state) => state.log);
  const span = useCharts(store, (state) => state.span);
  const [asTable, setAsTable] = useState(false);
  const nextSpec = useMemo(
    () => applyView(measured, { smoothing, log, span }),
    [measured, smoothing, log, span],
  );
  // One chart per frame when all change.
  const spec = useTurn(nextSpec);
  const none = isEmpty(measured);
  const empty = isEmpty(spec);
  const whole = useMemo(() => spanOf(measured.series), [measured]);
  const plan = useMemo(() => (near && !empty ? planChart(spec) : null), [near, empty, spec]);
  return (
    <section className="chart" aria-label={spec.title} ref={element} data-chart={spec.id}>
      <header>
        <h3>
          <Terms>{spec.title}</Terms>
        </h3>
        <span className="grow" />
        {empty || asTable || !near ? null : <SaveChart box={element} title={spec.title} />}
        {none ? null : (
          <button
            type="button"
            className="link"
            aria-label={`${spec.title}: ${asTable ? 'chart' : 'table'}`}
            onClick={() => setAsTable(!asTable)}
          >
            {asTable ? 'chart' : 'table'}
          </button>
        )}
      </header>
      {asTable && !none ? (
        <ChartTable spec={measured} selected={selected} onSelect={onSelect} />
      ) : empty ? (
        <p className="fine chart-empty">{spec.empty}</p>
      ) : (
        <>
          <div ref={ref} className="chart-box" style={{ minHeight: HEIGHT }}>
            {plan && whole && width > 0 ? (
              <ChartArea
                spec={spec}
                plan={plan}
                whole={whole}
                width={width}
                right={labelWidth(spec)}
                selected={selected}
                store={store}
                pick={onSelect}
              />
            ) : null}
          </div>
          <Foot spec={spec} plan={plan} selected={selected} store={store} />
        </>
      )}
    </section>
  );
});

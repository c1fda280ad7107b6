import { memo, useMemo, useState } from 'react';
import { linearAxis, placeOf, type Axis } from '../../kit/charts/axis.ts';
import { formatTick, formatValue } from '../../kit/charts/units.ts';
import type { Unit } from '../../kit/charts/series.ts';
import { Table, type Head } from '../../kit/Table.tsx';
import { Picture } from '../../kit/charts/picture/Picture.tsx';
import { placeLabels } from './place-labels.ts';
import { nameWidth } from './text-width.ts';

/** A system in the plane of cost and quality. */
export interface CostPoint {
  /** Id of the system. */
  id: string;
  name: string;
  cost: number;
  quality: number;
  /** 95 % interval of the quality. */
  low: number;
  high: number;
  /** On the Pareto frontier: no other system is at least as good and as cheap, and better in one. */
  onFrontier: boolean;
}

/** Name and unit of an axis. */
export interface Measure {
  name: string;
  unit: Unit;
}

interface QualityCostProps {
  points: readonly CostPoint[];
  cost: Measure;
  quality: Measure;
  /** Selects the system as the reference of the other pictures. */
  onPick: (system: string) => void;
}

/** CSS pixels around the plane, for its ticks and the name of its axis. */
const PAD = { top: 10, right: 14, bottom: 34, left: 52 } as const;
const HEIGHT = 320;

/** Position in CSS pixels from the top left; `top` and `bottom` are the ends of the interval. */
interface Placed extends CostPoint {
  x: number;
  y: number;
  top: number;
  bottom: number;
}

/** The axes and all points. */
interface Plan {
  across: Axis;
  up: Axis;
  points: Placed[];
}

/** The layout at one width; drawing and buttons share it. */
const planOf = (points: readonly CostPoint[], quality: Measure, width: number): Plan => {
  const costs = points.map(({ cost }) => cost);
  const [least, dearest] = [Math.min(...costs), Math.max(...costs)];
  // Starts at zero, unless that leaves half of the picture empty.
  const across = linearAxis(least > dearest / 2 ? least : 0, dearest, width < 480 ? 3 : 6);
  const most = Math.max(...points.map(({ high }) => high));
  const up = linearAxis(
    Math.min(...points.map(({ low }) => low)),
    // Up to 100 % if a value comes near it, so that the headroom is visible.
    quality.unit === 'share' && most > 0.9 ? 1 : most,
    5,
  );
  const y = (value: number): number =>
    PAD.top + (1 - placeOf(up, value)) * (HEIGHT - PAD.top - PAD.bottom);
  const x = (value: number): number =>
    PAD.left + placeOf(across, value) * (width - PAD.left - PAD.right);
  return {
    across,
    up,
    points: points.map((point) => ({
      ...point,
      x: x(point.cost),
      y: y(point.quality),
      top: y(point.high),
      bottom: y(point.low),
    })),
  };
};

/** Grid and ticks; the cost is named under its axis, the quality in the title. */
const Axes = ({ plan, width, cost }: { plan: Plan; width: number; cost: Measure }) => {
  const right = width - PAD.right;
  const foot = HEIGHT - PAD.bottom;
  return (
    <>
      {plan.up.ticks.map((tick) => {
        const y = PAD.top + (1 - placeOf(plan.up, tick)) * (foot - PAD.top);
        return (
          <g key={tick}>
            <line x1={PAD.left} x2={right} y1={y} y2={y} className="picture-rule" />
            <text x={PAD.left - 6} y={y + 4} textAnchor="end" className="picture-tick">
              {formatTick(tick, 'share')}
            </text>
          </g>
        );
      })}
      {plan.across.ticks.map((tick) => (
        <text
          key={tick}
          x={PAD.left + placeOf(plan.across, tick) * (right - PAD.left)}
          y={foot + 15}
          textAnchor="middle"
          className="picture-tick"
        >
          {formatTick(tick, cost.unit)}
        </text>
      ))}
      <text x={right} y={HEIGHT - 4} textAnchor="end" className="picture-tick">
        {cost.name} →
      </text>
    </>
  );
};

/** The frontier as steps: the best quality up to a cost. */
const stairs = (points: readonly Placed[], width: number): string => {
  const steps = points
    .filter(({ onFrontier }) => onFrontier)
    .toSorted((a, b) => a.cost - b.cost || a.quality - b.quality);
  const [first, ...rest] = steps;
  if (!first) return '';
  return [
    `M${first.x} ${first.y}`,
    ...rest.map(({ x, y }) => `H${x}V${y}`),
    `H${width - PAD.right}`,
  ].join('');
};

/** The drawing. Memoised: hovering only changes the line below. */
const Drawing = memo(({ plan, width, cost }: { plan: Plan; width: number; cost: Measure }) => {
  // Systems on the frontier are labelled first.
  const order = plan.points.toSorted((a, b) => Number(b.onFrontier) - Number(a.onFrontier));
  const labels = placeLabels(
    order.map(({ x, y, name, onFrontier }) => ({ x, y, width: nameWidth(name, onFrontier) })),
    width,
    HEIGHT - PAD.bottom,
    PAD.left,
  );
  return (
    <svg width={width} height={HEIGHT} aria-hidden="true">
      <Axes plan={plan} width={width} cost={cost} />
      <path d={stairs(plan.points, width)} className="picture-frontier" />
      {order.map(({ id, x, top, bottom }) => (
        <line key={id} x1={x} x2={x} y1={top} y2={bottom} className="picture-interval" />
      ))}
      {order.map(({ id, x, y, onFrontier }) => (
        <circle
          key={id}
          cx={x}
          cy={y}
          r={onFrontier ? 4.5 : 3.5}
          className={onFrontier ? 'picture-dot best' : 'picture-dot'}
        />
      ))}
      {/* Last: where systems are close, a name covers the whiskers of others. */}
      {order.map(({ id, name, onFrontier }, index) => {
        const label = labels[index];
        return label ? (
          <text
            key={id}
            x={label.x}
            y={label.y}
            textAnchor={label.anchor}
            className={`picture-name over ${onFrontier ? 'best' : ''}`}
          >
            {name}
          </text>
        ) : null;
      })}
    </svg>
  );
});

/** A point in one sentence, for screen readers and the line below. */
const wordsOf = (point: CostPoint, cost: Measure, quality: Measure): string =>
  `${point.name}: ${quality.name} ${formatValue(point.quality, quality.unit)} (${formatValue(point.low, quality.unit)} to ${formatValue(point.high, quality.unit)}), ${cost.name} ${formatValue(point.cost, cost.unit)}${point.onFrontier ? ', on the frontier' : ''}`;

/** The drawing with a button on each point for keyboard and screen readers. */
const Plane = (props: QualityCostProps & { width: number }) => {
  const { points, cost, quality, width, onPick } = props;
  const plan = useMemo(() => planOf(points, quality, width), [points, quality, width]);
  const [over, setOver] = useState<string | null>(null);
  const shown = points.find(({ id }) => id === over);
  return (
    <>
      <div className="picture-plane" style={{ height: HEIGHT }}>
        <Drawing plan={plan} width={width} cost={cost} />
        {plan.points.map((point) => (
          <button
            key={point.id}
            type="button"
            className="picture-point"
            style={{ left: point.x, top: point.y }}
            aria-label={`${wordsOf(point, cost, quality)}. Compare the others with it`}
            onClick={() => onPick(point.id)}
            onFocus={() => setOver(point.id)}
            onBlur={() => setOver(null)}
            onPointerEnter={() => setOver(point.id)}
            onPointerLeave={() => setOver(null)}
          />
        ))}
      </div>
      <p className="fine picture-foot" data-legend="" hidden={shown !== undefined}>
        Steps: the Pareto frontier. A point off it is beaten by one that is as good and cheaper, or
        better at the same cost.
      </p>
      {shown ? <p className="fine picture-foot">{wordsOf(shown, cost, quality)}</p> : null}
    </>
  );
};

/** Quality against cost: systems as points, with the Pareto frontier. */
export const QualityCost = (props: QualityCostProps & { empty: string | null }) => {
  const { points, cost, quality, empty } = props;
  const heads: readonly Head[] = [
    ['system'],
    [quality.name, 'figure'],
    ['95 %', 'figure'],
    [cost.name, 'figure'],
    ['frontier'],
  ];
  return (
    <Picture
      id={`cost-${cost.name}`}
      title={`${quality.name} against ${cost.name}`}
      note="Means over the questions; whiskers are 95 % intervals of the quality."
      empty={empty}
      renderPicture={(width) => <Plane {...props} width={width} />}
      renderTable={() => (
        <Table className="plain-table" heads={heads}>
          {points.map((point) => (
            <tr key={point.id}>
              <th scope="row">{point.name}</th>
              <td className="figure">{formatValue(point.quality, quality.unit)}</td>
              <td className="figure">
                {formatValue(point.low, quality.unit)} to {formatValue(point.high, quality.unit)}
              </td>
              <td className="figure">{formatValue(point.cost, cost.unit)}</td>
              <td>{point.onFrontier ? '✓' : ''}</td>
            </tr>
          ))}
        </Table>
      )}
    />
  );
};

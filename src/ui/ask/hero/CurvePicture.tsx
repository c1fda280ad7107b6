import { sum } from '../../../base/statistics.ts';
import { clock } from './story.ts';
import type { Recording } from './recording.ts';

type Point = Recording['run']['points'][number];

const CURVE_HEIGHT = 132;
const LEFT = 40;
const RIGHT = 58;
const TOP = 10;
const BOTTOM = 22;
const TICKS = [0, 0.25, 0.5, 0.75, 1];

/** Exact match on held-out questions over the time of the training, up to a point. */
export const CurvePicture = (props: {
  points: readonly Point[];
  /** How many of them are drawn. */
  shown: number;
  width: number;
}) => {
  const { points, shown, width } = props;
  const end = points.at(-1)?.seconds ?? 1;
  const x = (seconds: number): number => LEFT + (seconds / end) * (width - LEFT - RIGHT);
  const y = (em: number): number => TOP + (1 - em) * (CURVE_HEIGHT - TOP - BOTTOM);
  const placed = points.map(({ seconds, em }) => [x(seconds), y(em)] as const);
  const pieces = placed.map(([px, py], i) => {
    const [bx, by] = placed[i - 1] ?? [px, py];
    return Math.hypot(px - bx, py - by);
  });
  const length = sum(pieces);
  const drawn = sum(pieces.slice(0, shown));
  const at = points[shown - 1];
  const [dotX, dotY] = placed[shown - 1] ?? [0, 0];
  const minutes = Array.from({ length: Math.floor(end / 30) + 1 }, (_, i) => i * 30);
  return (
    <svg className="hero-curve" width={width} height={CURVE_HEIGHT} aria-hidden="true">
      {TICKS.map((em) => (
        <g key={em}>
          <path className="hero-grid" d={`M${LEFT} ${y(em)}H${width - RIGHT}`} />
          <text x={LEFT - 6} y={y(em) + 4} textAnchor="end">
            {`${em * 100} %`}
          </text>
        </g>
      ))}
      {minutes.map((seconds) => (
        <text key={seconds} x={x(seconds)} y={CURVE_HEIGHT - 6} textAnchor="middle">
          {clock(seconds)}
        </text>
      ))}
      <path
        className="hero-line"
        d={`M${placed.map((point) => point.join(' ')).join('L')}`}
        strokeDasharray={length}
        strokeDashoffset={length - drawn}
      />
      <g className="hero-dot" style={{ transform: `translate(${dotX}px, ${dotY}px)` }}>
        <circle r={4.5} />
        <text x={9} y={4}>
          {at ? `${Math.round(at.em * 100)} %` : ''}
        </text>
      </g>
    </svg>
  );
};

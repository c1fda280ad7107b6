import { useMemo } from 'react';
import {
  TIME_NAMES,
  timesOf,
  type RolloutTimes,
  type TimeSpan,
} from '../../../evaluate/rollouts/times.ts';
import type { AgentEvent } from '../../../records/events.ts';
import { Picture } from '../charts/picture/Picture.tsx';
import { formatMs, formatNumber, formatShare } from '../words/format.ts';
import './waterfall.css';
import { linearAxis, type Axis } from '../charts/axis.ts';

/** A row per span of time; bars begin at their start time. CSS pixels. */

/** The drawing at one width. */
interface WaterfallLayout {
  /** Seconds. */
  axis: Axis;
  height: number;
  /** Start of the bars; names are to the left. */
  left: number;
  /** Width of the total time. */
  room: number;
  rows: { span: TimeSpan; y: number; x: number; width: number }[];
}

/** Height of a row, CSS pixels. */
const ROW = 20;
const NAME = 232;
/** Durations are to the right of the bars. */
const AFTER = 56;
const FOOT = 20;
/** Minimum visible width. */
const LEAST = 2;

/** @param width of the page’s column */
export function waterfallLayout({ spans, totalMs }: RolloutTimes, width: number): WaterfallLayout {
  // On a narrow screen names are above their bars.
  const left = width < 620 ? 0 : NAME;
  const step = left === 0 ? 2 * ROW - 4 : ROW;
  const room = Math.max(60, width - left - AFTER);
  const axis = linearAxis(0, totalMs / 1000, 4);
  const scale = (ms: number): number => (ms / 1000 / axis.high) * room;
  return {
    axis,
    height: spans.length * step + FOOT,
    left,
    room,
    rows: spans.map((span, i) => ({
      span,
      y: i * step,
      x: left + scale(span.start),
      width: Math.max(LEAST, scale(span.ms)),
    })),
  };
}

/** "search 2"; time before the first search, after the last one, or after the last event, has none. */
export const searchWords = ({ search, event }: Pick<TimeSpan, 'search' | 'event'>): string => {
  if (event === null) return 'at the end';
  if (search === null) return 'answering';
  return search === 0 ? 'at first' : `search ${search}`;
};

/** A span of time by activity and search. */
export const spanName = (span: TimeSpan): string =>
  `${TIME_NAMES[span.kind]}, ${searchWords(span)}`;

/** A share as text: 0.944 → "94.4 %", 0.00039 → "under 0.1 %". */
const shareWords = (share: number): string =>
  share > 0 && share < 0.001 ? 'under 0.1 %' : `${(100 * share).toFixed(1)} %`;

/** "4.71 s: model writes 94.4 %, local search 5.6 %" */
export function totalWords({ totals, totalMs }: RolloutTimes): string {
  const parts = totals.map(({ kind, ms }) => `${TIME_NAMES[kind]} ${shareWords(ms / totalMs)}`);
  return `${formatMs(totalMs)}: ${parts.join(', ')}`;
}

/** Notes below the drawing. */
export function timeNotes({ clipped }: RolloutTimes, judged: boolean): string[] {
  return [
    'Events are placed at their end time. Model time includes waiting for other rollouts of the batch.',
    ...(clipped === 0
      ? []
      : [
          clipped === 1
            ? 'One call states a duration longer than its place in the record (such as a result reused from an earlier call); it is cut to fit.'
            : `${clipped} calls state durations longer than their places in the record (such as results reused from earlier calls); they are cut to fit.`,
        ]),
    ...(judged ? ['The time of the judge is not in the record.'] : []),
  ];
}

/** Where the time of one rollout went; a click goes to the event that ended a span. */

interface TimedRecord {
  events?: readonly AgentEvent[] | undefined;
  metrics?: { seconds: number } | null | undefined;
  judge?: unknown;
}

interface TimesProps {
  times: RolloutTimes;
  /** Goes to an event of the record. */
  open: (event: number) => void;
}

const Drawing = ({ times, width }: { times: RolloutTimes; width: number }) => {
  const { axis, height, left, room, rows } = waterfallLayout(times, width);
  const foot = height - 18;
  return (
    <svg width={width} height={height} aria-hidden="true">
      {axis.ticks.map((tick) => {
        const x = left + (tick / axis.high) * room;
        return (
          <g key={tick}>
            <line className="waterfall-grid" x1={x} x2={x} y1={0} y2={foot} />
            <text
              className="waterfall-tick"
              x={x}
              y={height - 4}
              textAnchor={tick === 0 && left === 0 ? 'start' : 'middle'}
            >
              {formatNumber(tick)} s
            </text>
          </g>
        );
      })}
      {rows.map(({ span, y, x, width: wide }) => {
        const bar = left === 0 ? y + ROW - 4 : y + 3;
        return (
          <g key={`${span.start} ${span.kind}`}>
            <text
              className="waterfall-name"
              x={left === 0 ? 0 : left - 8}
              y={y + 14}
              textAnchor={left === 0 ? 'start' : 'end'}
            >
              {spanName(span)}
            </text>
            <rect
              className={`waterfall-bar of-${span.kind}`}
              x={x}
              y={bar}
              width={wide}
              height={14}
              rx={2}
            />
            <text className="waterfall-tick" x={x + wide + 5} y={bar + 11}>
              {formatMs(span.ms)}
            </text>
          </g>
        );
      })}
    </svg>
  );
};

const Rows = ({ times, open, width }: TimesProps & { width: number }) => {
  const { rows, left } = waterfallLayout(times, width);
  return rows.map(({ span, y }) =>
    span.event === null ? null : (
      <button
        key={`${span.start} ${span.kind}`}
        type="button"
        className="waterfall-button"
        style={{ top: y, width, height: left === 0 ? 2 * ROW - 4 : ROW }}
        aria-label={`${spanName(span)}: ${formatMs(span.ms)} from ${formatMs(span.start)}. Open its event`}
        onClick={() => open(span.event ?? 0)}
      />
    ),
  );
};

const Table = ({ times, open }: TimesProps) => (
  <table className="bars-table" aria-label="Where the time went">
    <thead>
      <tr>
        <th scope="col">what</th>
        <th scope="col">search</th>
        <th scope="col" className="figure">
          from
        </th>
        <th scope="col" className="figure">
          took
        </th>
        <th scope="col" className="figure">
          share
        </th>
      </tr>
    </thead>
    <tbody>
      {times.spans.map((span) => (
        <tr key={`${span.start} ${span.kind}`}>
          <th scope="row">
            {span.event === null ? (
              TIME_NAMES[span.kind]
            ) : (
              <button type="button" className="link" onClick={() => open(span.event ?? 0)}>
                {TIME_NAMES[span.kind]}
              </button>
            )}
          </th>
          <td>{searchWords(span)}</td>
          <td className="figure">{formatMs(span.start)}</td>
          <td className="figure">{formatMs(span.ms)}</td>
          <td className="figure fine">{formatShare(span.ms / times.totalMs)}</td>
        </tr>
      ))}
    </tbody>
  </table>
);

/** Where the time of a rollout went: bars or a table, with totals by kind. A record without times says why. */
export const Waterfall = (props: {
  /** Unique on the page. */
  id: string;
  record: TimedRecord;
  open: (event: number) => void;
}) => {
  const { id, record, open } = props;
  const times = useMemo(() => timesOf(record), [record]);
  const known = times.kind === 'times' ? times : null;
  return (
    <Picture
      id={id}
      title="Where the time went"
      heading="h2"
      hint="One row per span of time, from the beginning of the rollout to its end."
      note={known ? totalWords(known) : undefined}
      empty={times.kind === 'none' ? times.why : null}
      renderPicture={(width) =>
        known ? (
          <>
            <Drawing times={known} width={width} />
            <Rows times={known} open={open} width={width} />
          </>
        ) : null
      }
      renderTable={() => (known ? <Table times={known} open={open} /> : null)}
      foot={
        known
          ? timeNotes(known, record.judge !== undefined).map((note) => (
              <p key={note} className="fine" data-legend="">
                {note}
              </p>
            ))
          : null
      }
    />
  );
};

import { useMemo } from 'react';
import { TIME_NAMES, timesOf, type RolloutTimes } from '../../../evaluate/rollouts/times.ts';
import type { AgentEvent } from '../../../records/events.ts';
import { Picture } from '../charts/picture/Picture.tsx';
import { formatMs, formatNumber, formatShare } from '../words/format.ts';
import { searchWords, spanName, timeNotes, totalWords } from './time-words.ts';
import { ROW, waterfallLayout } from './waterfall-layout.ts';
import './waterfall.css';

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

import { useEffect, useRef, useState, type KeyboardEvent } from 'react';
import type { Histogram, HistogramBin } from '../../../evaluate/rollouts/histogram.ts';
import type { BrowseResult } from '../../../lab/contract/rollouts.ts';
import { Picture } from '../../kit/charts/picture/Picture.tsx';
import { PickField } from '../../kit/PickField.tsx';
import { formatCount, formatNumber, formatShare } from '../../kit/words/format.ts';
import { lab } from '../../lab/connection.ts';
import { attempt } from '../store/browse-actions.ts';
import { narrowed } from '../store/browse-address.ts';
import { histogramLayout } from './histogram-layout.ts';
import { binWords, numberTitle, rangeWords, shareIn, unknownReason } from './histogram-words.ts';

/** Distribution of a number over the filtered rollouts and the whole file; a bar filters to its range. */

/** Unique job names: a late cancel must not stop the next count. */
let countings = 0;

/**
 * Counted in the worker; the last result stays meanwhile.
 * @param column null: the first one of the file
 */
const useHistogram = (
  fileId: string,
  filter: string,
  column: string | null,
  selected: BrowseResult,
): Histogram | null => {
  const [histogram, setHistogram] = useState<Histogram | null>(null);
  useEffect(() => {
    let live = true;
    // Recomputed when the selection changes, also while the file is read.
    if (selected.total === 0) return undefined;
    const job = `histogram-${++countings}`;
    void attempt('The distribution could not be counted', () =>
      lab().rollouts.histogram(job, fileId, filter, column),
    ).then((found) => {
      if (live && found) setHistogram(found);
    });
    return () => {
      live = false;
      void attempt('The counting could not be stopped', () => lab().rollouts.cancel(job));
    };
  }, [fileId, filter, column, selected]);
  return histogram;
};

interface BarsProps {
  histogram: Histogram;
  title: string;
  /** The bin of the current filter. */
  picked: string | null;
  onPick: (bin: HistogramBin) => void;
}

/** The drawing; buttons are above it. */
const Drawing = ({ histogram, width }: { histogram: Histogram; width: number }) => {
  const { axis, bins, labels, height, left, foot, top } = histogramLayout(histogram, width);
  return (
    <svg width={width} height={height} aria-hidden="true">
      {axis.ticks.map((tick) => {
        const y = foot - (tick / axis.high) * (foot - top);
        return (
          <g key={tick}>
            <line className="histogram-grid" x1={left} x2={width} y1={y} y2={y} />
            <text className="histogram-tick" x={left - 4} y={y + 4} textAnchor="end">
              {formatNumber(tick * 100)} %
            </text>
          </g>
        );
      })}
      {bins.map(({ x, width: room, shown, all }) => (
        <g key={x}>
          <rect
            className="histogram-all"
            x={x + room * 0.5}
            y={foot - all}
            width={room * 0.4}
            height={all}
          />
          <rect
            className="histogram-shown"
            x={x + room * 0.1}
            y={foot - shown}
            width={room * 0.4}
            height={shown}
          />
        </g>
      ))}
      {labels.map(({ x, value, anchor }) => (
        <text key={value} className="histogram-tick" x={x} y={foot + 14} textAnchor={anchor}>
          {formatNumber(value)}
        </text>
      ))}
    </svg>
  );
};

/** One tab stop: arrow keys move between bars. */
const Buttons = ({ histogram, title, picked, onPick, width }: BarsProps & { width: number }) => {
  const { bins, foot, top } = histogramLayout(histogram, width);
  const [at, setAt] = useState(0);
  const box = useRef<HTMLDivElement>(null);
  const last = histogram.bins.length - 1;
  const onKeyDown = (event: KeyboardEvent) => {
    const to = {
      ArrowRight: Math.min(last, at + 1),
      ArrowLeft: Math.max(0, at - 1),
      Home: 0,
      End: last,
    }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    setAt(to);
    box.current?.querySelectorAll('button')[to]?.focus();
  };
  return (
    <div ref={box} role="group" aria-label={`${title}, bars`} onKeyDown={onKeyDown}>
      {histogram.bins.map((bin, i) => {
        const place = bins[i];
        const words = binWords(bin, { all: histogram.all.known, shown: histogram.shown.known });
        return (
          <button
            key={bin.from}
            type="button"
            className="flow-button"
            style={{ left: place?.x, top, width: place?.width, height: foot - top }}
            title={words}
            aria-label={`${words}. Filter to these`}
            aria-pressed={bin.filter !== null && bin.filter === picked}
            tabIndex={i === Math.min(at, last) ? 0 : -1}
            disabled={bin.filter === null}
            onFocus={() => setAt(i)}
            onClick={() => onPick(bin)}
          />
        );
      })}
    </div>
  );
};

const Table = ({ histogram, title, onPick }: BarsProps) => (
  <table className="bars-table" aria-label={title}>
    <thead>
      <tr>
        <th scope="col">value</th>
        <th scope="col" className="figure" colSpan={2}>
          pass the filter
        </th>
        <th scope="col" className="figure" colSpan={2}>
          in the file
        </th>
      </tr>
    </thead>
    <tbody>
      {histogram.bins.map((bin) => (
        <tr key={bin.from}>
          <th scope="row">
            <button
              type="button"
              className="link"
              disabled={bin.filter === null}
              onClick={() => onPick(bin)}
            >
              {rangeWords(bin)}
            </button>
          </th>
          <td className="figure">{formatCount(bin.shown)}</td>
          <td className="figure fine">{formatShare(shareIn(bin.shown, histogram.shown.known))}</td>
          <td className="figure">{formatCount(bin.all)}</td>
          <td className="figure fine">{formatShare(shareIn(bin.all, histogram.all.known))}</td>
        </tr>
      ))}
    </tbody>
  </table>
);

/** Counts and means, and rollouts without the number. */
const Foot = ({ histogram }: { histogram: Histogram }) => {
  const { column, shown, all } = histogram;
  if (column === null) return null;
  return (
    <p className="fine" data-legend="">
      <span className="histogram-key shown" /> pass the filter: {formatCount(shown.known)}, mean{' '}
      {formatNumber(shown.mean)} · <span className="histogram-key all" /> in the file:{' '}
      {formatCount(all.known)}, mean {formatNumber(all.mean)}. Bar heights: share of each set.
      {all.unknown === 0
        ? ''
        : ` In no bar: ${formatCount(all.unknown)} of the file, ${formatCount(shown.unknown)} of them pass; ${unknownReason(column)}.`}
    </p>
  );
};

/** The filter made by a bar, and the one before. */
interface Picked {
  bin: HistogramBin;
  before: string;
  after: string;
}

/** A number as bars; a click filters to its range, a second click undoes that. */
export const HistogramPicture = (props: {
  fileId: string;
  filter: string;
  selected: BrowseResult;
  setFilter: (filter: string) => void;
}) => {
  const { fileId, filter, selected, setFilter } = props;
  const [column, setColumn] = useState<string | null>(null);
  const [made, setMade] = useState<Picked | null>(null);
  const histogram = useHistogram(fileId, filter, column, selected);
  // Cannot be undone after another change of the filter.
  const picked = made !== null && made.after === filter ? made : null;
  const shownColumn = histogram?.column ?? null;
  const title =
    shownColumn === null ? 'Distribution' : `Distribution of ${numberTitle(shownColumn)}`;
  const onPick = (bin: HistogramBin) => {
    if (bin.filter === null) return;
    // Another bar replaces the range; the same one undoes it.
    const before = picked?.before ?? filter;
    const after = bin.filter === picked?.bin.filter ? before : narrowed(before, bin.filter);
    setMade({ bin, before, after });
    setFilter(after);
  };
  const bars = histogram && {
    histogram,
    title,
    picked: picked && picked.after !== picked.before ? picked.bin.filter : null,
    onPick,
  };
  return (
    <Picture
      id="histogram"
      title={title}
      hint="Two bars per range of values: the rollouts that pass the filter, and the whole file. Click a range to filter."
      empty={
        bars === null
          ? 'Counting …'
          : shownColumn === null
            ? 'No rollout in this file has numbers.'
            : null
      }
      controls={
        histogram && shownColumn !== null ? (
          <PickField
            size="xs"
            aria-label="Distribution of"
            values={histogram.columns}
            names={Object.fromEntries(histogram.columns.map((name) => [name, numberTitle(name)]))}
            value={shownColumn}
            onPick={setColumn}
          />
        ) : null
      }
      renderPicture={(width) =>
        bars ? (
          <>
            <Drawing histogram={bars.histogram} width={width} />
            <Buttons {...bars} width={width} />
          </>
        ) : null
      }
      renderTable={() => (bars ? <Table {...bars} /> : null)}
      foot={
        <>
          {histogram ? <Foot histogram={histogram} /> : null}
          <div role="status">
            {bars?.picked && picked ? (
              <p className="fine">
                Filtered to {shownColumn === null ? '' : numberTitle(shownColumn)}{' '}
                {rangeWords(picked.bin)}.{' '}
                <button
                  type="button"
                  className="link strong"
                  onClick={() => setFilter(picked.before)}
                >
                  Undo
                </button>
              </p>
            ) : null}
          </div>
        </>
      }
    />
  );
};

import { useElementSize } from '@mantine/hooks';
import { memo, useCallback, useEffect, useMemo, useRef, useState, type ReactNode } from 'react';
import type { ImportedSegment } from '../../../../formats/rollouts/shape/imported.ts';
import { writerOf } from '../../../kit/tokens/layout.ts';
import { MarkedText, type TextMark } from '../parts/MarkedText.tsx';
import { inTurns, layoutRows, rowAt, rowStop, type RawRows } from './raw-rows.ts';

/** The whole text as it stands, only the rows on the screen drawn. */

const ROW = 19;
const GUTTER = 94;
/** Browsers draw nothing below some thirty million pixels; beyond this the scroll bar is a scale. */
const HIGHEST = 12_000_000;

/** A mark in a segment's text. */
export interface PlacedMark extends TextMark {
  segment: number;
}

/** Cells of the fixed-width font that fit beside the gutter. */
const columnsIn = (width: number, sign: number): number =>
  Math.max(16, Math.floor((width - GUTTER - 24) / (sign || 7.3)));

/** Width of one sign, measured once. */
const useSignWidth = () => {
  const [width, setWidth] = useState(0);
  const measure = useCallback((element: HTMLSpanElement | null) => {
    if (element) setWidth(element.getBoundingClientRect().width / 50);
  }, []);
  return [measure, width] as const;
};

const useRows = (texts: readonly string[], columns: number | null): RawRows | null => {
  const [made, setMade] = useState<{ key: unknown; columns: number; rows: RawRows } | null>(null);
  useEffect(() => {
    if (columns === null) return undefined;
    const stop = new AbortController();
    void inTurns(layoutRows(texts, columns), stop.signal).then((rows) => {
      if (rows && !stop.signal.aborted) setMade({ key: texts, columns, rows });
    });
    return () => stop.abort();
  }, [texts, columns]);
  return made && made.key === texts ? made.rows : null;
};

interface RowProps {
  segment: Pick<ImportedSegment, 'source' | 'role' | 'text'>;
  first: boolean;
  start: number;
  stop: number;
  top: number;
  marks: readonly TextMark[];
}

const Row = memo(({ segment, first, start, stop, top, marks }: RowProps) => {
  const writer = writerOf(segment as Parameters<typeof writerOf>[0]);
  return (
    <div className={`raw-row who-edge-${writer}`} style={{ transform: `translateY(${top}px)` }}>
      <span className="raw-gutter">{first ? segment.role : ''}</span>
      <span className="raw-line">
        <MarkedText text={segment.text} from={start} to={stop} marks={marks} />
      </span>
    </div>
  );
});

const NONE: readonly TextMark[] = [];

/** Marks of each segment, so that a row looks at few. */
const bySegment = (marks: readonly PlacedMark[]): Map<number, PlacedMark[]> => {
  const lists = new Map<number, PlacedMark[]>();
  for (const mark of marks) {
    const list = lists.get(mark.segment);
    if (list) list.push(mark);
    else lists.set(mark.segment, [mark]);
  }
  return lists;
};

interface RawTextProps {
  segments: readonly Pick<ImportedSegment, 'source' | 'role' | 'text'>[];
  marks: readonly PlacedMark[];
  /** Scrolled to whenever it is another one. */
  focus: { segment: number; start: number } | null;
  label: string;
}

/**
 * The text of all segments as rows of one width, with marks on it. Only visible rows are in the page, so
 * that a text of megabytes opens at once.
 */
export const RawText = ({ segments, marks, focus, label }: RawTextProps): ReactNode => {
  const { ref, width, height } = useElementSize();
  const [measure, sign] = useSignWidth();
  const scroller = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  const texts = useMemo(() => segments.map(({ text }) => text), [segments]);
  const columns = width === 0 || sign === 0 ? null : columnsIn(width, sign);
  const rows = useRows(texts, columns);
  const lists = useMemo(() => bySegment(marks), [marks]);
  const full = (rows?.count ?? 0) * ROW;
  const drawn = Math.min(full, HIGHEST);
  const room = Math.max(1, drawn - height);
  // Where the text is longer than a page can be, the scroll bar moves over it in proportion.
  const offset = full === drawn ? top : (Math.min(top, room) / room) * (full - height);

  useEffect(() => {
    if (!rows || !focus || !scroller.current || height === 0) return;
    const at = rowAt(rows, focus.segment, focus.start) * ROW - height / 3;
    const target = Math.max(0, Math.min(full - height, at));
    scroller.current.scrollTo({
      top: full === drawn ? target : (target / (full - height)) * room,
    });
  }, [rows, focus, height, full, drawn, room]);

  const first = Math.max(0, Math.floor(offset / ROW) - 4);
  const last = rows ? Math.min(rows.count, first + Math.ceil(height / ROW) + 10) : 0;
  const visible = Array.from({ length: Math.max(0, last - first) }, (_, i) => first + i);
  return (
    <div className="raw-box" ref={ref}>
      <span ref={measure} className="raw-measure" aria-hidden="true">
        {'0'.repeat(50)}
      </span>
      <div
        className="raw-scroll"
        ref={scroller}
        role="region"
        aria-label={label}
        tabIndex={0}
        onScroll={(event) => setTop(event.currentTarget.scrollTop)}
      >
        {rows ? null : <p className="fine raw-wait">Laying out the text …</p>}
        <div className="raw-sheet" style={{ height: drawn }}>
          {rows
            ? visible.map((row) => {
                const s = rows.segment[row]!;
                const segment = segments[s];
                if (!segment) return null;
                const start = rows.start[row]!;
                const stop = rowStop(rows, row, segment.text);
                const own = lists.get(s)?.filter((mark) => mark.start < stop && mark.end > start);
                return (
                  <Row
                    key={row}
                    segment={segment}
                    first={start === 0}
                    start={start}
                    stop={stop}
                    top={row * ROW - offset + top}
                    marks={own && own.length > 0 ? own : NONE}
                  />
                );
              })
            : null}
        </div>
      </div>
    </div>
  );
};

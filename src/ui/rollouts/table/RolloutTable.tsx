import { BOOKMARK } from '../../../lab/contract/records/rollout-files.ts';
import { basisWords, type Outcome } from '../../../evaluate/rollouts/taxonomy.ts';
import { useVirtualizer } from '@tanstack/react-virtual';
import { memo, useEffect, useMemo, useRef, type MouseEvent } from 'react';
import { useLocation } from 'wouter';
import type {
  BrowseGroup,
  BrowseQuery,
  MatchingRow,
  BrowseResult,
} from '../../../lab/contract/rollouts.ts';
import { hrefOf } from '../../kit/page/page-root.ts';
import { formatCount, formatNumber, formatShare } from '../../kit/words/format.ts';
import { readerPath } from '../store/browse-address.ts';
import { displayOf, groupOf, isRow } from '../store/browse-display.ts';
import {
  markRollout,
  openRow,
  pickRow,
  toggleClosed,
  wantRows,
} from '../store/browse-selection.ts';
import { isNarrow } from '../../kit/page/screen.ts';
import { CellValue, fullText, OutcomeMark } from './Cell.tsx';
import { columnOf, type Column } from './columns.ts';
import { HeadCell } from './HeadCell.tsx';
import { groupedOutcomeName } from '../words.ts';
import { useRollouts } from '../store/rollouts-store.ts';

/** CSS pixels; fixed, so that positions are known before rendering. */
const ROW_HEIGHT = 28;
/** Of rows with a second line. */
const TALL_ROW = 44;
/** Widest first column on a narrow screen, CSS pixels. */
const NARROW = 190;
/** Extra rows loaded around the screen. */
const AHEAD = 40;

/** The bookmark of a row. It selects only its own mark, so that one change renders one star. */
const Star = ({ found }: { found: MatchingRow }) => {
  const on = useRollouts((state) => state.marks.get(found.row.id)?.bookmarked ?? false);
  return (
    <button
      type="button"
      className={on ? 'star on' : 'star'}
      aria-pressed={on}
      aria-label={`Bookmark ${found.row.id}`}
      title="Bookmark (b)"
      onClick={(event) => {
        event.stopPropagation();
        void markRollout(found.row.id, { bookmarked: !on });
      }}
    >
      {on ? '★' : '☆'}
    </button>
  );
};

/** The check of a row; with Shift also of all rows since the last one. */
const Pick = ({ found: { position, row } }: { found: MatchingRow }) => {
  const on = useRollouts((state) => state.picked.has(position));
  return (
    <input
      type="checkbox"
      className="pick"
      aria-label={`Select ${row.id}`}
      checked={on}
      onClick={(event) => event.stopPropagation()}
      onChange={({ nativeEvent }) =>
        pickRow(position, nativeEvent instanceof MouseEvent && nativeEvent.shiftKey)
      }
    />
  );
};

/** The user's tags of a row, where no column has them. */
const Tags = ({ found: { row } }: { found: MatchingRow }) => {
  const tags = row.tags.filter((tag) => tag !== BOOKMARK);
  return tags.length === 0 ? null : (
    <span className="badge row-tags" title={tags.join(', ')}>
      {tags.join(', ')}
    </span>
  );
};

/** An unloaded row shows an ellipsis; its position and number are known. */
interface RowProps {
  found: MatchingRow | undefined;
  position: number;
  index: number;
  columns: readonly Column[];
  current: boolean;
  /** Pixels. */
  height: number;
  /** Why it is wrong, below the question. */
  why: boolean;
  href: string;
  open: (event: MouseEvent) => void;
}

/**
 * The first cell is the row’s header and has the link; a click on the row moves the cursor. Only the
 * current row's link is a tab stop.
 */
const Row = memo(
  ({ found, position, index, columns, current, height, why, href, open }: RowProps) => (
    <tr
      aria-rowindex={index + 2}
      aria-current={current ? 'true' : undefined}
      className={current ? 'chosen' : ''}
      data-position={position}
      style={{ height }}
      onClick={() => useRollouts.setState({ cursor: position })}
      onDoubleClick={open}
    >
      {columns.map((column, i) =>
        i === 0 ? (
          <th key={column.name} scope="row" title={found && fullText(column, found)}>
            <span className="row-head">
              {found ? (
                <>
                  <Pick found={found} />
                  <Star found={found} />
                  <OutcomeMark found={found} />
                  <span className="row-lines">
                    <a className="ellipsis" href={href} tabIndex={current ? 0 : -1} onClick={open}>
                      <CellValue column={column} found={found} />
                    </a>
                    {why && found.row.why ? (
                      <span className="row-why ellipsis" title={found.row.why}>
                        {found.row.why}
                      </span>
                    ) : null}
                  </span>
                  {columns.some(({ name }) => name === 'tags') ? null : <Tags found={found} />}
                </>
              ) : (
                '…'
              )}
            </span>
          </th>
        ) : (
          <td
            key={column.name}
            className={column.kind === 'text' ? 'ellipsis' : 'figure'}
            title={found && fullText(column, found)}
          >
            {found ? <CellValue column={column} found={found} /> : null}
          </td>
        ),
      )}
    </tr>
  ),
);

/** @param basis what outcomes are judged by */
const nameOf = ({ field, value }: BrowseGroup, basis: string | null): string => {
  if (value === null) return `no ${field}`;
  if (field === 'step') return `step ${value}`;
  if (field === 'outcome') return groupedOutcomeName(value as Outcome, basis);
  return String(value);
};

/** The head of a group: shared values, count, and whether the rewards differ. */
const GroupRow = (props: {
  group: BrowseGroup;
  index: number;
  span: number;
  closed: boolean;
  basis: string | null;
  /** Pixels. */
  height: number;
}) => {
  const { group, index, span, closed, basis, height } = props;
  return (
    <tr className="group-head" aria-rowindex={index + 2} style={{ height }}>
      <th scope="rowgroup" colSpan={span}>
        <span className="group-line" style={{ paddingLeft: 6 + group.level * 16 }}>
          <button
            type="button"
            className="link ellipsis"
            aria-expanded={!closed}
            onClick={() => toggleClosed(group.key)}
          >
            <span aria-hidden="true">{closed ? '▸' : '▾'}</span> {nameOf(group, basis)}
          </button>
          <span className="fine">
            {[
              formatCount(group.count),
              ...(group.reward === null ? [] : [`reward ${formatNumber(group.reward)}`]),
              ...(group.em === null ? [] : [`EM ${formatShare(group.em)}`]),
            ].join(' · ')}
          </span>
          {group.flat ? (
            <span
              className="badge"
              title="All rewards of the group are equal: its advantages are zero under a group baseline, so there is no learning signal."
            >
              no signal
            </span>
          ) : null}
        </span>
      </th>
    </tr>
  );
};

/** Columns with widths: user-set or default. */
const useColumns = (names: readonly string[]): { column: Column; width: number }[] => {
  const widths = useRollouts((state) => state.widths);
  return useMemo(
    () =>
      names.map((name, index) => {
        const column = columnOf(name);
        // The first column is sticky; on a narrow screen it leaves room for others.
        const usual = index === 0 && isNarrow() ? Math.min(NARROW, column.width) : column.width;
        return { column, width: widths[name] ?? usual };
      }),
    [names, widths],
  );
};

interface RolloutTableProps {
  fileId: string;
  selected: BrowseResult;
  columns: readonly string[];
  sort: BrowseQuery['sort'];
  setSort: (sort: BrowseQuery['sort']) => void;
  /** Query of the page, kept in the reader's address. */
  search: string;
}

/** Virtualised: only visible lines are rendered and loaded. */
export const RolloutTable = (props: RolloutTableProps) => {
  const { fileId, selected, columns: names, sort, setSort, search } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const [, go] = useLocation();
  const rows = useRollouts((state) => state.rows);
  const cursor = useRollouts((state) => state.cursor);
  const closed = useRollouts((state) => state.closed);
  const columns = useColumns(names);
  const plain = useMemo(() => columns.map(({ column }) => column), [columns]);
  const lines = displayOf(selected, closed);
  const why = !names.includes('why') && !selected.empty.includes('why');
  const height = why ? TALL_ROW : ROW_HEIGHT;
  // eslint-disable-next-line react/incompatible-library -- nothing here is memoised by a compiler
  const virtual = useVirtualizer({
    count: lines.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => height,
    overscan: 10,
    // The head is inside.
    scrollPaddingStart: ROW_HEIGHT + 4,
    initialOffset: () => Math.max(0, (cursor === null ? 0 : lines.indexOf(cursor) - 8) * height),
  });
  // Heights are measured once; another column list may need other ones.
  useEffect(() => virtual.measure(), [virtual, height]);
  const items = virtual.getVirtualItems();
  const first = items[0]?.index ?? 0;
  const last = items.at(-1)?.index ?? -1;
  useEffect(() => {
    // Group heads are lines without data to load.
    const around = lines.subarray(Math.max(0, first - AHEAD), last + AHEAD);
    wantRows([...around].filter(isRow));
  }, [lines, first, last, fileId]);
  useEffect(() => {
    if (cursor === null) return;
    const at = lines.indexOf(cursor);
    if (at >= 0) virtual.scrollToIndex(at);
    // eslint-disable-next-line react-hooks/exhaustive-deps -- the virtualizer is new in each drawing
  }, [cursor, lines]);
  const open = useMemo(
    () =>
      (event: MouseEvent): void => {
        // Browser link gestures (new tab, window, download) keep working.
        if (event.metaKey || event.ctrlKey || event.shiftKey) return;
        event.preventDefault();
        const position = Number(event.currentTarget.closest('tr')?.dataset['position']);
        const found = useRollouts.getState().rows.get(position);
        if (found) void openRow(found, go);
      },
    [go],
  );
  const width = columns.reduce((sum, one) => sum + one.width, 0);
  // Two empty rows stand for all that is not drawn, so that the scroll bar is that of the whole
  // table.
  const before = items[0]?.start ?? 0;
  const after = virtual.getTotalSize() - (items.at(-1)?.end ?? 0);
  return (
    <div
      ref={scroller}
      className="rollouts-scroll"
      tabIndex={0}
      role="group"
      aria-label="Rollouts, table"
    >
      <table className="rollouts-table" style={{ width }} aria-rowcount={lines.length + 1}>
        <colgroup>
          {columns.map(({ column, width: own }) => (
            <col key={column.name} style={{ width: own }} />
          ))}
        </colgroup>
        <thead>
          <tr>
            {columns.map(({ column, width: own }) => (
              <HeadCell
                key={column.name}
                column={column}
                width={own}
                sort={sort}
                setSort={setSort}
              />
            ))}
          </tr>
        </thead>
        <tbody>
          {before > 0 ? <tr aria-hidden="true" style={{ height: before }} /> : null}
          {items.map(({ index }) => {
            const line = lines[index];
            if (line === undefined) return null;
            if (!isRow(line)) {
              const group = selected.groups[groupOf(line)];
              return group ? (
                <GroupRow
                  key={group.key}
                  group={group}
                  index={index}
                  span={columns.length}
                  closed={closed.has(group.key)}
                  basis={basisWords(selected.statistics)}
                  height={height}
                />
              ) : null;
            }
            const found = rows.get(line);
            return (
              <Row
                key={line}
                found={found}
                position={line}
                index={index}
                columns={plain}
                current={line === cursor}
                height={height}
                why={why}
                href={found ? hrefOf(readerPath(fileId, found.row.id, search)) : '#'}
                open={open}
              />
            );
          })}
          {after > 0 ? <tr aria-hidden="true" style={{ height: after }} /> : null}
        </tbody>
      </table>
      {lines.length === 0 ? <p className="fine no-rows">No rollout passes this filter.</p> : null}
    </div>
  );
};

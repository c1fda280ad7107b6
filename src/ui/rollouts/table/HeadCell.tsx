import { useRef, type PointerEvent } from 'react';
import type { BrowseQuery } from '../../../lab/contract/rollouts.ts';
import { TermMarks } from '../../kit/words/explain/Term.tsx';
import type { Column } from './columns.ts';
import { remember, remembered } from '../../kit/page/remembered.ts';
import { useRollouts } from '../store/rollouts-store.ts';

/** User-set column widths by name; stored in this browser. */

const KEY = 'forage-column-widths';
/** Minimum width in CSS pixels, so that the divider can be grabbed again. */
const LEAST_WIDTH = 44;
/** CSS pixels. */
const MOST_WIDTH = 1200;

const read = (): Record<string, number> => {
  try {
    const parsed: unknown = JSON.parse(remembered(KEY) ?? '{}');
    if (typeof parsed !== 'object' || parsed === null) return {};
    return Object.fromEntries(
      Object.entries(parsed).filter(
        (entry): entry is [string, number] =>
          typeof entry[1] === 'number' && entry[1] >= LEAST_WIDTH && entry[1] <= MOST_WIDTH,
      ),
    );
  } catch {
    return {};
  }
};

useRollouts.setState({ widths: read() });

/** Sets a width within bounds; `keepWidths` stores it after dragging. */
export const setWidth = (column: string, width: number): void => {
  const fit = Math.round(Math.min(MOST_WIDTH, Math.max(LEAST_WIDTH, width)));
  useRollouts.setState(({ widths }) => ({ widths: { ...widths, [column]: fit } }));
};

/** Stores the widths after a change. */
export const keepWidths = (): void => {
  remember(KEY, JSON.stringify(useRollouts.getState().widths));
};

type Sort = BrowseQuery['sort'];

/** First click on a head: numbers descending, texts ascending; then reversed; then none. */
const nextSort = (sort: Sort, { name, kind }: Column): Sort => {
  const first = kind !== 'text' && name !== 'line';
  if (sort?.column !== name) return { column: name, descending: first };
  return sort.descending === first ? { column: name, descending: !first } : null;
};

/** The column divider: dragged, or moved by arrow keys 16 pixels at a time. */
const Grip = ({ column, width }: { column: Column; width: number }) => {
  const from = useRef<{ x: number; width: number } | null>(null);
  const move = (event: PointerEvent): void => {
    if (from.current) setWidth(column.name, from.current.width + event.clientX - from.current.x);
  };
  return (
    <span
      className="grip"
      role="separator"
      tabIndex={0}
      aria-orientation="vertical"
      aria-label={`Width of ${column.title}`}
      aria-valuenow={width}
      aria-valuemin={LEAST_WIDTH}
      aria-valuemax={MOST_WIDTH}
      onPointerDown={(event) => {
        event.preventDefault();
        // The pointer may leave the narrow divider while dragging.
        event.currentTarget.setPointerCapture(event.pointerId);
        from.current = { x: event.clientX, width };
      }}
      onPointerMove={move}
      onPointerUp={() => {
        from.current = null;
        keepWidths();
      }}
      onKeyDown={(event) => {
        const by = event.key === 'ArrowRight' ? 16 : event.key === 'ArrowLeft' ? -16 : 0;
        if (by === 0) return;
        event.preventDefault();
        setWidth(column.name, width + by);
        keepWidths();
      }}
    />
  );
};

/** A column head: sorting, description, width. */
export const HeadCell = (props: {
  column: Column;
  width: number;
  sort: Sort;
  setSort: (sort: Sort) => void;
}) => {
  const { column, width, sort, setSort } = props;
  const own = sort?.column === column.name ? sort : null;
  return (
    <th
      scope="col"
      className={column.kind === 'text' ? '' : 'figure'}
      aria-sort={own ? (own.descending ? 'descending' : 'ascending') : 'none'}
      aria-label={column.title}
      title={column.note}
    >
      <div className="head-cell">
        <button type="button" className="head" onClick={() => setSort(nextSort(sort, column))}>
          {column.title}
          {own ? <span aria-hidden="true"> {own.descending ? '↓' : '↑'}</span> : null}
        </button>
        <TermMarks of={column.title} />
      </div>
      <Grip column={column} width={width} />
    </th>
  );
};

import { memo, useMemo, useRef, useState, type KeyboardEvent, type PointerEvent } from 'react';
import { formatCount, formatShare } from '../../kit/words/format.ts';
import { Table, type Head } from '../../kit/Table.tsx';
import type { GridRow } from '../../../evaluate/systems/pictures.ts';
import type { EvaluatedSystem } from '../../../evaluate/systems/result.ts';
import { Picture } from '../../kit/charts/picture/Picture.tsx';
import { CELL_KINDS, CELL_WORDS, cellPaths, kindOf, type CellKind } from './grid-cells.ts';
import { pageOf, useMore } from '../../kit/page/use-more.tsx';
import { cut, widthOf } from './text-width.ts';

interface QuestionGridProps {
  systems: readonly EvaluatedSystem[];
  /** Questions in display order; cells in the order of the systems. */
  rows: readonly GridRow[];
  empty: string | null;
  /** Opens the rollouts of a question, of one system. */
  onOpen: (question: string, system: string) => void;
}

type GridData = Pick<QuestionGridProps, 'systems' | 'rows'>;

/** CSS pixels: row height, smallest and largest column width, bottom margin. */
const ROW = 16;
const LEAST_COLUMN = 5;
const MOST_COLUMN = 16;
const FOOT = 4;

/** The grid at one width, CSS pixels. */
interface Plan {
  /** Room for the names of the systems. */
  left: number;
  column: number;
  /** Total width: scrolls if columns cannot be narrower. */
  width: number;
  height: number;
  /** [systems][questions] */
  kinds: CellKind[][];
  /** One SVG path per kind of cell. */
  paths: ReadonlyMap<CellKind, string>;
}

/** Columns share the width within limits: cells stay visible for five or thousands of questions. */
const planOf = ({ systems, rows }: GridData, width: number): Plan => {
  const left = widthOf(
    systems.map(({ title }) => title),
    Math.round(width * 0.4),
  );
  const room = (width - left) / Math.max(1, rows.length);
  const column = Math.min(MOST_COLUMN, Math.max(LEAST_COLUMN, room));
  const kinds = systems.map((_, at) =>
    rows.map(({ cells }) => {
      const cell = cells[at];
      return cell ? kindOf(cell) : 'missing';
    }),
  );
  return {
    left,
    column,
    width: Math.ceil(left + column * rows.length),
    height: systems.length * ROW + FOOT,
    kinds,
    paths: cellPaths(kinds, column, ROW),
  };
};

/** One path per kind of cell. Memoised: the cursor moves with every pointer event. */
const Drawing = memo(({ data, plan }: { data: GridData; plan: Plan }) => (
  <svg width={plan.width} height={plan.height} aria-hidden="true">
    {data.systems.map(({ id, title: name }, index) => (
      <text
        key={id}
        x={plan.left - 8}
        y={index * ROW + 12}
        textAnchor="end"
        className="picture-name"
      >
        {cut(name, plan.left)}
      </text>
    ))}
    <g transform={`translate(${plan.left} 1)`}>
      {CELL_KINDS.map((kind) => (
        <path key={kind} d={plan.paths.get(kind)} className={`cell-${kind}`} fillRule="evenodd" />
      ))}
    </g>
  </svg>
));

/** A single cell, drawn as in the grid. */
const Mark = ({ kind }: { kind: CellKind }) => (
  <svg width={12} height={12} aria-hidden="true">
    <path d={cellPaths([[kind]], 12, 12).get(kind)} className={`cell-${kind}`} fillRule="evenodd" />
  </svg>
);

/** The meaning of the shapes, drawn as in the grid. */
const Legend = () => (
  <ul className="grid-legend" data-legend="">
    {CELL_KINDS.map((kind) => (
      <li key={kind}>
        {kind === 'missing' ? (
          <span className="grid-blank" aria-hidden="true" />
        ) : (
          <Mark kind={kind} />
        )}
        {CELL_WORDS[kind]}
      </li>
    ))}
  </ul>
);

/** A row per system, a column per question. */
interface Place {
  row: number;
  column: number;
}

const clamp = (value: number, most: number): number => Math.max(0, Math.min(most, value));

/** The target of a key; null if there is none. */
const moved = (key: string, { row, column }: Place, data: GridData): Place | null => {
  const rows = data.systems.length - 1;
  const columns = data.rows.length - 1;
  const to: Record<string, Place> = {
    ArrowRight: { row, column: clamp(column + 1, columns) },
    ArrowLeft: { row, column: clamp(column - 1, columns) },
    ArrowDown: { row: clamp(row + 1, rows), column },
    ArrowUp: { row: clamp(row - 1, rows), column },
    Home: { row, column: 0 },
    End: { row, column: columns },
    PageDown: { row, column: clamp(column + 10, columns) },
    PageUp: { row, column: clamp(column - 10, columns) },
  };
  return Object.hasOwn(to, key) ? (to[key] ?? null) : null;
};

/** A cell in one sentence: system, result, and number of seeds. */
const wordsOf = (data: GridData, plan: Plan, { row, column }: Place): string => {
  const line = data.rows[column];
  const { rollouts = [], right = null } = line?.cells[row] ?? {};
  const kind = plan.kinds[row]?.[column] ?? 'missing';
  const several =
    rollouts.length > 1 ? `, ${formatShare(right)} of ${formatCount(rollouts.length)} seeds` : '';
  return `${data.systems[row]?.title ?? ''}: ${CELL_WORDS[kind]}${several} · ${line?.question.text ?? ''}`;
};

/** The drawing with its cursor: one tab stop, arrow keys inside. */
const Cells = ({ systems, rows, onOpen, width }: QuestionGridProps & { width: number }) => {
  const data = useMemo(() => ({ systems, rows }), [systems, rows]);
  const plan = useMemo(() => planOf(data, width), [data, width]);
  const [at, setAt] = useState<Place | null>(null);
  const box = useRef<HTMLDivElement>(null);
  // Computed, because the cells of a kind are one path.
  const placeOf = (event: PointerEvent | React.MouseEvent): Place | null => {
    const { left, top } = event.currentTarget.getBoundingClientRect();
    const column = Math.floor((event.clientX - left - plan.left) / plan.column);
    const row = Math.floor((event.clientY - top) / ROW);
    const inside = column >= 0 && column < data.rows.length && row < data.systems.length;
    return inside && row >= 0 ? { row, column } : null;
  };
  const open = (place: Place | null) => {
    const line = place && data.rows[place.column];
    const system = place && data.systems[place.row];
    if (line && system) onOpen(line.question.id, system.id);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter' || event.key === ' ') {
      event.preventDefault();
      return open(at);
    }
    const next = moved(event.key, at ?? { row: 0, column: 0 }, data);
    if (!next) return;
    event.preventDefault();
    // Keys that move the cursor are not page shortcuts.
    event.stopPropagation();
    setAt(next);
    const x = plan.left + next.column * plan.column;
    const { current } = box;
    // Centres a cell that is out of view, so that its neighbours are visible.
    if (current && (x < current.scrollLeft + plan.left || x > current.scrollLeft + width - 20))
      current.scrollLeft = x - width / 2;
  };
  const words = at ? wordsOf(data, plan, at) : '';
  return (
    <>
      <div
        ref={box}
        className="grid-scroll"
        role="grid"
        tabIndex={0}
        aria-label="Systems by question"
        aria-rowcount={data.systems.length}
        aria-colcount={data.rows.length}
        aria-activedescendant={at ? 'grid-cell' : undefined}
        onKeyDown={onKeyDown}
        onFocus={() => at ?? setAt({ row: 0, column: 0 })}
      >
        <div
          role="presentation"
          className="grid-area"
          style={{ width: plan.width, height: plan.height }}
          onPointerMove={(event) => setAt(placeOf(event))}
          onClick={(event) => open(placeOf(event))}
        >
          <Drawing data={data} plan={plan} />
          {at ? (
            <i
              className="grid-cursor"
              style={{
                left: plan.left + Math.round(at.column * plan.column) - 1,
                top: at.row * ROW - 1,
                width: Math.min(plan.column, ROW) + 2,
                height: ROW + 2,
              }}
            />
          ) : null}
        </div>
        <div role="row" aria-rowindex={(at?.row ?? 0) + 1} className="visually-hidden">
          <span role="gridcell" id="grid-cell" aria-colindex={(at?.column ?? 0) + 1}>
            {words}
          </span>
        </div>
      </div>
      <p className="fine picture-foot two">
        {words || 'Arrow keys move, Enter opens the rollouts.'}
      </p>
    </>
  );
};

/** The grid as a table, paginated: each row has one button per system. */
const GridTable = ({ systems, rows, onOpen }: Omit<QuestionGridProps, 'empty'>) => {
  const list = useMore(rows, pageOf(systems.length));
  const heads: readonly Head[] = [
    ['question'],
    ...systems.map(({ title }): Head => [title, 'centre']),
  ];
  return (
    <>
      <Table className="plain-table" heads={heads}>
        {list.rows.map(({ question, cells }) => (
          <tr key={question.id}>
            <th scope="row">{question.text}</th>
            {systems.map(({ id }, at) => {
              const cell = cells[at];
              const kind = cell ? kindOf(cell) : 'missing';
              return (
                <td key={id} className="centre">
                  {kind === 'missing' ? (
                    ''
                  ) : (
                    <button
                      type="button"
                      className="link"
                      title={CELL_WORDS[kind]}
                      onClick={() => onOpen(question.id, id)}
                    >
                      {kind.startsWith('right') ? '✓' : kind === 'mixed' ? '±' : '✗'}{' '}
                      {/* Above the table too, because the shape also shows the evidence. */}
                      <Mark kind={kind} />
                      <span className="visually-hidden"> {CELL_WORDS[kind]}</span>
                    </button>
                  )}
                </td>
              );
            })}
          </tr>
        ))}
      </Table>
      {list.more}
    </>
  );
};

/** Every question by every system: right or wrong, and whether the evidence was retrieved. */
export const QuestionGrid = (props: QuestionGridProps) => (
  <Picture
    id="grid"
    title="Questions by system"
    note="One column per question; those that most systems answer correctly (EM) come first."
    does="Click a cell to open its rollouts."
    empty={props.empty}
    controls={<Legend />}
    renderPicture={(width) => <Cells {...props} width={width} />}
    renderTable={() => <GridTable {...props} />}
  />
);

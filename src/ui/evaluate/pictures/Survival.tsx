import { useMemo } from 'react';
import type { FailurePoint, Survival as Survived } from '../../../evaluate/systems/pictures.ts';
import { rightBy } from '../../../evaluate/rollouts/basis.ts';
import type { EvaluatedSystem } from '../../../evaluate/systems/result.ts';
import { PointedPicture } from '../../kit/charts/picture/PointedPicture.tsx';
import { DASH, formatCount, formatShare, plural } from '../../kit/words/format.ts';
import { Table, type Head } from '../../kit/Table.tsx';
import { Picture } from '../../kit/charts/picture/Picture.tsx';
import { cut, widthOf } from './text-width.ts';

interface SurvivalProps {
  systems: readonly EvaluatedSystem[];
  rows: readonly Survived[];
  empty: string | null;
  /** Opens the rollouts of a system that were lost there. */
  onOpen: (system: string, at: FailurePoint) => void;
}

/** How many rollouts passed a stage, out of how many, and how many failed there. */
interface Passed {
  left: number;
  of: number;
  lost: number;
}

/** A system with its counts per stage. */
interface Line {
  id: string;
  name: string;
  /** In column order; null if no chain is so long. */
  passed: (Passed | null)[];
}

/** A stage: a hop, or the answer with a whole or a broken chain. */
interface Column {
  at: FailurePoint;
  name: string;
  /** Short labels for narrow columns. */
  short: string;
}

const RIGHT = rightBy(true, 'em');

/** The hops of the longest chain, then the answers. */
const columnsOf = (rows: readonly Survived[]): Column[] => {
  const hops = Math.max(0, ...rows.map((row) => row.hops.length));
  return [
    ...Array.from({ length: hops }, (_, index): Column => {
      const name = `hop ${index + 1}`;
      return { at: index + 1, name, short: name };
    }),
    { at: 'whole', name: `${RIGHT}, whole chain`, short: '✓ whole' },
    { at: 'broken', name: `${RIGHT}, broken chain`, short: '✓ broken' },
  ];
};

/** For answers, wrong ones count as lost. */
const passedAt = (row: Survived, at: FailurePoint): Passed | null => {
  if (typeof at === 'number') {
    const hop = row.hops[at - 1];
    return hop ? { left: hop.alive, of: hop.of, lost: hop.lost } : null;
  }
  const { right, of } = row[at];
  return { left: right, of, lost: of - right };
};

const linesOf = (
  systems: readonly EvaluatedSystem[],
  rows: readonly Survived[],
  columns: readonly Column[],
): Line[] => {
  const titles = new Map(systems.map(({ id, title }) => [id, title]));
  return rows.map((row) => ({
    id: row.system,
    name: titles.get(row.system) ?? row.system,
    passed: columns.map(({ at }) => passedAt(row, at)),
  }));
};

/** Also null if no rollout reached the stage. */
const shareOf = (passed: Passed | null): number | null =>
  passed === null || passed.of === 0 ? null : passed.left / passed.of;

/** The share and the total of a table cell. */
const wordsOf = (passed: Passed | null): string =>
  passed === null || passed.of === 0
    ? DASH
    : `${formatShare(passed.left / passed.of)} of ${formatCount(passed.of)}`;

/** A bar in one sentence, for screen readers and the line below. */
const saysOf = (line: Line, column: Column, passed: Passed | null): string => {
  const at = `${line.name}, ${column.name}`;
  if (passed === null || passed.of === 0) return `${at}: no rollout`;
  const kept = typeof column.at === 'number' ? 'retrieved all so far' : 'right';
  const lost = typeof column.at === 'number' ? 'lost here' : 'wrong';
  return `${at}: ${formatCount(passed.left)} of ${plural(passed.of, 'rollout')} ${kept}, ${formatCount(passed.lost)} ${lost}`;
};

/** CSS pixels: row height, and height of the column heads. */
const ROW = 24;
const HEAD = 20;
/** Height of a bar in its row, and the margin at its right. */
const [TOP, BAR, GAP] = [4, 15, 8];

const clamp = (value: number, count: number): number => Math.max(0, Math.min(count - 1, value));

/** Narrower, numbers would overlap: the drawing scrolls. */
const LEAST_STEP = 60;

/** A row of bars per system; bars are chosen by pointer or arrow keys, and opened by click or Enter. */
const Bars = (props: {
  lines: readonly Line[];
  columns: readonly Column[];
  width: number;
  open: (line: Line, column: Column) => void;
}) => {
  const { lines, columns, width, open } = props;
  const left = widthOf(
    lines.map(({ name }) => name),
    Math.round(width * 0.34),
  );
  const step = Math.max(LEAST_STEP, (width - left) / columns.length);
  // Bars are indexed row by row.
  const barAt = (place: number) => {
    const [row, at] = [Math.floor(place / columns.length), place % columns.length];
    const [line, column] = [lines[row], columns[at]];
    return line && column ? { line, column, row, at, passed: line.passed[at] ?? null } : null;
  };
  const placeAt = (x: number, y: number): number | null => {
    const [row, at] = [Math.floor((y - HEAD) / ROW), Math.floor((x - left) / step)];
    const inside = row >= 0 && row < lines.length && at >= 0 && at < columns.length;
    return inside ? row * columns.length + at : null;
  };
  const next = (from: number | null, [x, y]: readonly [number, number]): number => {
    const bar = barAt(from ?? 0);
    if (from === null || !bar) return 0;
    return clamp(bar.row + y, lines.length) * columns.length + clamp(bar.at + x, columns.length);
  };
  return (
    <PointedPicture
      className="survival"
      label="Systems by hop: arrow keys move between bars, Enter lists the rollouts lost there"
      count={lines.length * columns.length}
      says={(place) => {
        const bar = barAt(place);
        return bar ? saysOf(bar.line, bar.column, bar.passed) : '';
      }}
      none="no bar chosen"
      hint="Point at a bar, or use the arrow keys. Click it, or press Enter, to list the rollouts lost there."
      placeAt={placeAt}
      next={next}
      open={(place) => {
        const bar = barAt(place);
        if (bar) open(bar.line, bar.column);
      }}
      renderDrawing={(chosen) => {
        const bar = chosen === null ? null : barAt(chosen);
        return (
          <svg
            width={Math.ceil(left + step * columns.length)}
            height={HEAD + lines.length * ROW + 1}
            aria-hidden="true"
          >
            {columns.map(({ name, short }, at) => (
              <text key={name} x={left + at * step} y={13} className="picture-tick">
                {step < 150 ? short : name}
              </text>
            ))}
            {lines.map((line, row) => (
              <g key={line.id} transform={`translate(0 ${HEAD + row * ROW})`}>
                <text x={left - 8} y={15} textAnchor="end" className="picture-name">
                  {cut(line.name, left)}
                </text>
                {columns.map(({ name, at: where }, at) => {
                  const value = shareOf(line.passed[at] ?? null);
                  const kind = typeof where === 'number' ? 'survival-hop' : 'survival-answer';
                  return (
                    <g key={name} transform={`translate(${left + at * step} 0)`}>
                      <rect
                        y={TOP}
                        width={step - GAP}
                        height={BAR}
                        className="survival-all"
                        rx={2}
                      />
                      <rect
                        y={TOP}
                        width={(value ?? 0) * (step - GAP)}
                        height={BAR}
                        rx={2}
                        className={kind}
                      />
                      <text x={step - 12} y={15.5} textAnchor="end" className="survival-value">
                        {formatShare(value)}
                      </text>
                    </g>
                  );
                })}
              </g>
            ))}
            {bar ? (
              <rect
                data-chosen=""
                x={left + bar.at * step - 1}
                y={HEAD + bar.row * ROW + TOP - 1}
                width={step - GAP + 2}
                height={BAR + 2}
                rx={3}
                className="survival-chosen"
              />
            ) : null}
          </svg>
        );
      }}
    />
  );
};

/** The share of rollouts that still have all evidence, per hop; a bar opens those lost there. */
export const Survival = ({ systems, rows, empty, onOpen }: SurvivalProps) => {
  const columns = useMemo(() => columnsOf(rows), [rows]);
  const lines = useMemo(() => linesOf(systems, rows, columns), [systems, rows, columns]);
  const heads: readonly Head[] = [['system'], ...columns.map(({ name }): Head => [name, 'figure'])];
  return (
    <Picture
      id="survival"
      title="Survival, hop by hop"
      note="Bars per hop: share of the rollouts on questions with at least that many hops that had retrieved the passages of all hops up to it. The last two: right by EM with the whole chain, and with a broken chain."
      empty={empty}
      renderPicture={(width) => (
        <Bars
          // Without systems that have no question with a chain; the table shows dashes for them.
          lines={lines.filter((_, at) => (rows[at]?.hops.length ?? 0) > 0)}
          columns={columns}
          width={width}
          open={(line, { at }) => onOpen(line.id, at)}
        />
      )}
      renderTable={() => (
        <Table className="plain-table" heads={heads}>
          {lines.map((line) => (
            <tr key={line.id}>
              <th scope="row">{line.name}</th>
              {columns.map((column, at) => {
                const passed = line.passed[at] ?? null;
                return (
                  <td key={column.name} className="figure">
                    {passed === null || passed.lost === 0 ? (
                      wordsOf(passed)
                    ) : (
                      <button
                        type="button"
                        className="link"
                        title={saysOf(line, column, passed)}
                        aria-label={`${saysOf(line, column, passed)}. List these`}
                        onClick={() => onOpen(line.id, column.at)}
                      >
                        {wordsOf(passed)}
                      </button>
                    )}
                  </td>
                );
              })}
            </tr>
          ))}
        </Table>
      )}
    />
  );
};

import { endOfRow, type RolloutRow } from '../../evaluate/rollouts/row.ts';
import { isRowNumber, ROW_NUMBER_NAMES } from '../../evaluate/rollouts/row-numbers.ts';
import { basisOf } from '../../evaluate/rollouts/taxonomy.ts';
import type { StoredRow } from '../contract/records/rollout-files.ts';

/** Columns of the rollout table by name: what they hold, for ordering and for export. */

export type Cell = string | number | null;

const TEXTS: Record<string, (stored: StoredRow) => Cell> = {
  line: ({ line }) => line,
  id: ({ row }) => row.id,
  run: ({ row }) => row.run,
  group: ({ row }) => row.group,
  question: ({ row }) => row.question,
  answer: ({ row }) => row.answer,
  recipe: ({ row }) => row.recipe,
  policy: ({ row }) => row.policy,
  layout: ({ row }) => row.layout,
  protocol: ({ row }) => row.protocol,
  outcome: ({ row }) => row.outcome,
  'outcome-by': ({ row }) => basisOf(row.outcome, row.numbers),
  gold: ({ row }) => row.gold ?? null,
  ended: ({ row }) => endOfRow(row),
  why: ({ row }) => row.why ?? null,
  hops: ({ row }) => row.hops?.join(', ') ?? null,
  lint: ({ row }) => (row.lint.length === 0 ? null : row.lint.join(', ')),
  tags: ({ row }) => (row.tags.length === 0 ? null : row.tags.join(', ')),
};

const CLAUSE = 'reward.';

/** Columns that every file has; reward clauses come on top, as `reward.CLAUSE`. */
export const COLUMN_NAMES: readonly string[] = [...Object.keys(TEXTS), ...ROW_NUMBER_NAMES];

const clauseOf = ({ clauses }: RolloutRow, name: string): Cell => {
  const clause = name.slice(CLAUSE.length);
  return Object.hasOwn(clauses, clause) ? clauses[clause]! : null;
};

/** Reads a column of a row; null for every column that there is none of. */
export function columnReader(name: string): (stored: StoredRow) => Cell {
  const text = Object.hasOwn(TEXTS, name) ? TEXTS[name] : undefined;
  if (text) return text;
  if (isRowNumber(name)) return ({ row }) => row.numbers[name] ?? null;
  if (name.startsWith(CLAUSE)) return ({ row }) => clauseOf(row, name);
  return () => null;
}

const compareCells = (a: string | number, b: string | number): number =>
  typeof a === 'number' && typeof b === 'number'
    ? a - b
    : String(a) < String(b)
      ? -1
      : Number(String(a) > String(b));

/** Orders positions by a column, equal ones as they stood; what has no value comes last either way. */
export function ordered(
  rows: readonly StoredRow[],
  positions: readonly number[],
  sort: { column: string; descending: boolean } | null,
): number[] {
  if (!sort) return [...positions];
  const read = columnReader(sort.column);
  const sign = sort.descending ? -1 : 1;
  const keyed = positions.map((position) => ({ position, cell: read(rows[position]!) }));
  keyed.sort((a, b) => {
    if (a.cell === null || b.cell === null)
      return Number(a.cell === null) - Number(b.cell === null) || a.position - b.position;
    return sign * compareCells(a.cell, b.cell) || a.position - b.position;
  });
  return keyed.map(({ position }) => position);
}

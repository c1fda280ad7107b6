import { answerOf } from '../../records/outside-answer.ts';
import type {
  BrowseGroup,
  BrowseQuery,
  ComparedRuns,
  Facet,
  FilterFault,
  BrowseResult,
  NoScore,
} from '../contract/rollouts.ts';
import { histogramOf, type Histogram } from '../../evaluate/rollouts/histogram.ts';
import { compareRuns, type Criterion, hasScore } from '../../evaluate/rollouts/compare-runs.ts';
import { statisticsOf } from '../../evaluate/rollouts/statistics.ts';
import { FilterError } from '../../evaluate/rollouts/filter/error.ts';
import { parseFilter } from '../../evaluate/rollouts/filter/parse.ts';
import { unknownsOf } from '../../evaluate/rollouts/filter/unknown.ts';
import { flowOf } from '../../evaluate/rollouts/why.ts';
import { endOfRow, factsOfRow, type RolloutRow } from '../../evaluate/rollouts/row.ts';
import { COLUMN_NAMES, columnReader, ordered } from './columns.ts';
import type { GroupField, StoredRow } from '../contract/records/rollout-files.ts';
import { meanOrNull } from '../../base/statistics.ts';

/**
 * A selection as the page shows it: positions in place of rows, because a page that holds tens of
 * thousands of rows cannot scroll. Rows are then asked for as they come on the screen.
 */

/** A filter's error as a value. @throws every other error */
export function faultOf(error: unknown): FilterFault {
  if (!(error instanceof FilterError)) throw error;
  const { message, position, length } = error;
  return { status: 'fault', message, position, length };
}

const VALUES: Record<GroupField, (row: RolloutRow) => string | number | null> = {
  step: ({ numbers }) => numbers.step,
  question: ({ question }) => question,
  group: ({ group }) => group,
  outcome: ({ outcome }) => outcome,
};

const meanOf = (values: readonly (number | null)[]): number | null => {
  const known = values.filter((value) => value !== null);
  return meanOrNull(known);
};

function summed(
  rows: readonly StoredRow[],
  positions: readonly number[],
): Pick<BrowseGroup, 'count' | 'reward' | 'em' | 'flat'> {
  const rewards = positions.map((at) => rows[at]!.row.numbers.reward);
  const known = rewards.every((value) => value !== null);
  return {
    count: positions.length,
    reward: meanOf(rewards),
    em: meanOf(positions.map((at) => rows[at]!.row.numbers.em)),
    flat: known && rewards.length > 1 && rewards.every((value) => value === rewards[0]),
  };
}

/** Positions by the value of a field, in the order in which values first occur. */
function parted(
  rows: readonly StoredRow[],
  positions: readonly number[],
  field: GroupField,
): Map<string | number | null, number[]> {
  const parts = new Map<string | number | null, number[]>();
  for (const at of positions) {
    const value = VALUES[field](rows[at]!.row);
    const part = parts.get(value);
    if (part) part.push(at);
    else parts.set(value, [at]);
  }
  return parts;
}

/** Puts rows of a group together; steps ascend, other groups are where their first row stood. */
function grouped(
  rows: readonly StoredRow[],
  positions: readonly number[],
  fields: readonly GroupField[],
): { order: number[]; groups: BrowseGroup[] } {
  const order: number[] = [];
  const groups: BrowseGroup[] = [];
  const add = (inside: readonly number[], level: number, path: string): void => {
    const field = fields[level];
    if (field === undefined) {
      for (const at of inside) order.push(at);
      return;
    }
    const parts = [...parted(rows, inside, field)];
    if (field === 'step') parts.sort(([a], [b]) => Number(a ?? Infinity) - Number(b ?? Infinity));
    for (const [value, part] of parts) {
      const key = `${path}/${field}=${value}`;
      groups.push({ key, level, field, value, from: order.length, ...summed(rows, part) });
      add(part, level + 1, key);
    }
  };
  add(positions, 0, '');
  return { order, groups };
}

function counted<K extends string>(keys: Iterable<K>): Partial<Record<K, number>> {
  const counts: Partial<Record<K, number>> = {};
  for (const key of keys) counts[key] = (counts[key] ?? 0) + 1;
  return counts;
}

/** By list of rows, which is replaced when a row changes: reading every column takes a while. */
const knownEmpty = new WeakMap<readonly StoredRow[], string[]>();

function emptyColumns(rows: readonly StoredRow[]): string[] {
  const known = knownEmpty.get(rows);
  if (known) return known;
  const empty = COLUMN_NAMES.filter((name) => {
    const read = columnReader(name);
    return rows.every((row) => (read(row) ?? '') === '');
  });
  knownEmpty.set(rows, empty);
  return empty;
}

/**
 * @param passing positions of the rows that pass the filter, in the file's order
 * @throws FilterError for a filter that cannot be read
 */
export function selected(
  rows: readonly StoredRow[],
  passing: readonly number[],
  { filter, sort, group }: BrowseQuery,
): BrowseResult {
  const sorted = ordered(rows, passing, sort);
  const { order, groups } = grouped(rows, sorted, group);
  const inside = passing.map((at) => rows[at]!.row);
  return {
    total: rows.length,
    order: Uint32Array.from(order),
    groups,
    statistics: statisticsOf(inside.map(factsOfRow)),
    outcomes: counted(inside.flatMap(({ outcome }) => outcome ?? [])),
    flow: flowOf(inside.map(endOfRow)),
    lint: counted(inside.flatMap(({ lint }) => lint)),
    empty: emptyColumns(rows),
    runs: new Set(rows.map(({ row }) => row.run)).size,
    clauses: [...new Set(rows.flatMap(({ row }) => Object.keys(row.clauses)))].sort(),
    unknown: unknownsOf(
      parseFilter(filter),
      rows.map(({ row }) => row),
    ),
  };
}

/** Most values that are listed of a field. */
const MOST_FACETS = 300;

/** Values of a field with their rollouts: steps in order, others by count. */
export function facetsOf(
  rows: readonly StoredRow[],
  passing: readonly number[],
  field: GroupField,
): { values: Facet[]; all: number } {
  const parts = [...parted(rows, passing, field)].flatMap(([value, part]) =>
    value === null ? [] : [{ value, part }],
  );
  const by =
    field === 'step'
      ? (a: { value: string | number }, b: { value: string | number }): number =>
          Number(a.value) - Number(b.value)
      : (a: { part: number[] }, b: { part: number[] }): number => b.part.length - a.part.length;
  const values = parts
    .sort((a, b) => by(a, b))
    .slice(0, MOST_FACETS)
    .map(({ value, part }) => ({ value, ...summed(rows, part) }));
  return { values, all: parts.length };
}

/** Letters of an answer that a list shows. */
const SHOWN = 80;

const answersOf = (rows: readonly StoredRow[]): Record<string, string> =>
  Object.fromEntries(rows.map(({ row }) => [row.id, answerOf(row).slice(0, SHOWN)]));

/** How a number is distributed over the file, and over what passes. @param column null: one that suits the file */
export const distributionOf = (
  rows: readonly StoredRow[],
  passing: readonly number[],
  column: string | null,
): Histogram =>
  histogramOf(
    rows.map(({ row }) => row),
    passing,
    column,
  );

/** Null where a rollout has the score. */
export function noScoreOf(rows: readonly RolloutRow[], criterion: Criterion): NoScore | null {
  if (rows.length === 0) return 'empty';
  const facts = rows.map(factsOfRow);
  if (facts.some((one) => hasScore(one, criterion))) return null;
  if (criterion === 'judge') return 'no-verdict';
  // By SQuAD's normaliser there is one: the other one's was not counted yet.
  if (facts.some(({ scores }) => scores !== null)) return 'older';
  return facts.some(({ golds, unread }) => golds && unread) ? 'not-scored' : 'no-gold';
}

/** Two files, question by question. */
export function compared(
  a: readonly StoredRow[],
  b: readonly StoredRow[],
  criterion: Criterion,
): ComparedRuns {
  const facts = (rows: readonly StoredRow[]) => rows.map(({ row }) => factsOfRow(row));
  const noScore = (rows: readonly StoredRow[]) =>
    noScoreOf(
      rows.map(({ row }) => row),
      criterion,
    );
  const both = [...b, ...a];
  return {
    ...compareRuns(facts(a), facts(b), criterion),
    texts: Object.fromEntries(both.map(({ row }) => [row.questionId, row.question])),
    golds: Object.fromEntries(both.map(({ row }) => [row.questionId, row.gold ?? ''])),
    answers: { a: answersOf(a), b: answersOf(b) },
    noScore: { a: noScore(a), b: noScore(b) },
  };
}

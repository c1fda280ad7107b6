import { groupBy } from '../../../base/items.ts';
import { MEASURES, type Measure } from './measures.ts';
import type { SystemsTable, TableCell } from './shape.ts';

/** What is under a table, on the page as in its files. */

/** How the intervals are made. */
export const INTERVALS =
  'by bootstrap over questions (worlds kept; Wilson’s where all are 0 % or all 100 %)';

type Row = SystemsTable['rows'][number];

const cellOf = ({ cells }: Row, { id }: Measure): TableCell | undefined =>
  cells.find(({ measure }) => measure === id);

/** Whether some row has a number for it. */
export const isMeasured = (rows: readonly Row[], measure: Measure): boolean =>
  rows.some((row) => (cellOf(row, measure)?.value ?? null) !== null);

/** Up to this many different counts are listed, and rows named with each. */
const MOST = 3;

/** Titles have commas of their own. */
const named = (titles: readonly string[]): string =>
  titles.length > MOST
    ? `${titles.slice(0, MOST).join('; ')} and ${titles.length - MOST} more`
    : titles.join('; ');

/**
 * "6 of 8 questions", and where rows differ "6 of 8 questions (A; B), 5 of 8 (C)": while an evaluation runs they may
 * all differ, and a range is given. Null where every row's number is over all its questions.
 */
function coverage(
  rows: readonly Row[],
  measure: Measure,
  titleOf: (system: string) => string,
): string | null {
  const over = rows.flatMap((row) => {
    const cell = cellOf(row, measure);
    return cell?.value ? [{ n: cell.n, of: row.questions, title: titleOf(row.system) }] : [];
  });
  if (over.every(({ n, of }) => n === of)) return null;
  const groups = [...groupBy(over, ({ n, of }) => `${n} of ${of}`)];
  if (groups.length > MOST) {
    const counts = over.map(({ n }) => n);
    return `${Math.min(...counts)} to ${Math.max(...counts)} questions, fewer than in the row`;
  }
  return groups
    .map(([words, group], i) => {
      const told = i === 0 ? `${words} questions` : words;
      return groups.length === 1 ? told : `${told} (${named(group.map(({ title }) => title))})`;
    })
    .join(', ');
}

/** "Recall over 6 of 8 questions: the others name no evidence.": of each measure that fewer questions have than its row. */
export const countNotes = (rows: readonly Row[], titleOf: (system: string) => string): string[] =>
  MEASURES.flatMap((measure) => {
    const words = coverage(rows, measure, titleOf);
    if (words === null) return [];
    const reason = measure.absent === undefined ? '' : `: ${measure.absent.some}`;
    const title = measure.title.charAt(0).toUpperCase() + measure.title.slice(1);
    return [`${title} over ${words}${reason}.`];
  });

/** "judge (no judge was asked)": of each measure that no row has. */
export const missingNotes = (rows: readonly Row[]): string[] =>
  MEASURES.filter((measure) => !isMeasured(rows, measure)).map(({ title, absent }) =>
    absent === undefined ? title : `${title} (${absent.all})`,
  );

import type { RolloutRow } from '../row.ts';
import { isRowNumber, NO_GOLD_ANSWERS, rowNumber } from '../row-numbers.ts';
import type { Filter } from './ast.ts';
import { isUnknownText, numberOf } from './match.ts';

/** What a filter asks for and rows cannot say. Unknown is not zero: no comparison with it holds, nor its contrary. */

export interface Unknown {
  /** As the filter language names it. */
  field: string;
  /** Rows that lack it, of how many. */
  rows: number;
  of: number;
  /** What such a record lacks. */
  why: string;
}

const TEXTS = {
  recipe: 'the record names no recipe',
  policy: 'the record names no model',
  protocol: 'no tag protocol was recognised in the text',
  outcome: NO_GOLD_ANSWERS,
} as const;

type UnknownText = keyof typeof TEXTS;

/** What lies in texts is read, not known beforehand. */
const isText = (field: string): field is UnknownText => Object.hasOwn(TEXTS, field);

/** Fields that a filter compares; `is missing` and `is present` ask about what is unknown themselves. */
function compared(filter: Filter): string[] {
  switch (filter.kind) {
    case 'and':
    case 'or':
      return filter.parts.flatMap(compared);
    case 'not':
      return compared(filter.part);
    case 'number':
      return [filter.field];
    case 'equals':
    case 'contains':
    case 'matches':
      // Whether there is an answer is unknown just where the answer itself is.
      if (filter.field === 'answer') return ['answered'];
      return isText(filter.field) ? [filter.field] : [];
    default:
      return [];
  }
}

/** Stored before the number was counted: nothing about the record itself. */
const isOlder = ({ numbers }: RolloutRow, field: string): boolean =>
  isRowNumber(field) && !Object.hasOwn(numbers, field);

function whyOf(field: string, lacking: readonly RolloutRow[]): string {
  if (isText(field)) return TEXTS[field];
  if (lacking.every((row) => isOlder(row, field)))
    return 'the file was imported by an older version; open it again to count this';
  if (isRowNumber(field)) return rowNumber(field).unknown;
  return `the reward has no clause “${field.replace(/^reward\./, '')}”`;
}

/** What a filter compares and some rows lack, in the order in which the filter names it. */
export function unknownsOf(filter: Filter, rows: readonly RolloutRow[]): Unknown[] {
  return [...new Set(compared(filter))].flatMap((field) => {
    const lacking = rows.filter((row) =>
      isText(field) ? isUnknownText(row, field) : numberOf(row, field) === null,
    );
    return lacking.length === 0
      ? []
      : [{ field, rows: lacking.length, of: rows.length, why: whyOf(field, lacking) }];
  });
}

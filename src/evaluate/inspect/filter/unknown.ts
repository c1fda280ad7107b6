import type { RolloutRow, RowNumber } from '../row.ts';
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

const NO_GOLD_ANSWERS = 'the record has no gold answers to score against';
const NO_GOLD = `${NO_GOLD_ANSWERS}, or its answer cannot be read`;

const WHY: Record<RowNumber, string> = {
  em: NO_GOLD,
  f1: NO_GOLD,
  'cover-em': NO_GOLD,
  'sub-em': NO_GOLD,
  'em.r1-searcher': NO_GOLD,
  'f1.r1-searcher': NO_GOLD,
  'cover-em.r1-searcher': NO_GOLD,
  'sub-em.r1-searcher': NO_GOLD,
  judge: 'the record has no verdict of a judge',
  answered: 'the answer cannot be read, so nobody can say what it is, or whether one was given',
  retrieved: 'the gold answers are missing, or are yes or no, which stand in passages anyway',
  recall: 'the record does not name the supporting titles of its question',
  reward: 'the record states no total reward',
  baseline: 'the record states no baseline',
  advantage: 'the record states no advantage',
  step: 'the record counts no training steps',
  searches: 'the record does not show its queries',
  rounds: 'the record does not show its rounds',
  passages: 'the record does not show what was read',
  tokens: 'the record has no tokens to count',
  words: 'the record has no text to count',
  seconds: 'the record states no duration',
};

const TEXTS = {
  recipe: 'the record names no recipe',
  policy: 'the record names no policy',
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
  Object.hasOwn(WHY, field) && !Object.hasOwn(numbers, field);

function whyOf(field: string, lacking: readonly RolloutRow[]): string {
  if (isText(field)) return TEXTS[field];
  if (lacking.every((row) => isOlder(row, field)))
    return 'the file was read before this was counted; open it again to have it';
  if (Object.hasOwn(WHY, field)) return WHY[field as RowNumber];
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

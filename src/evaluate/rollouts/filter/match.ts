import type { ImportedRollout, ImportedSegment } from '../../../formats/rollouts/shape/imported.ts';
import { endOfRow, type RolloutRow } from '../row.ts';
import type { RowNumber } from '../row-numbers.ts';
import type { Filter, NumberOperator } from './ast.ts';
import { fieldOf } from './fields.ts';
import { compilePattern } from './pattern.ts';

/** Filters over rows, and over texts only where a row does not decide. */

type Body = Pick<ImportedRollout, 'segments'>;

/**
 * What a condition may turn out as, of Kleene's three values: several of them where only the text can tell.
 * One that asks about what the record does not know is unknown, and so is its contrary.
 */
type Verdict = number;

const TRUE = 1;
const FALSE = 2;
const UNKNOWN = 4;
const LEFT_TO_THE_TEXT = TRUE | FALSE;

const told = (holds: boolean): Verdict => (holds ? TRUE : FALSE);

type Test = (row: RolloutRow, body: Body | null) => Verdict;

const COMPARE: Record<NumberOperator, (a: number, b: number) => boolean> = {
  '=': (a, b) => a === b,
  '!=': (a, b) => a !== b,
  '<': (a, b) => a < b,
  '<=': (a, b) => a <= b,
  '>': (a, b) => a > b,
  '>=': (a, b) => a >= b,
};

/** Null where the row does not know it. */
export function numberOf(row: RolloutRow, field: string): number | null {
  if (field.startsWith('reward.')) {
    const clause = field.slice('reward.'.length);
    return Object.hasOwn(row.clauses, clause) ? (row.clauses[clause] ?? null) : null;
  }
  return row.numbers[field as RowNumber] ?? null;
}

type TextField =
  | 'id'
  | 'run'
  | 'group'
  | 'question'
  | 'answer'
  | 'recipe'
  | 'policy'
  | 'layout'
  | 'protocol'
  | 'outcome'
  | 'gold'
  | 'ended'
  | 'why';

/** Null where the row does not know it. */
const textOf = (row: RolloutRow, field: TextField): string | null =>
  field === 'ended' ? endOfRow(row) : (row[field] ?? null);

const isRowText = (field: string): field is TextField => fieldOf(field)?.kind === 'text';

const WRITERS: Record<string, ImportedSegment['source']> = {
  prompt: 'prompt',
  written: 'policy',
  read: 'environment',
};

const isInField = (field: string, { source, role }: ImportedSegment): boolean =>
  field === 'text' || (WRITERS[field] ? source === WRITERS[field] : role === field);

const same = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase();

/**
 * Texts that a record may not know. An answer that was not given is known to be none; one that cannot be
 * read is not known.
 */
export const isUnknownText = (row: RolloutRow, field: string): boolean =>
  field === 'answer'
    ? row.notScored !== undefined
    : isRowText(field) && textOf(row, field) === null;

/** A test of the segments that carry a field. */
const segmentTest =
  (field: string, test: (text: string) => boolean): Test =>
  (_row, body) =>
    body === null
      ? LEFT_TO_THE_TEXT
      : told(body.segments.some((segment) => isInField(field, segment) && test(segment.text)));

/** A test of texts: of a row's own field, or of the segments that carry the field. */
function textTest(field: string, test: (text: string) => boolean): Test {
  if (!isRowText(field)) return segmentTest(field, test);
  return (row) => {
    if (isUnknownText(row, field)) return UNKNOWN;
    const text = textOf(row, field);
    return told(text !== null && test(text));
  };
}

function presence(field: string): Test {
  const kind = fieldOf(field)?.kind;
  if (kind === 'number') return (row) => told(numberOf(row, field) !== null);
  if (kind === 'set') return (row) => told(row[field as 'tags' | 'lint'].length > 0);
  if (isRowText(field)) return (row) => told((textOf(row, field) ?? '') !== '');
  return segmentTest(field, (text) => text !== '');
}

/**
 * Kleene's `and` (false decides) and `or` (true decides): where no part decides, one unknown part makes the whole
 * unknown. Of what each part may be follows what the whole may be.
 */
function junction(tests: readonly Test[], decides: typeof TRUE | typeof FALSE): Test {
  const yields = LEFT_TO_THE_TEXT & ~decides;
  return (row, body) => {
    let may: Verdict = yields;
    for (const test of tests) {
      const one = test(row, body);
      if (one === decides) return decides;
      may =
        ((may | one) & decides) |
        (may & one & yields) |
        // Unknown: one part is, and neither is bound to decide.
        ((may | one) & UNKNOWN && may & ~decides && one & ~decides ? UNKNOWN : 0);
    }
    return may;
  };
}

/** True and false change places; unknown stays. */
const negation =
  (test: Test): Test =>
  (row, body) => {
    const may = test(row, body);
    return (may & UNKNOWN) | (may & TRUE ? FALSE : 0) | (may & FALSE ? TRUE : 0);
  };

function testOf(filter: Filter): Test {
  switch (filter.kind) {
    case 'everything':
      return () => TRUE;
    case 'and':
    case 'or':
      return junction(filter.parts.map(testOf), filter.kind === 'or' ? TRUE : FALSE);
    case 'not':
      return negation(testOf(filter.part));
    case 'number': {
      const compare = COMPARE[filter.operator];
      return (row) => {
        const value = numberOf(row, filter.field);
        return value === null ? UNKNOWN : told(compare(value, filter.value));
      };
    }
    case 'equals':
      return textTest(filter.field, (text) => same(text, filter.value) === filter.equal);
    case 'has':
      return (row) =>
        told(row[filter.field as 'tags' | 'lint'].some((one) => same(one, filter.value)));
    case 'contains': {
      const wanted = filter.value.toLowerCase();
      return textTest(filter.field, (text) => text.toLowerCase().includes(wanted));
    }
    case 'matches':
      return textTest(filter.field, compilePattern(filter.source, filter.flags));
    case 'is': {
      const present = presence(filter.field);
      return filter.what === 'present' ? present : negation(present);
    }
  }
}

export interface CompiledFilter {
  /**
   * Whether the row passes: only where the filter is true of it; null where its text must be looked at. A
   * comparison with a value that the record lacks is unknown, also `!=`, and so is `not` before it: neither
   * passes. `is missing` and `is present` are always true or false.
   */
  row(row: RolloutRow): boolean | null;
  /** Whether a rollout passes whose text is available. */
  rollout(row: RolloutRow, body: Body): boolean;
}

/** Makes a filter ready for many rollouts. @throws FilterError for a pattern that cannot be used */
export function compileFilter(filter: Filter): CompiledFilter {
  const test = testOf(filter);
  return {
    row: (row) => {
      const may = test(row, null);
      if (may === TRUE) return true;
      return may & TRUE ? null : false;
    },
    // With a body no verdict is left open.
    rollout: (row, body) => test(row, body) === TRUE,
  };
}

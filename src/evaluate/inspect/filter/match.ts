import type { ImportedRollout, ImportedSegment } from '../../../data/rollouts/index.ts';
import type { RolloutRow, RowNumber } from '../row.ts';
import type { Filter, NumberOperator } from './ast.ts';
import { fieldOf } from './fields.ts';
import { compilePattern } from './pattern.ts';

/** Filters over rows, and over texts only where a row does not decide. */

type Body = Pick<ImportedRollout, 'segments'>;

/** True, false, or null where only the text can tell. */
type Verdict = boolean | null;

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
    return Object.hasOwn(row.clauses, clause) ? row.clauses[clause]! : null;
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
  | 'outcome';

const WRITERS: Record<string, ImportedSegment['source']> = {
  prompt: 'prompt',
  written: 'policy',
  read: 'environment',
};

const standsIn = (field: string, { source, role }: ImportedSegment): boolean =>
  field === 'text' || (WRITERS[field] ? source === WRITERS[field] : role === field);

const same = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase();

/** A test of texts: of a row's own field, or of the segments that carry the field. */
function textTest(field: string, test: (text: string) => boolean): Test {
  const kind = fieldOf(field)?.kind;
  if (kind === 'text')
    return (row) => {
      const text = row[field as TextField];
      return text !== null && test(text);
    };
  return (_row, body) =>
    body === null
      ? null
      : body.segments.some((segment) => standsIn(field, segment) && test(segment.text));
}

function presence(field: string): Test {
  const kind = fieldOf(field)?.kind;
  if (kind === 'number') return (row) => numberOf(row, field) !== null;
  if (kind === 'set') return (row) => row[field as 'tags' | 'lint'].length > 0;
  return textTest(field, (text) => text !== '');
}

/** Kleene's logic: what is not known yet stays so unless the rest decides. */
function junction(tests: readonly Test[], decides: boolean): Test {
  return (row, body) => {
    let verdict: Verdict = !decides;
    for (const test of tests) {
      const one = test(row, body);
      if (one === decides) return decides;
      if (one === null) verdict = null;
    }
    return verdict;
  };
}

function negation(test: Test): Test {
  return (row, body) => {
    const verdict = test(row, body);
    return verdict === null ? null : !verdict;
  };
}

function testOf(filter: Filter): Test {
  switch (filter.kind) {
    case 'everything':
      return () => true;
    case 'and':
    case 'or':
      return junction(filter.parts.map(testOf), filter.kind === 'or');
    case 'not':
      return negation(testOf(filter.part));
    case 'number': {
      const compare = COMPARE[filter.operator];
      return (row) => {
        const value = numberOf(row, filter.field);
        return value !== null && compare(value, filter.value);
      };
    }
    case 'equals':
      return textTest(filter.field, (text) => same(text, filter.value) === filter.equal);
    case 'has':
      return (row) => row[filter.field as 'tags' | 'lint'].some((one) => same(one, filter.value));
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
   * Whether the row passes; null where its text must be looked at. A comparison with a value that the
   * record lacks is false, also `!=`; `not` turns that into true.
   */
  row(row: RolloutRow): boolean | null;
  /** Whether a rollout passes whose text is at hand. */
  rollout(row: RolloutRow, body: Body): boolean;
}

/** Makes a filter ready for many rollouts. @throws FilterError for a pattern that cannot be used */
export function compileFilter(filter: Filter): CompiledFilter {
  const test = testOf(filter);
  return {
    row: (row) => test(row, null),
    // With a body no verdict is left open.
    rollout: (row, body) => test(row, body) === true,
  };
}

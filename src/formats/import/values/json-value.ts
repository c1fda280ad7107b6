import { messageOf } from '../../../base/errors.ts';
import { lineValues } from '../../values/json.ts';
import type { RawItem } from './types.ts';

type ParsedValue = Pick<RawItem, 'value' | 'problem'>;

const problem = (error: unknown): ParsedValue => ({
  problem: { key: '', expected: `expected JSON: ${messageOf(error).slice(0, 200)}` },
});

/** The JSON values of a line, one as a rule, and what is wrong where there is none. */
export function parseJsonLine(text: string): ParsedValue[] {
  try {
    return lineValues(text).map((read) =>
      'error' in read ? problem(read.error) : { value: read.value },
    );
  } catch (error) {
    // Nested beyond what the parser's stack holds.
    return [problem(error)];
  }
}

/** A JSON text as a value, or what is wrong with it. */
export function parseJsonValue(text: string): ParsedValue {
  const [first, ...others] = parseJsonLine(text);
  return first && others.length === 0 ? first : problem(new Error('more than one value'));
}

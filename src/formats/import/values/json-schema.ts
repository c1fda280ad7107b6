import { z } from 'zod';
import { itemAt } from '../../../base/items.ts';
import { jsonOf } from '../../../base/fetch-file.ts';
import { answersOf } from '../../values/answers.ts';
import { placeOf, wordsOf } from '../../../base/errors.ts';

/** A trimmed text that holds something. */
export const filledText = z
  .string()
  .transform((text) => text.trim())
  .refine((text) => text !== '', 'expected a text that is not empty');

/** An id: a text or a whole number. */
export const idText = z.union([
  filledText,
  z.int().transform(String),
  z.bigint().transform(String),
]);

/** An answer; numbers are taken as they are written. */
export const answerText = z.union([
  filledText,
  z.number().transform(String),
  z.bigint().transform(String),
]);

const distinct = (answers: readonly string[]): string[] => [...new Set(answers)];

const isFilled = (value: unknown): boolean =>
  value !== null && value !== '' && typeof value !== 'boolean';

/** Lists of lists, lists as text, and objects that hold the answers, as one list; anything else as it is. */
function flatAnswers(value: unknown): unknown {
  const whole = Array.isArray(value) ? value.every(isFilled) : isFilled(value);
  const answers = whole ? answersOf(value) : [];
  return answers.length > 0 ? answers : value;
}

/** One answer or several, none of them empty, none twice. */
export const answerTexts = z.preprocess(
  flatAnswers,
  z.union([answerText.transform((one) => [one]), z.array(answerText).min(1).transform(distinct)]),
);

/** A CSV cell may hold a JSON list or object. */
export function jsonCell(value: unknown): unknown {
  if (typeof value !== 'string' || !/^\s*[[{]/u.test(value)) return value;
  return jsonOf(value) ?? value;
}

/** The first problem, as a path and what was expected. */
export function problemOf(error: z.ZodError): { key: string; expected: string } {
  const issue = itemAt(error.issues, 0, 'problems');
  const expected = wordsOf(issue).replace(/^[^:]*: (?=expected )/u, '');
  return {
    key: placeOf(issue),
    expected:
      expected === 'Invalid input' ? 'expected a text, a number or a list of them' : expected,
  };
}

import { z } from 'zod';
import { filledText, jsonCell, problemOf } from '../values/json-schema.ts';
import { normaliseSpace } from '../values/sentences.ts';
import { isProblem, type Problem } from './passages.ts';
import { distinct, type QuestionItem } from './questions.ts';

/** Titles of the passages that a question needs, as files name them. */

/** `[[title, sentence number]]`, or the same as columns. */
export const supportingFacts = z.union([
  z.array(z.tuple([z.string(), z.int()])).transform((facts) => facts.map(([title]) => title)),
  z.object({ title: z.array(z.string()) }).transform(({ title }) => title),
]);

const titles = z.preprocess(jsonCell, z.union([z.array(filledText), supportingFacts]));

const KEYS = ['supporting', 'supporting_titles', 'supporting_facts'];

const isGiven = (value: unknown): boolean => value != null && value !== '';

/**
 * Adds to a question the supporting titles that its item lists, unless its layout has told them already.
 * What is not a list of titles is left out and named.
 */
export function withSupporting(
  read: QuestionItem | Problem,
  value: unknown,
): QuestionItem | Problem {
  if (isProblem(read) || read.question.supporting.length > 0) return read;
  const item = new Map(Object.entries(Object(value) as Record<string, unknown>));
  const key = KEYS.find((name) => isGiven(item.get(name)));
  if (key === undefined) return read;
  const parsed = titles.safeParse(item.get(key));
  if (parsed.success) {
    const supporting = distinct(parsed.data.map(normaliseSpace));
    return { ...read, question: { ...read.question, supporting } };
  }
  const found = problemOf(parsed.error);
  const where = found.key === '' ? key : `${key}.${found.key}`;
  return {
    ...read,
    problems: [...read.problems, { key: where, expected: 'expected a list of titles' }],
  };
}

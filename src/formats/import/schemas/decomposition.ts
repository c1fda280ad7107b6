import { z } from 'zod';
import { jsonCell, problemOf } from '../values/json-schema.ts';
import { normaliseSpace } from '../values/sentences.ts';
import { isProblem, type Problem } from './passages.ts';
import type { ChainDraft, QuestionItem } from './questions.ts';

/** Sub-questions of MuSiQue's kind: `#1` stands for the answer of the first, `subject >> relation` for a question. */

interface SubQuestion {
  question: string;
  answer: string;
  /** Title of the passage that answers it; empty where the file names none. */
  title: string;
  /** Its place among the item's passages. */
  passage: number | null;
}

/** The steps with `#n` replaced by the answer of step n, and `subject >> relation` taken apart. */
export const chainOf = (steps: readonly SubQuestion[]): ChainDraft[] =>
  steps.map(({ question, answer, title, passage }) => {
    const filled = question.replace(
      /#(\d{1,2})/gu,
      (mark, n: string) => steps[Number(n) - 1]?.answer ?? mark,
    );
    const [subject = '', relation] = filled.split('>>');
    return {
      subject: relation === undefined ? '' : subject.trim(),
      relation: relation?.trim() ?? '',
      object: answer,
      title,
      passage,
      query: normaliseSpace(filled.replaceAll('>>', ' ')),
    };
  });

const decomposition = z.preprocess(
  jsonCell,
  z.array(z.object({ question: z.string(), answer: z.string(), title: z.string() })),
);

const hops = z.int().min(1);

/**
 * Adds to a question the sub-questions that its item lists with the titles of their passages, and the number of hops.
 * What does not fit is left out and named.
 */
export function withDecomposition(
  read: QuestionItem | Problem,
  value: unknown,
): QuestionItem | Problem {
  if (isProblem(read) || read.question.chain) return read;
  const item = new Map(Object.entries(Object(value) as Record<string, unknown>));
  const given = hops.safeParse(item.get('hops'));
  const counted = given.success && { hops: given.data };
  const question = { ...read.question, ...counted };
  const listed = item.get('decomposition');
  if (listed == null || listed === '') return { ...read, question };
  const parsed = decomposition.safeParse(listed);
  if (!parsed.success) {
    const { key } = problemOf(parsed.error);
    const where = key === '' ? 'decomposition' : `decomposition.${key}`;
    const expected = 'expected a list of sub-questions with question, answer and title';
    return { ...read, question, problems: [...read.problems, { key: where, expected }] };
  }
  const chain = chainOf(
    parsed.data.map(({ title, ...step }) => ({
      ...step,
      title: normaliseSpace(title),
      passage: null,
    })),
  );
  if (chain.length === 0) return { ...read, question };
  return { ...read, question: { ...question, chain, hops: chain.length } };
}

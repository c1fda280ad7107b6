import { z } from 'zod';
import type { Question } from '../../../records/records.ts';
import { answerText, filledText, jsonCell, problemOf } from '../values/json-schema.ts';
import { isProblem, type Problem } from './passages.ts';
import type { QuestionItem } from './questions.ts';

/**
 * What a question may say of its task beside its answers: options of multiple choice, whether it may be searched for
 * (UR²'s isRetrieve), and the gold statements of a long answer. What does not fit is left out and named.
 */

/** A list, or, as MedQA has them, options by their letters. */
const options = z.preprocess(
  jsonCell,
  z.union([
    z.array(answerText).min(2),
    z
      .record(z.string(), answerText)
      .transform((named) =>
        Object.entries(named)
          .toSorted(([a], [b]) => a.localeCompare(b))
          .map(([, text]) => text),
      )
      .pipe(z.array(z.string()).min(2)),
  ]),
);

/** CSV has words for it. */
const mayRetrieve = z.union([
  z.boolean(),
  z
    .string()
    .transform((word) => word.trim().toLowerCase())
    .pipe(z.enum(['true', 'false']).transform((word) => word === 'true')),
]);

const summary = z.preprocess(jsonCell, z.array(filledText).min(1));

const FIELDS = [
  { field: 'options', keys: ['options', 'choices'], schema: options },
  { field: 'mayRetrieve', keys: ['mayRetrieve', 'isRetrieve', 'is_retrieve'], schema: mayRetrieve },
  { field: 'summary', keys: ['summary'], schema: summary },
] as const;

type Task = Partial<Pick<Question, (typeof FIELDS)[number]['field']>>;

const isGiven = (value: unknown): boolean => value != null && value !== '';

/** The question as the policy reads it: options that it does not list stand after it, with their letters from A on. */
function listed(text: string, choices: readonly string[]): string {
  if (choices.every((option) => text.includes(option))) return text;
  const lines = choices.map(
    (option, i) => `${String.fromCharCode('A'.charCodeAt(0) + i)}) ${option}`,
  );
  return `${text} ${lines.join(' ')}`;
}

/** Adds to a question what its item says of its task. */
export function withTask(read: QuestionItem | Problem, value: unknown): QuestionItem | Problem {
  if (isProblem(read)) return read;
  const item = new Map(Object.entries(Object(value) as Record<string, unknown>));
  const problems: Problem[] = [];
  let task: Task = {};
  for (const { field, keys, schema } of FIELDS) {
    const key = keys.find((name) => isGiven(item.get(name)));
    if (key === undefined) continue;
    const parsed = schema.safeParse(item.get(key));
    if (parsed.success) task = { ...task, [field]: parsed.data };
    else {
      const { key: inner, expected } = problemOf(parsed.error);
      problems.push({ key: inner === '' ? key : `${key}.${inner}`, expected });
    }
  }
  const { question } = read;
  const text = task.options ? listed(question.text, task.options) : question.text;
  return {
    ...read,
    question: { ...question, ...task, text },
    problems: [...read.problems, ...problems],
  };
}

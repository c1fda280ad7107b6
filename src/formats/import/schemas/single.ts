import { z } from 'zod';
import { lastOf } from '../../../base/items.ts';
import { answersOf } from '../../values/answers.ts';
import { answerTexts, filledText, idText, jsonCell, problemOf } from '../values/json-schema.ts';
import { withDecomposition } from './decomposition.ts';
import { multihopDetails, withDetails } from './multihop.ts';
import type { Problem } from './passages.ts';
import { distinct, type QuestionItem } from './questions.ts';
import { IN_RECORDS, questionRead, type ItemSchema } from './schema.ts';
import { withSupporting } from './supporting.ts';
import { withTask } from './tasks.ts';

const flashrag = z.object({
  id: idText.nullish(),
  question: filledText,
  golden_answers: answerTexts,
  metadata: z.unknown().optional(),
});

/** FlashRAG: `id, question, golden_answers[], metadata`; HotpotQA's contexts may lie in `metadata`. */
function readFlashrag(value: unknown): QuestionItem | Problem {
  const parsed = flashrag.safeParse(value);
  if (!parsed.success) return problemOf(parsed.error);
  const { id, question, golden_answers, metadata } = parsed.data;
  // Metadata is free-form: what does not fit is not a fault of the question.
  const details = multihopDetails.safeParse(metadata);
  return withDetails(
    { ...(id != null && { id }), text: question, answers: golden_answers },
    details.success ? details.data : {},
  );
}

const answersCell = z.preprocess(jsonCell, answerTexts);

const qa = z.object({
  id: idText.nullish(),
  _id: idText.nullish(),
  idx: idText.nullish(),
  question: filledText,
  answer: answersCell.nullish(),
  answers: answersCell.nullish(),
  type: z.string().nullish(),
  level: z.string().nullish(),
});

/** Plain `question` with `answer` or `answers`: JSONL, Bamboogle's CSV and TSV. */
function readQa(value: unknown): QuestionItem | Problem {
  const parsed = qa.safeParse(value);
  if (!parsed.success) return problemOf(parsed.error);
  const { id, _id, idx, question, answer, answers, type, level } = parsed.data;
  const all = distinct([...(answer ?? []), ...(answers ?? [])]);
  if (all.length === 0) return { key: 'answer', expected: 'expected `answer` or `answers`' };
  const known = id ?? _id ?? idx;
  return withDetails(
    { ...(known != null && { id: known }), text: question, answers: all },
    { type, level },
  );
}

const groundTruth = z.union([
  z.object({ target: answerTexts }).transform(({ target }) => target),
  answerTexts,
]);

const verl = z.object({
  id: idText.nullish(),
  data_source: z.string().nullish(),
  question: filledText.nullish(),
  prompt: z
    .union([z.string(), z.array(z.object({ role: z.string(), content: z.string() })).min(1)])
    .nullish(),
  golden_answers: answerTexts.nullish(),
  reward_model: z.object({ ground_truth: groundTruth }).nullish(),
  extra_info: z.object({ index: idText.nullish(), split: z.string().nullish() }).nullish(),
});

/**
 * Search-R1 and verl: `data_source, prompt, reward_model{ground_truth{target[]}}, extra_info`. The
 * question is the column of that name, else what follows the last `Question:` of the user's turn,
 * else that turn. Ids are made unique over data sets by their names, where they are only numbers.
 */
function readVerl(value: unknown): QuestionItem | Problem {
  const parsed = verl.safeParse(value);
  if (!parsed.success) return problemOf(parsed.error);
  const { data_source, question, prompt, golden_answers, reward_model } = parsed.data;
  const text = question ?? promptQuestion(prompt);
  if (!text) return { key: 'prompt', expected: 'expected a question in `question` or `prompt`' };
  const answers = (reward_model?.ground_truth ?? golden_answers ?? []).flatMap(answersOf);
  if (answers.length === 0)
    return { key: 'reward_model.ground_truth', expected: 'expected at least one answer' };
  const id = rowId(parsed.data);
  return withDetails(
    {
      id,
      text,
      answers: distinct(answers),
      ...(data_source && { dataset: data_source }),
    },
    {},
  );
}

function promptQuestion(prompt: z.output<typeof verl>['prompt']): string {
  const turn =
    typeof prompt === 'string' ? prompt : prompt?.findLast(({ role }) => role === 'user')?.content;
  return lastOf((turn ?? '').split('Question:')).trim();
}

function rowId({ id, data_source, extra_info }: z.output<typeof verl>): string | undefined {
  const index = extra_info?.index ?? id;
  if (index == null) return undefined;
  if (!/^(?:(?:train|test|dev)_)?\d+$/u.test(index)) return index;
  return [data_source, extra_info?.split, index].filter(Boolean).join('-');
}

export const flashragQuestions: ItemSchema = {
  id: 'flashrag',
  name: 'FlashRAG questions',
  kind: 'questions',
  containers: IN_RECORDS,
  is: (item) => 'question' in item && 'golden_answers' in item,
  read: questionRead((value) => withTask(withSupporting(readFlashrag(value), value), value)),
};

export const verlQuestions: ItemSchema = {
  id: 'verl',
  name: 'verl questions',
  holds: 'questions',
  kind: 'questions',
  containers: IN_RECORDS,
  is: (item) => 'reward_model' in item && ('prompt' in item || 'question' in item),
  read: questionRead((value) => withSupporting(readVerl(value), value)),
};

/** GPQA: the wrong answers are columns of their own. Their order says nothing of which one is right. */
function withWrongAnswers(value: unknown): unknown {
  const item = Object(value) as Record<string, unknown>;
  const wrong = Object.keys(item).filter((name) => /^incorrect_answer_\d+$/u.test(name));
  if (wrong.length === 0 || 'options' in item) return value;
  const options = [item['answer'], ...wrong.map((name) => item[name])].map(String);
  return { ...item, options: options.toSorted() };
}

export const plainQuestions: ItemSchema = {
  id: 'qa',
  name: 'questions and answers',
  holds: 'questions with their answers',
  kind: 'questions',
  containers: [...IN_RECORDS, 'csv', 'tsv'],
  is: (item) => 'question' in item && ('answer' in item || 'answers' in item),
  read: questionRead((value) =>
    withTask(
      withDecomposition(withSupporting(readQa(value), value), value),
      withWrongAnswers(value),
    ),
  ),
};

import { z } from 'zod';
import { itemAt } from '../../../base/items.ts';
import { answerTexts, filledText, idText, problemOf } from '../values/json-schema.ts';
import { chainOf } from './decomposition.ts';
import { cleanSentences, type PassageDraft, type Problem } from './passages.ts';
import { distinct, typeFields, type ChainDraft, type QuestionItem } from './questions.ts';
import { normaliseSpace, splitSentences } from '../values/sentences.ts';
import { IN_RECORDS, questionRead, type ItemSchema } from './schema.ts';
import { supportingFacts, withSupporting } from './supporting.ts';

interface Paragraph {
  title: string;
  sentences: string[];
}

/** `[[title, [sentences]]]`, or Hugging Face's and FlashRAG's columns. */
const context = z.union([
  z
    .array(z.tuple([z.string(), z.array(z.string())]))
    .transform((list) => list.map(([title, sentences]): Paragraph => ({ title, sentences }))),
  z
    .object({
      title: z.array(z.string()),
      sentences: z.array(z.array(z.string())).optional(),
      content: z.array(z.array(z.string())).optional(),
    })
    .transform(({ title, sentences, content }) =>
      title.map((t, i): Paragraph => ({ title: t, sentences: (sentences ?? content)?.[i] ?? [] })),
    ),
]);

const evidence = z.tuple([z.string(), z.string(), z.string()]);

/** What HotpotQA and 2WikiMultiHopQA say beside question and answer; FlashRAG's `metadata` too. */
export const multihopDetails = z.object({
  context: context.nullish(),
  supporting_facts: supportingFacts.nullish(),
  type: z.string().nullish(),
  level: z.string().nullish(),
  evidences: z.array(evidence).nullish(),
});

const record = multihopDetails.extend({
  _id: idText.nullish(),
  id: idText.nullish(),
  question: filledText,
  answer: answerTexts,
  answer_aliases: z.array(filledText).nullish(),
  context,
});

/** HotpotQA and 2WikiMultiHopQA: `_id, question, answer, context, supporting_facts, type, level`. */
function readMultihop(value: unknown): QuestionItem | Problem {
  const parsed = record.safeParse(value);
  if (!parsed.success) return contextProblem(value) ?? problemOf(parsed.error);
  const { _id, id, question, answer, answer_aliases, ...details } = parsed.data;
  const known = _id ?? id;
  return withDetails(
    {
      ...(known != null && { id: known }),
      text: question,
      answers: distinct([...answer, ...(answer_aliases ?? [])]),
    },
    details,
  );
}

/** A union of shapes says little of what is wrong: looks for the entry at fault itself. */
function contextProblem(value: unknown): Problem | null {
  const list = z.object({ context: z.array(z.unknown()) }).safeParse(value);
  if (!list.success) return null;
  const entry = z.tuple([z.string(), z.array(z.string())]);
  for (const [i, item] of list.data.context.entries()) {
    const parsed = entry.safeParse(item);
    if (parsed.success) continue;
    const { key, expected } = problemOf(parsed.error);
    return { key: ['context', i, key].filter((part) => part !== '').join('.'), expected };
  }
  return null;
}

/** Adds contexts, supporting titles, type and chain. */
export function withDetails(
  base: { id?: string; text: string; answers: string[]; dataset?: string },
  { context, supporting_facts, type, level, evidences }: z.output<typeof multihopDetails>,
): QuestionItem {
  const problems: Problem[] = [];
  const passages: PassageDraft[] = [];
  for (const [i, paragraph] of (context ?? []).entries()) {
    const sentences = cleanSentences(paragraph.sentences);
    const key = `context.${i}`;
    if (sentences.length > 0)
      passages.push({ title: normaliseSpace(paragraph.title), sentences, key });
    else problems.push({ key: `${key}.1`, expected: 'expected at least one sentence' });
  }
  const chain = evidences?.map((step) => evidenceStep(step, passages));
  return {
    question: {
      ...base,
      supporting: distinct((supporting_facts ?? []).map(normaliseSpace)),
      ...typeFields(type),
      ...(level != null && level !== '' && { difficulty: level }),
      ...(chain && chain.length > 0 && { chain, hops: chain.length }),
    },
    passages,
    problems,
  };
}

/** A triple of 2WikiMultiHopQA: its subject's passage, where the context has it, states it. */
function evidenceStep(
  [subject, relation, object]: z.output<typeof evidence>,
  passages: readonly PassageDraft[],
): ChainDraft {
  const passage = passages.findIndex(({ title }) => title === normaliseSpace(subject));
  return {
    subject,
    relation,
    object,
    title: passages[passage]?.title ?? '',
    passage: passage === -1 ? null : passage,
    query: `${subject} ${relation}`,
  };
}

const musique = z.object({
  id: idText.nullish(),
  question: filledText,
  answer: answerTexts,
  answer_aliases: z.array(filledText).nullish(),
  answerable: z.boolean().nullish(),
  paragraphs: z.array(
    z.object({
      idx: z.int().nullish(),
      title: z.string(),
      paragraph_text: z.string(),
      is_supporting: z.boolean().nullish(),
    }),
  ),
  question_decomposition: z
    .array(
      z.object({
        question: z.string(),
        answer: z.string(),
        paragraph_support_idx: z.int().nullish(),
      }),
    )
    .nullish(),
});

type Musique = z.output<typeof musique>;

/**
 * MuSiQue: `paragraphs[].is_supporting`, `question_decomposition` with `#1` for earlier answers. The
 * unanswerable half of MuSiQue-Full is left out: its paragraphs do not hold the answer.
 */
function readMusique(value: unknown): QuestionItem | Problem {
  const parsed = musique.safeParse(value);
  if (!parsed.success) return problemOf(parsed.error);
  const { id, question, answer, answer_aliases, answerable, paragraphs } = parsed.data;
  if (answerable === false)
    return { key: 'answerable', expected: 'expected an answerable question' };
  const problems: Problem[] = [];
  const passages: PassageDraft[] = [];
  /** Index of the file's paragraph → index among `passages`. */
  const places = new Map<number, number>();
  for (const [i, paragraph] of paragraphs.entries()) {
    const sentences = splitSentences(paragraph.paragraph_text);
    const key = `paragraphs.${i}`;
    if (sentences.length === 0) {
      problems.push({ key: `${key}.paragraph_text`, expected: 'expected text that is not empty' });
      continue;
    }
    places.set(paragraph.idx ?? i, passages.length);
    passages.push({ title: normaliseSpace(paragraph.title), sentences, key });
  }
  const chain = decomposition(parsed.data, passages, places);
  return {
    question: {
      ...(id != null && { id }),
      text: question,
      answers: distinct([...answer, ...(answer_aliases ?? [])]),
      supporting: distinct(
        paragraphs.filter((p) => p.is_supporting).map((p) => normaliseSpace(p.title)),
      ),
      ...(chain.length > 0 && { chain, hops: chain.length }),
    },
    passages,
    problems,
  };
}

/** The gold chain, each step with its passage. */
const decomposition = (
  { question_decomposition }: Musique,
  passages: readonly PassageDraft[],
  places: ReadonlyMap<number, number>,
): ChainDraft[] =>
  chainOf(
    (question_decomposition ?? []).map(({ question, answer, paragraph_support_idx }) => {
      const passage =
        paragraph_support_idx == null ? null : (places.get(paragraph_support_idx) ?? null);
      const title = passage === null ? '' : itemAt(passages, passage, 'passages').title;
      return { question, answer, title, passage };
    }),
  );

/** Types of 2WikiMultiHopQA that HotpotQA lacks. */
const TYPES_2WIKI: readonly unknown[] = ['compositional', 'inference', 'bridge_comparison'];

type Item = Parameters<ItemSchema['is']>[0];

/** A question as it was published, not as a trainer wrapped it. */
const isPublished = (item: Item): boolean => 'question' in item && !('reward_model' in item);

const hasParagraphs = (item: Item): boolean => Array.isArray(item['paragraphs']);

const isMultihop = (item: Item): boolean =>
  isPublished(item) && 'context' in item && !hasParagraphs(item);

const hasEvidences = (item: Item): boolean =>
  'evidences' in item || TYPES_2WIKI.includes(item['type']);

export const hotpotQa: ItemSchema = {
  id: 'hotpotqa',
  name: 'HotpotQA questions',
  kind: 'questions',
  containers: IN_RECORDS,
  is: (item) => isMultihop(item) && !hasEvidences(item),
  read: questionRead((value) => withSupporting(readMultihop(value), value)),
};

export const twoWikiMultiHopQa: ItemSchema = {
  id: '2wikimultihopqa',
  name: '2WikiMultiHopQA questions',
  kind: 'questions',
  containers: IN_RECORDS,
  is: (item) => isMultihop(item) && hasEvidences(item),
  read: questionRead((value) => withSupporting(readMultihop(value), value)),
};

export const musiqueQuestions: ItemSchema = {
  id: 'musique',
  name: 'MuSiQue questions',
  kind: 'questions',
  containers: IN_RECORDS,
  is: (item) => isPublished(item) && hasParagraphs(item),
  read: questionRead(readMusique),
};

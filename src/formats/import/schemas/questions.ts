import {
  QUESTION_TYPES,
  type ChainStep,
  type Question,
  type QuestionType,
} from '../../../records/records.ts';
import type { ImportedQuestion } from '../values/types.ts';
import type { PassageDraft, Problem } from './passages.ts';

/** A step of a gold chain; its passage is named by its place among the item's passages. */
export type ChainDraft = Omit<ChainStep, 'passageId'> & { passage: number | null };

/** A question as a file gives it. */
export interface QuestionDraft extends Omit<ImportedQuestion, 'id' | 'chain'> {
  id?: string;
  chain?: ChainDraft[];
}

/** What one item of a question file gives. */
export interface QuestionItem {
  question: QuestionDraft;
  passages: PassageDraft[];
  /** Parts that were left out; the question stands without them. */
  problems: Problem[];
}

/** Types of the data sets in the project's terms; its own stand for themselves. */
const TYPES: Readonly<Record<string, QuestionType>> = {
  ...Object.fromEntries(QUESTION_TYPES.map((type) => [type, type])),
  compositional: 'bridge',
  inference: 'bridge',
  bridge_comparison: 'comparison',
};

/** Type in the project's terms, and the file's own word where it is another. */
export function typeFields(
  source: string | null | undefined,
): Pick<Question, 'type'> & { sourceType?: string } {
  if (source == null || source === '') return {};
  const type = Object.hasOwn(TYPES, source) ? TYPES[source] : undefined;
  return { type, ...(type !== source && { sourceType: source }) };
}

export const distinct = (items: readonly string[]): string[] => [...new Set(items)];

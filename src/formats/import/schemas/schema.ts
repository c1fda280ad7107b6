import type { Container } from '../values/types.ts';
import { isProblem, type PassageDraft, type Problem } from './passages.ts';
import type { QuestionDraft, QuestionItem } from './questions.ts';

/** What an item holds. */
export interface Extracted {
  question: QuestionDraft | null;
  passages: PassageDraft[];
  problems: Problem[];
}

/** What one item of a file is: as `list.ts` holds it. */
export interface ItemSchema {
  /** As stored imports and choices name it. */
  id: string;
  /** As the Corpus page shows it. */
  name: string;
  /** What its files hold, where one of them was opened as something else; `name` by default. */
  holds?: string;
  /** What the items are; question files with contexts give passages too. */
  kind: 'questions' | 'passages';
  /** How files of it may lie, for those who choose the format themselves. */
  containers: readonly Container[];
  /** Whether an item has its keys, where no schema above it in the list claims it. */
  is: (item: Readonly<Record<string, unknown>>) => boolean;
  /** Reads one item; what does not fit is among the problems. */
  read: (value: unknown) => Extracted;
}

/** Where items are JSON values. */
export const IN_JSON: readonly Container[] = ['jsonl', 'json-array'];

/** Where they may also be rows with typed columns. */
export const IN_RECORDS: readonly Container[] = [...IN_JSON, 'parquet'];

/** Of a reader of questions. */
export const questionRead =
  (read: (value: unknown) => QuestionItem | Problem) =>
  (value: unknown): Extracted => {
    const item = read(value);
    return isProblem(item) ? { question: null, passages: [], problems: [item] } : item;
  };

/** Of a reader of passages. */
export const passagesRead =
  (read: (value: unknown) => readonly (PassageDraft | Problem)[]) =>
  (value: unknown): Extracted => {
    const found = read(value);
    return {
      question: null,
      passages: found.filter((entry): entry is PassageDraft => !isProblem(entry)),
      problems: found.filter(isProblem),
    };
  };

import { csvRecords } from './csv.ts';
import { jsonItems } from './json-items.ts';
import { jsonLines } from './json-lines.ts';
import { readMultihop, readMusique } from './multihop.ts';
import { parquetItems } from './parquet.ts';
import {
  isProblem,
  readContents,
  readPassage,
  readTitleSentences,
  type PassageDraft,
  type Problem,
} from './passages.ts';
import { prose } from './prose.ts';
import type { QuestionDraft } from './questions.ts';
import { readFlashrag, readQa, readVerl } from './single.ts';
import type { Format, ImportOptions, RawItem, Schema } from '../values/types.ts';

/** The items of a file in its container's form, from the start or a position on. */
export function rawItems(
  blob: Blob,
  format: Format,
  options: ImportOptions,
): AsyncGenerator<RawItem, void> {
  const { resume, signal } = options;
  switch (format.container) {
    case 'jsonl':
      return jsonLines(blob, format, resume, signal);
    case 'json-array':
    case 'json-object':
      return jsonItems(blob, format, resume, signal);
    case 'csv':
    case 'tsv':
      return csvRecords(blob, format, resume, signal);
    case 'parquet':
      return parquetItems(blob, format, resume, signal);
    case 'markdown':
    case 'text':
      return prose(blob, format.container === 'markdown', options);
  }
}

/** What an item holds. */
export interface Extracted {
  question: QuestionDraft | null;
  passages: PassageDraft[];
  problems: Problem[];
}

const QUESTIONS = {
  hotpotqa: readMultihop,
  '2wikimultihopqa': readMultihop,
  musique: readMusique,
  flashrag: readFlashrag,
  verl: readVerl,
  qa: readQa,
} as const;

/** Reads one item by its schema; what does not fit is among the problems. */
export function extract(schema: Schema, value: unknown): Extracted {
  switch (schema) {
    case 'passage':
    case 'prose':
      return sorted([readPassage(value)]);
    case 'contents':
      return sorted([readContents(value)]);
    case 'title-sentences':
      return sorted(readTitleSentences(value));
    default: {
      const read = QUESTIONS[schema](value);
      return isProblem(read) ? { question: null, passages: [], problems: [read] } : read;
    }
  }
}

function sorted(found: readonly (PassageDraft | Problem)[]): Extracted {
  const extracted: Extracted = { question: null, passages: [], problems: [] };
  for (const entry of found) {
    if (isProblem(entry)) extracted.problems.push(entry);
    else extracted.passages.push(entry);
  }
  return extracted;
}

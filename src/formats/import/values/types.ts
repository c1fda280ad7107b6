import { oneLine } from '../../../base/errors.ts';
import type { Passage, Question } from '../../../records/records.ts';
import type { KnownItems } from './known.ts';
import type { SplitName } from './split.ts';

/** How the items lie in a file. */
export const CONTAINERS = [
  'jsonl',
  'json-array',
  'json-object',
  'csv',
  'tsv',
  'parquet',
  'markdown',
  'text',
] as const;
export type Container = (typeof CONTAINERS)[number];

export interface Format {
  container: Container;
  /** Id of what one item is (`schemas/list.ts`). */
  schema: string;
  /** What the items are; question files with contexts give passages too. */
  kind: 'questions' | 'passages';
}

/** An imported question: the project's record, and what its file says beyond it. */
export interface ImportedQuestion extends Question {
  /** Name of the data set, where the file tells it. */
  dataset?: string;
  /** The file's own word for `type`, where it is another. */
  sourceType?: string;
  /** Where the file's own field puts it. */
  split?: SplitName;
}

export interface ImportedPassage {
  passage: Passage;
  /** SHA-256 of `title\ntext`, hexadecimal. */
  hash: string;
}

/** Why an item, or a part of it, was not imported. */
export interface Rejection {
  /** 1-based line where the item starts; null in formats without lines. */
  line: number | null;
  /** 0-based number of the item in its file. */
  item: number;
  /** Path in the item, e.g. `context.3.1`; empty for the item as a whole. */
  key: string;
  /** What was expected there, and what was found. */
  expected: string;
}

/** A passage or question that is there already. */
export interface Duplicate {
  line: number | null;
  item: number;
  id: string;
}

/** Where reading can continue. Plain data, to be stored with what was imported up to it. */
export interface ResumePosition {
  format: Format;
  /** Byte at which the next item starts; 0 where items are counted from the start again (parquet, prose). */
  offset: number;
  /** 1-based line at that byte. */
  line: number;
  /** 0-based number of the next item. */
  item: number;
  /** Column names of CSV and TSV. */
  header?: string[];
}

export interface ImportProgress {
  bytes: number;
  totalBytes: number;
  items: number;
  questions: number;
  passages: number;
  duplicates: number;
  rejected: number;
}

/** What one stretch of the file gave. */
export interface ImportBatch {
  questions: ImportedQuestion[];
  passages: ImportedPassage[];
  duplicates: Duplicate[];
  rejected: Rejection[];
  /** Where to go on after this batch; null after the last one, which may be empty. */
  position: ResumePosition | null;
  progress: ImportProgress;
}

export interface ChunkingOptions {
  /** Upper bound on the words of a chunk. */
  maxWords: number;
  /** Sentences that a chunk repeats from the one before it. */
  overlapSentences: number;
}

/** 100 words per passage, as usual in open-domain question answering (DPR's corpus). */
export const CHUNKING_DEFAULTS: ChunkingOptions = { maxWords: 100, overlapSentences: 1 };

export interface ImportOptions {
  /** File name: tells Markdown from text, and titles plain text. */
  name?: string;
  /** Overrides what is detected. */
  format?: Format;
  chunking?: Partial<ChunkingOptions>;
  /** Whether the contexts of question files are imported as passages. Default: they are. */
  contexts?: boolean;
  /** Path of the field that says which split a question is in; `split` by default. */
  splitField?: string;
  /** What is stored already; what this file gives is added to it. */
  known?: KnownItems;
  /** Where an earlier reading of the same file ended. */
  resume?: ResumePosition;
  signal?: AbortSignal;
  onProgress?: (progress: ImportProgress) => void;
  /** Upper bound on the items of a batch. */
  batchItems?: number;
}

/** The file as a whole cannot be read; `message` names what was expected. */
export class ImportError extends Error {
  override readonly name = 'ImportError';

  constructor(message: string) {
    super(oneLine(message));
  }
}

/** The longest item, in bytes; a longer one is rejected and read past. */
export const MAX_ITEM_BYTES = 16 * 2 ** 20;

/** One item as its container gives it. */
export interface RawItem {
  item: number;
  line: number | null;
  /** The parsed value; absent where `problem` says why. */
  value?: unknown;
  problem?: { key: string; expected: string };
  /** Bytes of the file that are done with after this item. */
  bytes: number;
  /** Where reading continues after this item. */
  next: ResumePosition | null;
}

import type { JudgeCost } from '../../../evaluate/judge/report.ts';
import type { MissingParts } from '../../../evaluate/rollouts/missing-parts.ts';
import type { LintCode } from '../../../evaluate/rollouts/lint/finding.ts';
import type { Statistics } from '../../../evaluate/rollouts/statistics.ts';
import type { RolloutRow } from '../../../evaluate/rollouts/row.ts';

/** What is stored of imported rollout files, and the names that page and worker share. */

/** What rollouts can be put together by. */
export const GROUP_FIELDS = ['step', 'question', 'group', 'outcome'] as const;

export type GroupField = (typeof GROUP_FIELDS)[number];

/** What a bookmark is called among the tags, so that filters can ask for it. */
export const BOOKMARK = '★';

/** Answers without a verdict that a file's record lists with their reasons; further ones are not listed. */
export const MOST_NOT_JUDGED = 500;

/** A judge that was asked here, and what became of it. */
export interface Judging {
  /** Model and version of the prompt. */
  by: string;
  promptVersion: number;
  /** When it judged last, ISO 8601. */
  at: string;
  /** Of all its verdicts on this file. */
  cost: JudgeCost;
  /** Answers that it gave no verdict on; the first `MOST_NOT_JUDGED`. */
  notJudged: { rollout: string; reason: string }[];
}

interface FileFault {
  /** Where the record has several files. */
  file?: string;
  /** 0: the whole file. */
  line: number;
  reason: string;
}

/** An imported file, or the files of a run that were imported together. */
export interface FileRecord {
  id: string;
  name: string;
  /** How many files it was made of; absent: one. */
  files?: number;
  /** Size of them, and how much of it was read. */
  bytes: number;
  readBytes: number;
  importedAt: string;
  /** `interrupted`: the page was closed meanwhile; what was read until then is there. */
  status: 'importing' | 'ready' | 'interrupted';
  layouts: Record<string, number>;
  rollouts: number;
  /** Rollouts that lack something, by what; absent in files that an earlier version read. */
  lacks?: MissingParts;
  /** Lines that could not be read: how many, and the first ones. */
  faultCount: number;
  faults: FileFault[];
  /** Once the whole file was read. */
  statistics: Statistics | null;
  lint: Partial<Record<LintCode, number>>;
  /** The judge that was asked here last; its verdicts are in the rollouts. */
  judging?: Judging;
  deletedAt: string | null;
}

/** A row of the table, and where its rollout lies. */
export interface StoredRow {
  chunk: number;
  index: number;
  line: number;
  row: RolloutRow;
}

/** What the reader noted on a rollout; it outlives a new import of the file under the same name. */
export interface Mark {
  /** The file's name and the rollout's id. */
  file: string;
  rollout: string;
  bookmarked: boolean;
  tags: string[];
  note: string;
}

/** A filter, columns, an order and groups under a name. */
export interface SavedView {
  name: string;
  filter: string;
  columns: string[];
  sort: { column: string; descending: boolean } | null;
  /** Outermost first; absent in views that were saved without. */
  group?: GroupField[];
}

/** Where a rollout lies. */
export type RolloutPlace = Pick<StoredRow, 'chunk' | 'index'>;

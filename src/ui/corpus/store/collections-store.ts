import { create } from 'zustand';
import type { Problem } from '../../kit/attempt.ts';
import type { Uses } from '../../setup/search-with.ts';
import type {
  CollectionView,
  FileToImport,
  ImportProgress,
  PreviewOutcome,
} from '../../../lab/contract/collections.ts';
import type { ImportChoice } from '../../../lab/contract/records/collections.ts';

/** State of the Corpus page: the list, files to import, and the current job. */

/** A file to import, before its format is chosen. */
export type NewFile = Omit<FileToImport, 'choice'>;

/** Dropped, chosen, fetched or pasted files, with the import options. */
export interface PendingImport {
  files: readonly NewFile[];
  /** Skipped files of a folder, by unknown type. */
  leftOut: number;
  /** The previewed one. */
  shown: number;
  /** A collection's id; null for a new one. */
  into: string | null;
  name: string;
  /** Format options; absent: detected, or the default. */
  choice: ImportChoice;
  /** Null while it is loading. */
  preview: PreviewOutcome | null;
}

/** The current job; one at a time. */
export interface CollectionsJob {
  kind: 'import' | 'merge' | 'fetch';
  name: string;
  /** Page clock in milliseconds, and bytes (items of a merge) done before. */
  startedAt: number;
  done: number;
  total: number;
  startedDone: number;
  /** Counts of an import; null for other jobs and before the first batch. */
  progress: ImportProgress | null;
  cancelling: boolean;
}

/** State of the Corpus page; changed by `collections-actions.ts`. */
export interface CollectionsState {
  /** `waiting` until the list is loaded. */
  status: 'waiting' | 'ready' | 'failed';
  /** Existing collections, newest first. */
  collections: readonly CollectionView[];
  pending: PendingImport | null;
  job: CollectionsJob | null;
  problem: Problem | null;
  /** The last result, in one sentence. */
  notice: string | null;
  /** The collection of the notice: just imported and ready to use. */
  added: string | null;
  /** Just deleted collections that can be restored. */
  removed: readonly { id: string; name: string; uses: Uses; at: number }[];
}

const EMPTY_COLLECTIONS: CollectionsState = {
  status: 'waiting',
  collections: [],
  pending: null,
  job: null,
  problem: null,
  notice: null,
  added: null,
  removed: [],
};

/** For the Corpus page and all users of collections; changed only by `collections-actions.ts`. */
export const useCollections = create<CollectionsState>()(() => EMPTY_COLLECTIONS);

/** Seconds left at the rate since the job began; null while unknown. */
export const secondsLeft = (
  { startedAt, startedDone, done, total }: Omit<CollectionsJob, 'kind' | 'name'>,
  now: number,
): number | null => {
  const seconds = (now - startedAt) / 1000;
  const rate = (done - startedDone) / seconds;
  return seconds > 0.5 && rate > 0 ? (total - done) / rate : null;
};

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

/** What the page knows of collections: the list, files that wait to be imported, the job under way. */

/** A file on its way in, before it is said how it is read. */
export type Offered = Omit<FileToImport, 'choice'>;

/** Files that were dropped, chosen, fetched or pasted, and what is to be done with them. */
export interface PendingImport {
  files: readonly Offered[];
  /** Files of a folder that are of no known kind. */
  leftOut: number;
  /** The one that the preview shows. */
  shown: number;
  /** A collection's id; null for a new one. */
  into: string | null;
  name: string;
  /** How files are read; what is absent is detected, or as usual. */
  choice: ImportChoice;
  /** Null while it is read. */
  preview: PreviewOutcome | null;
}

/** What is being done now; one at a time. */
export interface CollectionsJob {
  kind: 'import' | 'merge' | 'fetch';
  name: string;
  /** Milliseconds of the page's clock, and bytes (items of a merge) that were done before. */
  startedAt: number;
  done: number;
  total: number;
  startedDone: number;
  /** Counts of an import; null for other jobs and before the first batch. */
  progress: ImportProgress | null;
  cancelling: boolean;
}

/**
 * What the Corpus page knows of the collections on this device, and its one job; changed by
 * `collections-actions.ts`.
 */
export interface CollectionsState {
  /** `waiting` until the list was read once. */
  status: 'waiting' | 'ready' | 'failed';
  /** Those that are not deleted, the latest first. */
  collections: readonly CollectionView[];
  pending: PendingImport | null;
  job: CollectionsJob | null;
  problem: Problem | null;
  /** What was done last, in a sentence. */
  notice: string | null;
  /** The collection that the notice is about: it came just now, and can be worked with. */
  added: string | null;
  /** Collections that were just deleted and can be brought back. */
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

/** Of the corpus page and of all that name collections; changed by `collections-actions.ts` alone. */
export const useCollections = create<CollectionsState>()(() => EMPTY_COLLECTIONS);

/** Seconds that are left at the rate since the job began; null where that cannot be told. */
export const secondsLeft = (
  { startedAt, startedDone, done, total }: Omit<CollectionsJob, 'kind' | 'name'>,
  now: number,
): number | null => {
  const seconds = (now - startedAt) / 1000;
  const rate = (done - startedDone) / seconds;
  return seconds > 0.5 && rate > 0 ? (total - done) / rate : null;
};

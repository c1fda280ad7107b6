import { create } from 'zustand';
import type { FileRecord, SavedView } from '../../../lab/contract/records/rollout-files.ts';
import type { ImportProgress, OwnEvaluation, OwnRun } from '../../../lab/contract/rollouts.ts';

/** State of the imported rollout files. */

/** A file that is reading, waiting, or failed. */
export interface ImportJob {
  /** Its cancel key. */
  job: string;
  name: string;
  /** Of all its files; 0 for data of this browser until known. */
  bytes: number;
  status: 'waiting' | 'reading' | 'failed';
  progress: ImportProgress | null;
  /** Of `performance.now()`; null while waiting. */
  startedAt: number | null;
  /** Seconds left at the current rate; null while unknown. */
  left: number | null;
  /** Why it failed, in a sentence. */
  message: string;
}

/** Files of rollouts, and running imports. */
export interface BrowseStore {
  status: 'waiting' | 'ready' | 'failed';
  files: readonly FileRecord[];
  jobs: readonly ImportJob[];
  /** Just deleted files that can be restored. */
  removed: readonly { id: string; name: string; at: number }[];
  views: readonly SavedView[];
  ownRuns: readonly OwnRun[];
  ownEvaluations: readonly OwnEvaluation[];
  /** The last failure, as text. */
  problem: string | null;
  /** Whether files are dragged over the page. */
  over: boolean;
}

/** Of the rollout pages; changed by `browse-actions.ts` and their frame (`Shell.tsx`). */
export const useBrowse = create<BrowseStore>()(() => ({
  status: 'waiting',
  files: [],
  jobs: [],
  removed: [],
  views: [],
  ownRuns: [],
  ownEvaluations: [],
  problem: null,
  over: false,
}));

/** Undefined before the list is loaded, and for a deleted file. */
export const fileById = (
  { files }: Pick<BrowseStore, 'files'>,
  id: string,
): FileRecord | undefined => files.find((file) => file.id === id);

/** Seconds left of an import by its rate since `startedAt`; null while unknown. */
export const secondsLeft = (
  { readBytes, bytes }: Pick<ImportProgress, 'readBytes' | 'bytes'>,
  startedAt: number,
  now: number,
): number | null =>
  readBytes === 0 ? null : (((now - startedAt) / 1000) * (bytes - readBytes)) / readBytes;

import { create } from 'zustand';
import type { FileRecord, SavedView } from '../../../lab/contract/records/rollout-files.ts';
import type { ImportProgress, OwnEvaluation, OwnRun } from '../../../lab/contract/rollouts.ts';

/** What the page knows of imported rollout files. */

/** A file that is being read, waits for it, or could not be read. */
export interface ImportJob {
  /** By which it is stopped. */
  job: string;
  name: string;
  /** Of all its files; 0 for what this browser made, until that is told. */
  bytes: number;
  status: 'waiting' | 'reading' | 'failed';
  progress: ImportProgress | null;
  /** Of `performance.now()`; null while it waits. */
  startedAt: number | null;
  /** Seconds to its end by the rate so far; null before that can be told. */
  left: number | null;
  /** Why it failed, in a sentence. */
  message: string;
}

/** Files of rollouts, and what is being read. */
export interface BrowseStore {
  status: 'waiting' | 'ready' | 'failed';
  files: readonly FileRecord[];
  jobs: readonly ImportJob[];
  /** Files that were just deleted and can be brought back. */
  removed: readonly { id: string; name: string; at: number }[];
  views: readonly SavedView[];
  ownRuns: readonly OwnRun[];
  ownEvaluations: readonly OwnEvaluation[];
  /** What went wrong last, as text to show. */
  problem: string | null;
  /** Whether files are dragged over the page. */
  over: boolean;
}

/** Of the pages of rollouts; changed by `browse-actions.ts` and the frame of these pages (`Shell.tsx`). */
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

/** Undefined before the list of files was read, and for a file that was deleted. */
export const fileById = (
  { files }: Pick<BrowseStore, 'files'>,
  id: string,
): FileRecord | undefined => files.find((file) => file.id === id);

/** Seconds to the end of an import by its rate since `startedAt`; null before it can be told. */
export const secondsLeft = (
  { readBytes, bytes }: Pick<ImportProgress, 'readBytes' | 'bytes'>,
  startedAt: number,
  now: number,
): number | null =>
  readBytes === 0 ? null : (((now - startedAt) / 1000) * (bytes - readBytes)) / readBytes;

import { create } from 'zustand';
import type { FileRecord, Mark, SavedView } from '../../../lab/contract/records/rollout-files.ts';
import type {
  BrowseQuery,
  BrowseResult,
  FilterFault,
  ImportProgress,
  MatchingRow,
  OwnEvaluation,
  OwnRun,
  SearchMatch,
} from '../../../lab/contract/rollouts.ts';

/** State of the rollout pages: a slice for each, with its actions in a file of its own. */

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

/** Files of rollouts, and running imports; changed by `browse-actions.ts` and the pages’ frame (`Shell.tsx`). */
interface FilesSlice {
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

/** The selection on the screen: its order, loaded rows, and cursor. Changed by `browse-selection.ts`. */
export interface SelectionSlice {
  fileId: string | null;
  /** The last request. */
  query: BrowseQuery | null;
  selected: BrowseResult | null;
  loading: boolean;
  fault: FilterFault | null;
  /** Loaded rows by position in the file. */
  rows: ReadonlyMap<number, MatchingRow>;
  /** Cursor: position in the file. */
  cursor: number | null;
  /** Checked rows: positions in the file. */
  picked: ReadonlySet<number>;
  /** Keys of closed groups. */
  closed: ReadonlySet<string>;
  marks: ReadonlyMap<string, Mark>;
  /** Whether tags and notes of the cursor row are open. */
  notesOpen: boolean;
}

/** Another file starts with this. */
export const NO_SELECTION: SelectionSlice = {
  fileId: null,
  query: null,
  selected: null,
  loading: false,
  fault: null,
  rows: new Map(),
  cursor: null,
  picked: new Set(),
  closed: new Set(),
  marks: new Map(),
  notesOpen: false,
};

/** What is searched for in all rollouts, and found. Kept, so that "back" shows it again. */
export interface SearchState {
  text: string;
  /** The version of the searchable data. */
  over: string;
  status: 'idle' | 'searching' | 'done' | 'stopped' | 'failed';
  /** Progress over files and runs, 0 to 1, and their number. */
  share: number;
  places: number;
  /** In order of start. */
  found: readonly SearchMatch[];
  /** Why it failed; empty unless `status` says so. */
  problem: string;
  /** Address of the last opened rollout, for "back". */
  opened: string;
}

export const NO_SEARCH: SearchState = {
  text: '',
  over: '',
  status: 'idle',
  share: 0,
  places: 0,
  found: [],
  problem: '',
  opened: '',
};

/** The judging of a file; one at a time, on any page. */
export interface JudgeJob {
  fileId: string;
  status: 'running' | 'stopping' | 'ended';
  done: number;
  total: number;
  right: number;
  wrong: number;
  notJudged: number;
  startedAt: number;
  /** Why it ended; null while it runs. */
  words: string | null;
}

interface RolloutsStore extends FilesSlice, SelectionSlice {
  /** Changed by `search-actions.ts`; `opened` by who opens a place. */
  search: SearchState;
  /** Changed by `judge-actions.ts`. */
  judging: JudgeJob | null;
  /** Incremented after each write of verdicts, so that displayed statistics are reloaded. */
  verdictsKept: number;
  /** Column widths that the user set, by name, CSS pixels; filled by `widths.ts` with the table. */
  widths: Readonly<Record<string, number>>;
}

/** Of the rollout pages, while the tab is open. */
export const useRollouts = create<RolloutsStore>()(() => ({
  ...NO_SELECTION,
  search: NO_SEARCH,
  judging: null,
  verdictsKept: 0,
  widths: {},
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
  { files }: Pick<FilesSlice, 'files'>,
  id: string,
): FileRecord | undefined => files.find((file) => file.id === id);

/** Seconds left of an import by its rate since `startedAt`; null while unknown. */
export const secondsLeft = (
  { readBytes, bytes }: Pick<ImportProgress, 'readBytes' | 'bytes'>,
  startedAt: number,
  now: number,
): number | null =>
  readBytes === 0 ? null : (((now - startedAt) / 1000) * (bytes - readBytes)) / readBytes;

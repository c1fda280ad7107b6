import type { AlignedGroup, GroupCredit } from '../../evaluate/inspect/align.ts';
import type { Criterion, RunComparison } from '../../evaluate/inspect/compare-runs.ts';
import type { DiffPiece, DiffRun } from '../../evaluate/inspect/diff.ts';
import type { Disagreement, Rescored } from '../../evaluate/inspect/rescore/index.ts';
import type { WhatIf, WhatIfSettings } from '../../evaluate/inspect/what-if/index.ts';
import type { ImportedRollout } from '../../data/rollouts/index.ts';
import type { FileRecord, Mark, SavedView, StoredRow } from './database.ts';
import type { ImportProgress } from './import-file.ts';
import type { RolloutPlace } from './store.ts';

/** What the page may ask of the inspector's storage, which lives in the lab worker. */

/** How an import ended; errors lose their class on the way between workers, so they are told as values. */
export type ImportOutcome =
  | { status: 'ready'; file: FileRecord }
  | { status: 'cancelled' }
  | { status: 'failed'; message: string };

/** Rows that pass a filter, or what is wrong with it. */
export type Selection =
  | { status: 'ready'; rows: StoredRow[] }
  | { status: 'cancelled' }
  | { status: 'fault'; message: string; position: number; length: number };

export interface InspectionApi {
  /** @param job name of the caller's, for `cancel` */
  importFile(
    job: string,
    file: Blob,
    name: string,
    onProgress: (progress: ImportProgress) => void,
  ): Promise<ImportOutcome>;
  /** Stops an import or a selection; nothing where there is none of that name. */
  cancel(job: string): Promise<void>;
  files(): Promise<FileRecord[]>;
  rows(fileId: string, from?: number): Promise<StoredRow[]>;
  select(job: string, fileId: string, filter: string): Promise<Selection>;
  rollout(fileId: string, place: RolloutPlace): Promise<ImportedRollout>;
  remove(fileId: string): Promise<void>;
  restore(fileId: string): Promise<void>;
  purge(before?: string): Promise<void>;
  marks(file: string): Promise<Mark[]>;
  mark(
    file: string,
    rollout: string,
    change: Partial<Pick<Mark, 'bookmarked' | 'tags' | 'note'>>,
  ): Promise<Mark>;
  views(): Promise<SavedView[]>;
  saveView(view: SavedView): Promise<void>;
  removeView(name: string): Promise<void>;
  rescore(fileId: string, place: RolloutPlace): Promise<Rescored[]>;
  /** @param scorers ids; those of the answer where absent */
  disagreements(fileId: string, scorers?: string[], threshold?: number): Promise<Disagreement[]>;
  /** The siblings of a group by round, and their credit under some settings. */
  group(
    fileId: string,
    groupId: string,
    settings: WhatIfSettings,
  ): Promise<{ aligned: AlignedGroup; credit: GroupCredit; places: RolloutPlace[] } | null>;
  whatIf(
    fileId: string,
    groupId: string,
    before: WhatIfSettings,
    after: WhatIfSettings,
  ): Promise<WhatIf>;
  diff(
    a: { fileId: string; place: RolloutPlace },
    b: { fileId: string; place: RolloutPlace },
  ): Promise<{ a: DiffPiece[]; b: DiffPiece[]; runs: DiffRun[] }>;
  compare(fileA: string, fileB: string, criterion: Criterion): Promise<RunComparison>;
}

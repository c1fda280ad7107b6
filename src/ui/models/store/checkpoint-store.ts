import { create } from 'zustand';
import type { Fault, LocalFile } from '../../../lab/contract/records/checkpoints.ts';
import type {
  DownloadProgress,
  CheckpointMessage,
  CheckpointView,
  PlanView,
} from '../../../lab/contract/checkpoints.ts';
import type { PolicyUse } from '../../setup/setup-uses.ts';

/** What the page knows of the checkpoints on this device, and of the one that is being added. */

/** What a look at a source came to. */
type Look =
  | { status: 'none' }
  | { status: 'looking'; what: string }
  | { status: 'ready'; view: PlanView; files: LocalFile[] | null }
  | { status: 'failed'; fault: Fault };

interface RemovedCheckpoint {
  id: string;
  name: string;
  bytes: number;
  uses: readonly PolicyUse[];
  /** When, ms since 1970. */
  at: number;
}

/**
 * Checkpoints on this device and the downloads of them; changed by `checkpoint-actions.ts` and by messages
 * of the lab.
 */
export interface CheckpointState {
  /** `waiting` until they were read once. */
  status: 'waiting' | 'ready' | 'failed';
  /** Newest first. */
  checkpoints: readonly CheckpointView[];
  /** Of downloads that run, in any tab. */
  progress: Readonly<Record<string, DownloadProgress>>;
  /** What is looked at, before any of it is stored; one at a time. */
  look: Look;
  /** The repository whose card asked for the look; null: the form did. */
  lookFor: string | null;
  /** Deleted ones that can be brought back. */
  removed: readonly RemovedCheckpoint[];
  /** Access token for the hub: in memory only, here and in the lab. */
  token: string;
  /** What failed last that is about no single download, with what to do next. */
  problem: Pick<Fault, 'message' | 'next'> | null;
}

/** Before the list was read. */
export const EMPTY_CHECKPOINTS: CheckpointState = {
  status: 'waiting',
  checkpoints: [],
  progress: {},
  look: { status: 'none' },
  lookFor: null,
  removed: [],
  token: '',
  problem: null,
};

const running = ({ state }: CheckpointView): boolean =>
  state === 'downloading' || state === 'elsewhere';

/** Applies a message of the lab. Progress of what no longer runs is dropped. */
export const applyCheckpointMessage = (
  state: CheckpointState,
  message: CheckpointMessage,
): CheckpointState => {
  if (message.type === 'progress') {
    const { progress } = message;
    return { ...state, progress: { ...state.progress, [progress.id]: progress } };
  }
  const { checkpoints } = message;
  const kept = checkpoints.filter(running).flatMap(({ id }) => {
    const progress = state.progress[id];
    return progress ? [[id, progress] as const] : [];
  });
  return { ...state, status: 'ready', checkpoints, progress: Object.fromEntries(kept) };
};

/** Of the page of models and of all that let a policy be chosen; changed by `checkpoint-actions.ts` alone. */
export const useCheckpoints = create<CheckpointState>()(() => EMPTY_CHECKPOINTS);

/** One that came from the same place at the same state, if there is one. */
export const sameCheckpoint = (
  checkpoints: readonly CheckpointView[],
  { plan }: PlanView,
): CheckpointView | undefined =>
  checkpoints.find(
    ({ source, revision, totalBytes }) =>
      JSON.stringify(source) === JSON.stringify(plan.source) &&
      revision === plan.revision &&
      // Folders have no revision: one of the same name and size is taken for the same.
      (source.kind !== 'folder' ||
        totalBytes === plan.files.reduce((sum, { bytes }) => sum + (bytes ?? 0), 0)),
  );

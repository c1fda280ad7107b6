import { create } from 'zustand';
import type { Fault, LocalFile } from '../../../lab/contract/records/checkpoints.ts';
import type {
  DownloadProgress,
  CheckpointMessage,
  CheckpointView,
  PlanView,
} from '../../../lab/contract/checkpoints.ts';
import type { PolicyUse } from '../../setup/setup-uses.ts';

/** State of the checkpoints on this device, and of the previewed one. */

/** The result of a preview. */
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
  /** Time, ms since 1970. */
  at: number;
}

/** Checkpoints and their downloads; changed by `checkpoint-actions.ts` and lab messages. */
export interface CheckpointState {
  /** `waiting` until loaded. */
  status: 'waiting' | 'ready' | 'failed';
  /** Newest first. */
  checkpoints: readonly CheckpointView[];
  /** Of running downloads, in any tab. */
  progress: Readonly<Record<string, DownloadProgress>>;
  /** The current preview; one at a time. */
  look: Look;
  /** The repository whose card requested it; null: the form. */
  lookFor: string | null;
  /** Deleted ones that can be restored. */
  removed: readonly RemovedCheckpoint[];
  /** Access token for the hub: only in memory, here and in the lab. */
  token: string;
  /** The last failure not about a single download, with what to do next. */
  problem: Pick<Fault, 'message' | 'next'> | null;
}

/** Before the list is loaded. */
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

/** Applies a lab message. Progress of ended downloads is dropped. */
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

/** For the Models page and all model choosers; changed only by `checkpoint-actions.ts`. */
export const useCheckpoints = create<CheckpointState>()(() => EMPTY_CHECKPOINTS);

/** A stored one from the same source and revision, if any. */
export const sameCheckpoint = (
  checkpoints: readonly CheckpointView[],
  { plan }: PlanView,
): CheckpointView | undefined =>
  checkpoints.find(
    ({ source, revision, totalBytes }) =>
      JSON.stringify(source) === JSON.stringify(plan.source) &&
      revision === plan.revision &&
      // Local files have no revision: equal name and size count as the same.
      (source.kind === 'hub' ||
        source.kind === 'url' ||
        totalBytes === plan.files.reduce((sum, { bytes }) => sum + (bytes ?? 0), 0)),
  );

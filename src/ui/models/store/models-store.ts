import { create } from 'zustand';
import type { Fault, LocalFile } from '../../../lab/contract/records/checkpoints.ts';
import type { EncoderFacts } from '../../../lab/contract/encoders.ts';
import type { ByteProgress } from '../../../lab/contract/progress.ts';
import type {
  DownloadProgress,
  CheckpointMessage,
  CheckpointView,
  PlanView,
} from '../../../lab/contract/checkpoints.ts';
import type { DeviceMeasure, Figure } from '../../../policy/measure/device.ts';
import type { Agreement } from '../../../policy/model/agreement.ts';
import type { PolicyInfo } from '../../../policy/policy.ts';
import type { EncoderUse, PolicyUse } from '../../setup/setup-uses.ts';

/** State of the Models page: a slice for each of its sections, with its actions in a file of its own. */

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

/** Encoders and cross-encoders on this device. */
export interface EncodersState {
  status: 'waiting' | 'ready';
  encoders: EncoderFacts[];
  /** A folder is being tested. */
  adding: boolean;
  problem: { text: string; next: string } | null;
  /** Removed in this visit; restorable until the page is reloaded. */
  removed: readonly { id: string; uses: readonly EncoderUse[]; at: number }[];
}

/** A measurement; the result is stored with its policy, because another may be loaded later. */
export type Trial<Progress, Result> =
  | { readonly status: 'none' }
  | { readonly status: 'running'; readonly progress: Progress; readonly abort: AbortController }
  | { readonly status: 'done'; readonly result: Result; readonly policy: PolicyInfo }
  | { readonly status: 'failed'; readonly message: string };

/** Measurements of the loaded policy in this visit: agreement of quantized weights, and speed of the device. */
export interface TrialsSlice {
  /** Compared layers and total; 0 until the first. */
  agreement: Trial<{ done: number; layers: number }, Agreement>;
  /** Numbers so far, and progress from 0 to 1. */
  measure: Trial<{ figures: readonly Figure[]; share: number }, DeviceMeasure>;
}

/** Import of an offered adapter. */
export type OfferState =
  | ({ status: 'fetching' } & ByteProgress)
  | { status: 'importing' }
  | { status: 'failed'; message: string };

interface ModelsStore extends CheckpointState, TrialsSlice {
  /** Changed by `encoder-actions.ts`. */
  encoders: EncodersState;
  /** By the id of the model that the adapter is for; changed by `offer-actions.ts`. */
  offers: Readonly<Record<string, OfferState | null>>;
}

/** For the Models page and all model choosers, while the tab is open. */
export const useModels = create<ModelsStore>()(() => ({
  ...EMPTY_CHECKPOINTS,
  encoders: { status: 'waiting', encoders: [], adding: false, problem: null, removed: [] },
  agreement: { status: 'none' },
  measure: { status: 'none' },
  offers: {},
}));

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

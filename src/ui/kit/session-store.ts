import { create } from 'zustand';
import type { PolicyInfo } from '../../policy/policy.ts';
import type { DeviceFacts } from '../../lab/contract/policy.ts';
import type { Failure } from '../../lab/contract/records/failure.ts';
import {
  PARTS_OF,
  type Need,
  type PartName,
  type Parts,
  type PartState,
} from '../../lab/contract/progress.ts';
import type { QuestionRow, SourceFacts } from '../../lab/contract/ask.ts';
import type { StorageNews } from '../../lab/contract/storage-news.ts';

/** State of this visit that belongs to no page. */

/** The two global dialogs; at most one is open. */
type Dialog = 'palette' | 'keys';

const WAITING: PartState = {
  status: 'waiting',
  note: 'not started',
  loadedBytes: 0,
  totalBytes: 0,
  failure: null,
};

/** Loaded parts, questions of the world, policy and device. Changed by `lab/connection.ts` on messages of the lab, and by `kit/tokens/pieces.ts`. */
interface LabSlice {
  parts: Parts;
  /** Parts needed by pages so far; the others are not loaded. */
  needed: ReadonlySet<Need>;
  questions: QuestionRow[];
  /** Why there are no questions. */
  questionsProblem: string | null;
  /** Sources of the next run. */
  sources: SourceFacts | null;
  policy: PolicyInfo | null;
  device: DeviceFacts | null;
  /** The lab worker itself died or could not start. */
  labFailure: Failure | null;
  /** Texts of the policy’s tokens, requested once each. */
  pieces: Readonly<Record<number, string>>;
}

/** The guided tour; changed by `tour/tour-actions.ts`, which stores the position. */
export interface TourState {
  open: boolean;
  /** Only the heading is shown. */
  folded: boolean;
  /** 0-based chapter and step, and ids of finished chapters; a chapter past the last: the tour is over. */
  chapter: number;
  step: number;
  seen: readonly string[];
}

interface SessionStore extends LabSlice {
  /** Whether the page works without its server; changed by `lab/offline.ts`. */
  offline: {
    status: 'waiting' | 'storing' | 'ready' | 'unavailable';
    /** Why it is unavailable. */
    reason: string;
  };
  /** What `StorageNotice` shows; null for nothing. */
  storageNews: StorageNews | null;
  dialog: Dialog | null;
  tour: TourState;
}

export const useSession = create<SessionStore>()(() => ({
  parts: { world: WAITING, retrieval: WAITING, policy: WAITING },
  needed: new Set(),
  questions: [],
  questionsProblem: null,
  sources: null,
  policy: null,
  device: null,
  labFailure: null,
  pieces: {},
  offline: { status: 'waiting', reason: '' },
  storageNews: null,
  dialog: null,
  tour: { open: false, folded: false, chapter: 0, step: 0, seen: [] },
}));

/** Toggles it. */
export const toggleDialog = (dialog: Dialog): void =>
  useSession.setState(({ dialog: open }) => ({ dialog: open === dialog ? null : dialog }));

/** Closes whichever is open. */
export const closeDialog = (): void => useSession.setState({ dialog: null });

/** The first failed part. */
export const firstFailure = (state: LabSlice): { part: string; failure: Failure } | null => {
  if (state.labFailure) return { part: 'lab', failure: state.labFailure };
  for (const [part, { failure }] of Object.entries(state.parts)) {
    if (failure) return { part, failure };
  }
  return null;
};

/** Parts that were needed, or are loading for another reason, such as a training run. */
export const partsInUse = ({
  parts,
  needed,
}: Pick<LabSlice, 'parts' | 'needed'>): [PartName, PartState][] => {
  const asked = new Set([...needed].flatMap((need) => PARTS_OF[need]));
  const names: PartName[] = ['world', 'retrieval', 'policy'];
  return names
    .filter((name) => asked.has(name) || parts[name].status !== 'waiting')
    .map((name) => [name, parts[name]]);
};

/** Whether world, retrieval and policy are loaded. */
export const allReady = ({ parts }: Pick<LabSlice, 'parts'>): boolean =>
  Object.values(parts).every((part) => part.status === 'ready');

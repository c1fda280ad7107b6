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

const WAITING: PartState = {
  status: 'waiting',
  note: 'not started',
  loadedBytes: 0,
  totalBytes: 0,
  failure: null,
};

/** Loaded parts, questions of the world, policy and device. */
interface LabStore {
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
}

/** State of the page's workers; changed only by `connection.ts`, on messages of the lab. */
export const useLab = create<LabStore>()(() => ({
  parts: { world: WAITING, retrieval: WAITING, policy: WAITING },
  needed: new Set(),
  questions: [],
  questionsProblem: null,
  sources: null,
  policy: null,
  device: null,
  labFailure: null,
}));

/** The first failed part. */
export const firstFailure = (state: LabStore): { part: string; failure: Failure } | null => {
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
}: Pick<LabStore, 'parts' | 'needed'>): [PartName, PartState][] => {
  const asked = new Set([...needed].flatMap((need) => PARTS_OF[need]));
  const names: PartName[] = ['world', 'retrieval', 'policy'];
  return names
    .filter((name) => asked.has(name) || parts[name].status !== 'waiting')
    .map((name) => [name, parts[name]]);
};

/** Whether world, retrieval and policy are loaded. */
export const allReady = ({ parts }: LabStore): boolean =>
  Object.values(parts).every((part) => part.status === 'ready');

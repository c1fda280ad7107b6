import { create } from 'zustand';
import type { CustomSystem } from '../../../evaluate/systems/custom.ts';
import type { EvaluatedRollout, EvaluationResult } from '../../../evaluate/systems/result.ts';
import type {
  EvaluableRun,
  EvaluationMessage,
  EvaluationProgress,
} from '../../../lab/contract/evaluations.ts';
import type { EvaluationRecord } from '../../../lab/contract/records/evaluations.ts';
import type { Problem } from '../../kit/attempt.ts';

/** State of the evaluation pages: the list, and the results of opened evaluations. */

export interface EvaluateState {
  /** `waiting` until the list is loaded. */
  status: 'waiting' | 'ready' | 'failed';
  /** Newest first, including deleted ones. */
  evaluations: readonly EvaluationRecord[];
  /** By evaluation id, for those that ran since the page was loaded. */
  progress: Readonly<Record<string, EvaluationProgress>>;
  /** Only for opened evaluations. */
  results: Readonly<Record<string, EvaluationResult>>;
  /** Custom systems, by title; empty until a page loads them. */
  customs: readonly CustomSystem[];
  /** Runs with adapters to evaluate. */
  runs: readonly EvaluableRun[];
  problem: Problem | null;
  /** Just deleted evaluations and systems that can be restored. */
  removed: readonly { id: string; name: string; at: number }[];
  /** Complete, because restoring saves it again. */
  removedSystems: readonly CustomSystem[];
  /** The evaluation running in this tab; any other running one is in another tab. */
  here: string | null;
  /** The current measurement as text; null if none. */
  measuring: string | null;
  /** Number of measurements since the page was loaded. */
  measured: number;
}

/** The initial state, also for tests. */
export const EMPTY_EVALUATE: EvaluateState = {
  status: 'waiting',
  evaluations: [],
  progress: {},
  results: {},
  customs: [],
  runs: [],
  problem: null,
  removed: [],
  removedSystems: [],
  here: null,
  measuring: null,
  measured: 0,
};

const newestFirst = (a: EvaluationRecord, b: EvaluationRecord): number =>
  b.createdAt.localeCompare(a.createdAt) || b.id.localeCompare(a.id);

/** The list with an evaluation added or updated; newest first. */
export const withEvaluation = (
  all: readonly EvaluationRecord[],
  one: EvaluationRecord,
): EvaluationRecord[] => [...all.filter(({ id }) => id !== one.id), one].sort(newestFirst);

/** Key of a rollout: system, question and seed. */
const placeOf = ({ system, question, seed }: EvaluatedRollout): string =>
  `${seed} ${system} ${question}`;

/** Index of each key in a rollout list; cached, because the list grows by thousands. */
const placesOf = new WeakMap<readonly EvaluatedRollout[], Map<string, number>>();

/** Merges arrived rollouts; a later one replaces an earlier one with the same key. */
export const withRollouts = (
  known: readonly EvaluatedRollout[],
  arrived: readonly EvaluatedRollout[],
): EvaluatedRollout[] => {
  const at =
    placesOf.get(known) ?? new Map(known.map((rollout, index) => [placeOf(rollout), index]));
  const all = [...known];
  // Entries below are new.
  placesOf.delete(known);
  placesOf.set(all, at);
  for (const rollout of arrived) {
    const place = placeOf(rollout);
    const index = at.get(place);
    if (index === undefined) {
      at.set(place, all.length);
      all.push(rollout);
    } else all[index] = rollout;
  }
  return all;
};

const applyOne = (state: EvaluateState, message: EvaluationMessage): EvaluateState => {
  switch (message.type) {
    case 'evaluation':
      return { ...state, evaluations: withEvaluation(state.evaluations, message.evaluation) };
    case 'progress': {
      const { progress } = message;
      return { ...state, progress: { ...state.progress, [progress.evaluationId]: progress } };
    }
    case 'rollouts': {
      const known = state.results[message.evaluationId];
      // Not open: it is loaded completely when opened.
      if (!known) return state;
      const rollouts = withRollouts(known.rollouts, message.rollouts);
      return {
        ...state,
        results: { ...state.results, [message.evaluationId]: { ...known, rollouts } },
      };
    }
    case 'here':
      return { ...state, here: message.evaluationId };
  }
};

/** Merges messages of one evaluation, because each costs a scan. */
const joined = (messages: readonly EvaluationMessage[]): EvaluationMessage[] => {
  const all: EvaluationMessage[] = [];
  const rollouts = new Map<string, EvaluatedRollout[]>();
  for (const message of messages) {
    if (message.type !== 'rollouts') {
      all.push(message);
      continue;
    }
    const list = rollouts.get(message.evaluationId);
    if (list) list.push(...message.rollouts);
    else rollouts.set(message.evaluationId, [...message.rollouts]);
  }
  return [
    ...all,
    ...[...rollouts].map(([evaluationId, list]): EvaluationMessage => ({
      type: 'rollouts',
      evaluationId,
      rollouts: list,
    })),
  ];
};

/** Applies messages in order. Rollouts of unopened evaluations are skipped: they are stored anyway. */
export const applyEvaluationMessages = (
  state: EvaluateState,
  messages: readonly EvaluationMessage[],
): EvaluateState => joined(messages).reduce(applyOne, state);

/** Of the evaluation pages; changed only by `evaluate-actions.ts` and `custom-actions.ts`. */
export const useEvaluate = create<EvaluateState>()(() => EMPTY_EVALUATE);

/** Includes deleted ones while they can be restored; undefined for unknown ids. */
export const evaluationById = (
  { evaluations }: Pick<EvaluateState, 'evaluations'>,
  id: string | null,
): EvaluationRecord | undefined => evaluations.find((one) => one.id === id);

/** The running evaluation, if any. */
export const runningEvaluation = ({
  evaluations,
}: Pick<EvaluateState, 'evaluations'>): EvaluationRecord | undefined =>
  evaluations.find(({ status, deletedAt }) => status === 'running' && deletedAt === null);

/** Whether it runs in another tab, which executes the commands of this one. */
export const runsElsewhere = (
  { here }: Pick<EvaluateState, 'here'>,
  { id, status }: Pick<EvaluationRecord, 'id' | 'status'>,
): boolean => status === 'running' && id !== here;

/** Evaluations that are not deleted, in order. */
export const visibleEvaluations = (all: readonly EvaluationRecord[]): EvaluationRecord[] =>
  all.filter(({ deletedAt }) => deletedAt === null);

/** Names in use. */
export const takenNames = (): string[] =>
  useEvaluate.getState().evaluations.map(({ name }) => name);

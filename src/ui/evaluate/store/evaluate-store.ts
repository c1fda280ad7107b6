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

/** What the page knows of evaluations: the list, and what the opened ones found. */

export interface EvaluateState {
  /** `waiting` until the list was read once. */
  status: 'waiting' | 'ready' | 'failed';
  /** Newest first, deleted ones among them. */
  evaluations: readonly EvaluationRecord[];
  /** By id of the evaluation, of those that ran since the page was loaded. */
  progress: Readonly<Record<string, EvaluationProgress>>;
  /** Only of evaluations that were opened. */
  results: Readonly<Record<string, EvaluationResult>>;
  /** Systems of your own, by title; empty until a page that needs them asked. */
  customs: readonly CustomSystem[];
  /** Runs whose adapters can be evaluated. */
  runs: readonly EvaluableRun[];
  problem: Problem | null;
  /** Evaluations and systems that were just deleted and can be brought back. */
  removed: readonly { id: string; name: string; at: number }[];
  /** Whole, because bringing one back means saving it again. */
  removedSystems: readonly CustomSystem[];
  /** The evaluation that this tab runs; another one that runs does so in another tab. */
  here: string | null;
  /** What is measured on this device right now, as text; null where nothing is. */
  measuring: string | null;
  /** Measurements since the page was loaded. */
  measured: number;
}

/** The state before anything was read; tests begin with it too. */
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

/** The list with one more, or with its newer version in place of the older; newest first. */
export const withEvaluation = (
  all: readonly EvaluationRecord[],
  one: EvaluationRecord,
): EvaluationRecord[] => [...all.filter(({ id }) => id !== one.id), one].sort(newestFirst);

/** What there is one rollout of: a system, a question and a seed. */
const placeOf = ({ system, question, seed }: EvaluatedRollout): string =>
  `${seed} ${system} ${question}`;

/** Where each place is in a list of rollouts: made once, and handed on as the list grows by thousands. */
const placesOf = new WeakMap<readonly EvaluatedRollout[], Map<string, number>>();

/** Rollouts with those that arrived; a later one of the same place replaces the earlier. */
export const withRollouts = (
  known: readonly EvaluatedRollout[],
  arrived: readonly EvaluatedRollout[],
): EvaluatedRollout[] => {
  const at =
    placesOf.get(known) ?? new Map(known.map((rollout, index) => [placeOf(rollout), index]));
  const all = [...known];
  // What is added below is not in the list before.
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
      // Nobody looks at it: it is read whole when it is opened.
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

/** Messages of rollouts of one evaluation become one: each costs a look at all that is there. */
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

/** Applies messages in order. Rollouts of an evaluation that nobody opened are not kept: they are stored. */
export const applyEvaluationMessages = (
  state: EvaluateState,
  messages: readonly EvaluationMessage[],
): EvaluateState => joined(messages).reduce(applyOne, state);

/** Of the evaluation pages; changed by the functions of `evaluate-actions.ts` and `custom-actions.ts` alone. */
export const useEvaluate = create<EvaluateState>()(() => EMPTY_EVALUATE);

/** A deleted one is found too, as long as it can be brought back; undefined where there is none of that id. */
export const evaluationById = (
  { evaluations }: Pick<EvaluateState, 'evaluations'>,
  id: string | null,
): EvaluationRecord | undefined => evaluations.find((one) => one.id === id);

/** The evaluation that runs now, if any. */
export const runningEvaluation = ({
  evaluations,
}: Pick<EvaluateState, 'evaluations'>): EvaluationRecord | undefined =>
  evaluations.find(({ status, deletedAt }) => status === 'running' && deletedAt === null);

/** Whether an evaluation runs in another tab, which does what is asked for here. */
export const runsElsewhere = (
  { here }: Pick<EvaluateState, 'here'>,
  { id, status }: Pick<EvaluationRecord, 'id' | 'status'>,
): boolean => status === 'running' && id !== here;

/** Those of the list that are not deleted, in its order. */
export const visibleEvaluations = (all: readonly EvaluationRecord[]): EvaluationRecord[] =>
  all.filter(({ deletedAt }) => deletedAt === null);

/** Names that evaluations of this browser have. */
export const takenNames = (): string[] =>
  useEvaluate.getState().evaluations.map(({ name }) => name);

import { create } from 'zustand';
import type { Problem } from '../../kit/attempt.ts';
import type { HeldOutScore, TrainStep } from '../../../records/training.ts';
import type { RunRecord } from '../../../lab/contract/records/runs.ts';
import type {
  DownloadKind,
  LiveRollout,
  TrainApi,
  TrainMessage,
  TrainProgress,
} from '../../../lab/contract/training.ts';

/** What the page knows of training: runs, steps of the runs that were opened. */

/** A run that was just deleted and can be brought back. */
interface Removed {
  id: string;
  name: string;
  /** When, ms since 1970. */
  at: number;
}

/** Import of runs that came back from a cluster; changed by `adopt-actions.ts`. */
export interface Adopting {
  /** What is being read, and how many of its steps are stored; null where nothing is. */
  reading: { name: string; done: number; total: number; cancelling: boolean } | null;
  /** Names of what is read after it. */
  waiting: readonly string[];
  /** What was taken in since nothing was being read. */
  taken: readonly Pick<RunRecord, 'id' | 'name' | 'notice'>[];
  /** What of it was cancelled, as text; null where nothing was. */
  cancelled: string | null;
}

export const NOT_ADOPTING: Adopting = { reading: null, waiting: [], taken: [], cancelled: null };

/** Changed by `train-actions.ts` and by messages of the lab, which `applyTrainMessages` applies. */
export interface TrainState {
  /** `waiting` until the runs were read once. */
  status: 'waiting' | 'ready' | 'failed';
  /** Newest first, deleted ones among them. */
  runs: readonly RunRecord[];
  /** By run, of those that trained since the page was loaded. */
  progress: Readonly<Record<string, TrainProgress>>;
  /** Steps in order, only of runs that were opened. */
  steps: Readonly<Record<string, readonly TrainStep[]>>;
  /** Rollouts of the step under way as they end, of runs that were opened; of one step at a time. */
  live: Readonly<Record<string, readonly LiveRollout[]>>;
  /** Held-out score before the first step, of runs whose first step is under way; its record has it afterwards. */
  atStart: Readonly<Record<string, Pick<HeldOutScore, 'em' | 'n'>>>;
  /** Runs of which not all steps are read yet. */
  reading: readonly string[];
  /** What went wrong last, as text to show; the run it is about where there is one. */
  problem: Problem | null;
  removed: readonly Removed[];
  /** The run that this tab trains; another one that trains does so in another tab. */
  here: string | null;
  /** The sweep that this tab works through. */
  sweep: string | null;
  /** What is measured on this device right now, as text; null where nothing is. */
  measuring: string | null;
  /** Measurements since the page was loaded. */
  measured: number;
  /** The page itself saw that nothing arrived while it was hidden. */
  frozen: string | null;
  adopting: Adopting;
  /** The download that is being made; changed by `download-actions.ts`. */
  download: {
    run: string;
    what: DownloadKind;
    done: number;
    total: number;
    cancelling: boolean;
  } | null;
}

/** The state before anything was read; tests begin with it too. */
export const EMPTY_TRAIN: TrainState = {
  status: 'waiting',
  runs: [],
  progress: {},
  steps: {},
  live: {},
  atStart: {},
  reading: [],
  problem: null,
  removed: [],
  here: null,
  sweep: null,
  measuring: null,
  measured: 0,
  frozen: null,
  adopting: NOT_ADOPTING,
  download: null,
};

const newestFirst = (a: RunRecord, b: RunRecord): number =>
  b.createdAt.localeCompare(a.createdAt) || b.id.localeCompare(a.id);

/** The list with one more, or with its newer version in place of the older; newest first. */
export const withRun = (runs: readonly RunRecord[], run: RunRecord): RunRecord[] =>
  [...runs.filter(({ id }) => id !== run.id), run].sort(newestFirst);

/**
 * Adds a step at its place. A run that went back to a snapshot does steps again: what was known
 * from that step on is replaced by what happened instead.
 */
const withStep = (steps: readonly TrainStep[], step: TrainStep): TrainStep[] => {
  let keep = steps.length;
  while (keep > 0 && steps[keep - 1]!.step >= step.step) keep--;
  return [...steps.slice(0, keep), step];
};

/** Steps that were read, and the ones that arrived while they were read: the later word counts. */
export const mergeSteps = (
  read: readonly TrainStep[],
  arrived: readonly TrainStep[],
): TrainStep[] => {
  const first = arrived[0]?.step ?? Infinity;
  return [...read.filter(({ step }) => step < first), ...arrived];
};

/** Steps of a run that is interrupted count up to its snapshot: those after it will be made again. */
const withoutLost = (all: TrainState['steps'], run: RunRecord): TrainState['steps'] => {
  const known = all[run.id];
  if (!known || run.status === 'running' || (known.at(-1)?.step ?? 0) <= run.step) return all;
  return { ...all, [run.id]: known.filter(({ step }) => step <= run.step) };
};

/** A rollout joins those of its step; one that is there already says that the step began again. */
const withLive = (known: readonly LiveRollout[], rollout: LiveRollout): readonly LiveRollout[] => {
  const [first] = known;
  const together = first?.step === rollout.step && first.of === rollout.of;
  return together && known.every(({ id }) => id !== rollout.id) ? [...known, rollout] : [rollout];
};

/** The held-out questions before the first step are all answered when another rollout comes. */
const scoreAtStart = (
  known: readonly LiveRollout[],
  next: LiveRollout,
): Pick<HeldOutScore, 'em' | 'n'> | null => {
  const [first] = known;
  if (!first || first.of !== 'held-out' || first.step !== 0 || next.of === 'held-out') return null;
  return { em: known.reduce((sum, { em }) => sum + (em ?? 0), 0) / known.length, n: known.length };
};

const applyOne = (state: TrainState, message: TrainMessage): TrainState => {
  switch (message.type) {
    case 'progress': {
      const { progress } = message;
      return { ...state, progress: { ...state.progress, [progress.runId]: progress } };
    }
    case 'rollout': {
      const { runId } = message.rollout;
      if (!state.steps[runId]) return state;
      const known = state.live[runId] ?? [];
      const score = scoreAtStart(known, message.rollout);
      return {
        ...state,
        live: { ...state.live, [runId]: withLive(known, message.rollout) },
        ...(score && { atStart: { ...state.atStart, [runId]: score } }),
      };
    }
    case 'step': {
      const known = state.steps[message.step.runId];
      if (!known) return state;
      const steps = withStep(known, message.step);
      return { ...state, steps: { ...state.steps, [message.step.runId]: steps } };
    }
    case 'run':
      return {
        ...state,
        runs: withRun(state.runs, message.run),
        steps: withoutLost(state.steps, message.run),
      };
    case 'here':
      return { ...state, here: message.runId };
    case 'sweep':
      return { ...state, sweep: message.sweepId };
    // What the browser stores is measured where it is shown; see `storageChanged`.
    case 'storage':
      return state;
  }
};

/** Applies messages in order. Steps of a run that nobody opened are not kept: they are stored. */
export const applyTrainMessages = (
  state: TrainState,
  messages: readonly TrainMessage[],
): TrainState => messages.reduce(applyOne, state);

/** Of the training and runs pages. Its actions are in `train-actions.ts`, `sweep-actions.ts` and `adopt-actions.ts`. */
export const useTrain = create<TrainState>()(() => EMPTY_TRAIN);

/** The training calls of the lab; null until it is connected. */
let connected: TrainApi | null = null;

/** Called with every connection to a lab worker; null in tests. */
export const setTrainApi = (api: TrainApi | null): void => {
  connected = api;
};

/** @throws Error where training is not connected */
export const trainApi = (): TrainApi => {
  if (!connected) throw new Error('Training is not connected: the lab worker did not start.');
  return connected;
};

/** A deleted run is found too, as long as it can be brought back. */
export const runById = (state: TrainState, id: string | null): RunRecord | undefined =>
  id === null ? undefined : state.runs.find((run) => run.id === id);

/** The run that trains now, if any. */
export const trainingRun = (state: Pick<TrainState, 'runs'>): RunRecord | undefined =>
  state.runs.find(({ status, deletedAt }) => status === 'running' && deletedAt === null);

/** Whether a run trains in another tab, which does what is asked for here. */
export const trainsElsewhere = (
  { here }: Pick<TrainState, 'here'>,
  run: Pick<RunRecord, 'id' | 'status'>,
): boolean => run.status === 'running' && run.id !== here;

/** Those that are not deleted, in the order of the list. */
export const visibleRuns = (runs: readonly RunRecord[]): RunRecord[] =>
  runs.filter(({ deletedAt }) => deletedAt === null);

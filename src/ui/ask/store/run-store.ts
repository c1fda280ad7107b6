import { create } from 'zustand';
import type { Question } from '../../../records/records.ts';
import type { Setup } from '../../../records/setup.ts';
import type { RolloutUpdate } from '../../../records/updates.ts';
import type { RunState } from '../../../lab/contract/ask.ts';
import type { PolicyChoice, RunRequest } from '../../../lab/contract/settings.ts';
import type { RecordPlace, StepGroup } from './permalink.ts';
import { applyUpdates, EMPTY_TABLE, type RolloutTable } from './apply-updates.ts';

/** A rollout that continues with another one. */
export interface ForkNote {
  /** Id of that one. */
  of: string;
  /** The first event that is its own. */
  event: number;
  /** What is otherwise: "the next search goes to the web". */
  words: string;
  /** Who continues; absent: the policy of the setup. */
  policy?: PolicyChoice;
}

/** Where rollouts on the screen come from that were not asked for here. */
export type RolloutSource = StepSource | RecordSource;

/** A step of training. */
export interface StepSource {
  runId: string;
  /** Name of the training run. */
  name: string;
  step: number;
  /** `groupId` of the rollouts. */
  group: string;
  /** What the training run works with. */
  setup: Setup;
}

/** A rollout that was read from a file of this browser or from an evaluation. */
export interface RecordSource {
  place: RecordPlace;
  /** Of the file or of the evaluation. */
  name: string;
  /** What its forks work with. */
  setup: Setup;
  /** Who wrote it; absent: the setup's policy. */
  policy?: PolicyChoice;
}

/** The run on the screen: what was asked, its state, and its rollouts. */
interface RunStore {
  request: RunRequest | null;
  /** The question of the run with its gold, where the world knows it. */
  question: Question | null;
  run: RunState | null;
  /** Names of the question that no passage in use mentions. */
  unknownNames: readonly string[];
  table: RolloutTable;
  /** A run was asked for before there was a question to ask. */
  wanted: boolean;
  /** Set while the rollouts were not asked for here. */
  source: RolloutSource | null;
  /** Of the rollouts on the screen, by id. */
  forks: Readonly<Record<string, ForkNote>>;
  /** The fork that is being made, until it has ended. */
  forking: string | null;
  /** Why the last fork was not made. */
  forkProblem: string | null;
  beginFork: (id: string, note: ForkNote) => void;
  begin: (request: RunRequest, question: Question | null) => void;
  setRun: (run: RunState) => void;
  setUnknownNames: (runId: string, names: readonly string[]) => void;
  apply: (updates: readonly RolloutUpdate[]) => void;
  clear: () => void;
}

/** The source as an address names it. */
export const addressOf = (source: RolloutSource | null): StepGroup | RecordPlace | null => {
  if (source === null) return null;
  if ('place' in source) return source.place;
  const { runId, step, group } = source;
  return { runId, step, group };
};

/** Whether a run is under way, or waits for what it needs. */
export const isRunning = (run: RunState | null): boolean =>
  run?.status === 'waiting' || run?.status === 'running';

/** As with every new run: forks are of the rollouts on the screen. */
const NO_FORKS = { forks: {}, forking: null, forkProblem: null };

/** The table with a fork that is expected, after the rollout that it leaves and the forks of that. */
const withFork = (table: RolloutTable, forks: RunStore['forks'], id: string, of: string) => {
  const { order } = table;
  let at = order.indexOf(of) + 1;
  while (at > 0 && forks[order[at] ?? '']?.of === of) at++;
  return { ...table, order: order.toSpliced(at, 0, id) };
};

/** A fork that never began leaves no place behind. */
const withoutExpected = (table: RolloutTable): RolloutTable => ({
  ...table,
  order: table.order.filter((id) => table.byId[id]),
});

/** What a state of the lab means for the fork that is being made: its failure is not the run's. */
const forkEnded = (
  { forking, table, forks }: Pick<RunStore, 'forking' | 'table' | 'forks'>,
  run: RunState,
): Partial<RunStore> | null => {
  if (forking === null || isRunning(run)) return null;
  const { [forking]: note, ...others } = forks;
  return {
    forking: null,
    table: withoutExpected(table),
    forks: note && table.byId[forking] ? forks : others,
    forkProblem: run.failure?.message ?? null,
    run: { ...run, status: 'done', failure: null },
  };
};

/**
 * The run on the screen of Ask with its rollouts and forks. It outlives a change of page, so that a run goes
 * on meanwhile.
 */
export const useRun = create<RunStore>()((set) => ({
  request: null,
  question: null,
  run: null,
  unknownNames: [],
  table: EMPTY_TABLE,
  wanted: false,
  source: null,
  ...NO_FORKS,
  beginFork: (id, note) =>
    set(({ table, forks, run }) => ({
      table: withFork(table, forks, id, note.of),
      forks: { ...forks, [id]: note },
      forking: id,
      forkProblem: null,
      run: run && { ...run, status: 'waiting', tokens: 0, tokensPerSecond: 0, failure: null },
    })),
  begin: (request, question) =>
    set({
      ...NO_FORKS,
      source: null,
      request,
      question,
      unknownNames: [],
      table: EMPTY_TABLE,
      run: {
        runId: request.runId,
        status: 'waiting',
        tokens: 0,
        tokensPerSecond: 0,
        failure: null,
      },
    }),
  setRun: (run) =>
    set((state) => (state.request?.runId === run.runId ? (forkEnded(state, run) ?? { run }) : {})),
  setUnknownNames: (runId, names) =>
    set((state) => (state.request?.runId === runId ? { unknownNames: names } : {})),
  apply: (updates) => set((state) => ({ table: applyUpdates(state.table, updates) })),
  clear: () =>
    set({
      request: null,
      question: null,
      run: null,
      unknownNames: [],
      table: EMPTY_TABLE,
      source: null,
      ...NO_FORKS,
    }),
}));

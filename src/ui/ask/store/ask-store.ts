import { create } from 'zustand';
import type { Question } from '../../../records/records.ts';
import type { Setup } from '../../../records/setup.ts';
import type { RolloutUpdate } from '../../../records/updates.ts';
import type { RunState } from '../../../lab/contract/ask.ts';
import type { PolicyChoice, RunRequest } from '../../../lab/contract/settings.ts';
import type { EvaluableRun } from '../../../lab/contract/evaluations.ts';
import { remember, remembered } from '../../kit/page/remembered.ts';
import { isNarrow, isOverlay } from '../../kit/page/screen.ts';
import type { LinkSetup, Missing } from './link-setup.ts';
import { type AskAddress, parseAddress, type RecordPlace, type StepGroup } from './permalink.ts';
import type { Comparison } from './comparison.ts';
import { applyUpdates, EMPTY_TABLE, type RolloutTable } from './apply-updates.ts';

/** A rollout that continues another one. */
export interface ForkNote {
  /** Id of that one. */
  of: string;
  /** Its first own event. */
  event: number;
  /** The change: "the next search goes to the web". */
  words: string;
  /** The policy that continues; absent: the policy of the setup. */
  policy?: PolicyChoice;
}

/** Origin of rollouts on the screen that were not asked here. */
export type RolloutSource = StepSource | RecordSource;

/** A step of training. */
export interface StepSource {
  runId: string;
  /** Name of the training run. */
  name: string;
  step: number;
  /** `groupId` of the rollouts. */
  group: string;
  /** Setup of the training run. */
  setup: Setup;
}

/** A rollout from a file or an evaluation of this browser. */
export interface RecordSource {
  place: RecordPlace;
  /** Of the file or of the evaluation. */
  name: string;
  /** Setup of its forks. */
  setup: Setup;
  /** The policy that wrote it; absent: the setup's policy. */
  policy?: PolicyChoice;
}

/** The run on the screen: its question, state and rollouts. */
interface RunSlice {
  request: RunRequest | null;
  /** The question with its gold, if the world knows it. */
  question: Question | null;
  run: RunState | null;
  /** Names in the question that no current passage mentions. */
  unknownNames: readonly string[];
  table: RolloutTable;
  /** The run before, if this one followed from a switch of a mechanism; of the run `after` only. */
  comparison: Comparison | null;
  /** A run was requested before a question was available. */
  runRequested: boolean;
  /** Set if the rollouts were not asked here. */
  source: RolloutSource | null;
  /** Forks on the screen, by rollout id. */
  forks: Readonly<Record<string, ForkNote>>;
  /** The pending fork, until it has ended. */
  forking: string | null;
  /** Why the last fork failed. */
  forkProblem: string | null;
  beginFork: (id: string, note: ForkNote) => void;
  begin: (request: RunRequest, question: Question | null) => void;
  setRun: (run: RunState) => void;
  setUnknownNames: (runId: string, names: readonly string[]) => void;
  apply: (updates: readonly RolloutUpdate[]) => void;
  clear: () => void;
}

/** What the details panel shows. Indices refer to the run on the screen. */
export type Selection =
  | { kind: 'round'; rolloutId: string; round: number }
  | { kind: 'event'; rolloutId: string; event: number }
  | { kind: 'token'; rolloutId: string; segment: number; token: number }
  | { kind: 'passage'; rolloutId: string; event: number; hit: number };

/**
 * View state: the location bar follows `address`; panels, selection and colours are reset when the page reloads.
 */
interface ViewSlice {
  address: AskAddress;
  addressProblems: string[];
  playing: boolean;
  /** Rounds of each rollout that the replay after a run has reached; null: no replay, everything is shown. */
  replay: number | null;
  selection: Selection | null;
  pinned: boolean;
  detailsOpen: boolean;
  setupOpen: boolean;
  /** What the token strips are coloured by, where the rollouts have advantages. */
  colourBy: 'writer' | 'advantage';
  /** Scores, tokens and times of the rollouts are shown, too. */
  moreOpen: boolean;
  setAddress: (change: Partial<AskAddress>) => void;
  /** @param open whether the panel may open for it; by default it may */
  select: (selection: Selection | null, open?: boolean) => void;
}

/** How the setup of the address compares with the one chosen here; changed by `linked-setup.ts`. */
export interface LinkedSetup {
  /** `same`: the address follows the choice here. */
  status: 'checking' | 'same' | 'differs';
  /** The choice here in the form of an address, if the two differ. */
  own: LinkSetup;
  missing: readonly Missing[];
}

interface AskStore extends RunSlice, ViewSlice {
  linkedSetup: LinkedSetup;
  /** Whether the linked rollouts are loading, or why they are not shown. */
  linkedStep: { reading: boolean; problem: string | null };
  /** Runs in this browser with a stored adapter; null until `readAdapters` loaded them. */
  adapters: readonly EvaluableRun[] | null;
}

/** The source in the form of an address. */
export const addressOf = (source: RolloutSource | null): StepGroup | RecordPlace | null => {
  if (source === null) return null;
  if ('place' in source) return source.place;
  const { runId, step, group } = source;
  return { runId, step, group };
};

/** Whether a run is active, or waits for loading. */
export const isRunning = (run: RunState | null): boolean =>
  run?.status === 'waiting' || run?.status === 'running';

/** Cleared with every new run: forks belong to the rollouts on the screen. */
const NO_FORKS = { forks: {}, forking: null, forkProblem: null };

/** The table with a pending fork, placed after its source and the other forks of that. */
const withFork = (table: RolloutTable, forks: RunSlice['forks'], id: string, of: string) => {
  const { order } = table;
  let at = order.indexOf(of) + 1;
  while (at > 0 && forks[order[at] ?? '']?.of === of) at++;
  return { ...table, order: order.toSpliced(at, 0, id) };
};

/** A fork that never started leaves no placeholder. */
const withoutExpected = (table: RolloutTable): RolloutTable => ({
  ...table,
  order: table.order.filter((id) => table.byId[id]),
});

/** Applies a lab state to the pending fork: its failure is not the run's. */
const forkEnded = (
  { forking, table, forks }: Pick<RunSlice, 'forking' | 'table' | 'forks'>,
  run: RunState,
): Partial<RunSlice> | null => {
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

/** Whether the user last opened or closed the setup; where neither, it opens with the first run. */
const SETUP_KEY = 'forage.ask.setup';

const initial = parseAddress(globalThis.location?.search ?? '');

/** Of the page Ask. It survives page changes, so a run continues meanwhile. */
export const useAsk = create<AskStore>()((set) => ({
  address: initial.address,
  addressProblems: initial.problems,
  playing: false,
  replay: null,
  selection: null,
  pinned: false,
  detailsOpen: !isOverlay(),
  // The first screen is calm, and a narrow one shows the rollout first; the setup is one click away.
  setupOpen: remembered(SETUP_KEY) === 'open' && !isNarrow(),
  colourBy: 'advantage',
  moreOpen: false,
  setAddress: (change) => set((state) => ({ address: { ...state.address, ...change } })),
  // A pinned panel keeps its content.
  select: (selection, open = true) =>
    set((state) => {
      if (state.pinned && selection) return {};
      return { selection, detailsOpen: state.detailsOpen || (open && selection !== null) };
    }),
  linkedSetup: { status: 'same', own: {}, missing: [] },
  linkedStep: { reading: false, problem: null },
  adapters: null,
  request: null,
  question: null,
  run: null,
  unknownNames: [],
  table: EMPTY_TABLE,
  comparison: null,
  runRequested: false,
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

/** On a narrow screen the setup covers the page, so it is opened for the moment only. */
const rememberSetup = (open: boolean): void => {
  if (!isNarrow()) remember(SETUP_KEY, open ? 'open' : 'closed');
};

/** Shows or hides one of the two side panels. */
export const togglePanel = (panel: 'setupOpen' | 'detailsOpen'): void => {
  useAsk.setState((state) => ({ [panel]: !state[panel] }));
  if (panel === 'setupOpen') rememberSetup(useAsk.getState().setupOpen);
};

/** For commands and links that focus a field of the setup. */
export const openSetup = (): void => {
  useAsk.setState({ setupOpen: true });
  rememberSetup(true);
};

/** What a run changes of the setup: it is shown with the first one, unless the user closed it; never on a narrow screen. */
export const setupAtRun = (): { setupOpen?: boolean } => {
  if (isNarrow()) return { setupOpen: false };
  return remembered(SETUP_KEY) === null ? { setupOpen: true } : {};
};

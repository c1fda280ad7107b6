import { flushSync } from 'react-dom';
import { COMMAND_KEY } from '../kit/page/command-key.ts';
import { pagePath } from '../kit/page/page-root.ts';
import {
  cancelRun,
  focusNext,
  move,
  runFromStart,
  skipReplay,
  togglePlaying,
} from '../ask/store/actions.ts';
import { downloadRollouts } from '../ask/store/export.ts';
import { ASK } from '../ask/store/permalink.ts';
import { isRunning, useAsk, openSetup, togglePanel } from '../ask/store/ask-store.ts';
import { pauseEvaluation } from '../evaluate/store/evaluate-actions.ts';
import { NEW_EVALUATION } from '../evaluate/store/evaluate-address.ts';
import { runningEvaluation, useEvaluate } from '../evaluate/store/evaluate-store.ts';
import { pauseRun, resumeRun, stopRun } from '../train/store/train-actions.ts';
import { formatTrainAddress, parseTrainAddress } from '../train/store/train-address.ts';
import { trainingRun, useTrain, visibleRuns } from '../train/store/train-store.ts';
import { toggleDialog } from '../kit/session-store.ts';
import { openTour } from '../tour/tour-actions.ts';
import { stopSearch } from '../rollouts/search/search-actions.ts';
import { isRollouts } from '../rollouts/store/browse-address.ts';
import { RAIL } from './places.tsx';
import { rolloutCommands } from './rollout-commands.ts';
import { useRollouts } from '../rollouts/store/rollouts-store.ts';

/** Every action with a name (⌘K) or a key (`?` lists them). */
export interface Command {
  name: string;
  /** As `event.key`, or `g a` for a sequence; several keys may trigger one action. */
  keys: readonly string[];
  group:
    | 'Run'
    | 'Train'
    | 'Evaluate'
    | 'Playback'
    | 'Rollouts'
    | 'View'
    | 'Go to'
    | 'Training run'
    | 'File'
    | 'Evaluation'
    | 'Question'
    | 'Corpus'
    | 'Recipe'
    | 'System';
  /** Pages where it is offered; absent: all. */
  when?: (path: string) => boolean;
  /** Pages where its keys work; absent: those of `when`. */
  keysWhen?: (path: string) => boolean;
  /** Whether it is available now; absent: always. */
  can?: () => boolean;
  act: () => void;
}

/** What commands need from the page. */
export interface CommandContext {
  go: (path: string) => void;
  toggleTheme: () => void;
}

/** Whether it is available on the page with this path; ⌘K offers nothing else. */
export const isAvailable = ({ when, can }: Command, path: string): boolean =>
  (when?.(path) ?? true) && (can?.() ?? true);

/** Whether its keys work on the page with this path; otherwise the browser handles them. */
export const hearsKeys = (command: Command, path: string): boolean =>
  isAvailable(command, path) && (command.keysWhen?.(path) ?? true);

const isAsk = (path: string): boolean => path === ASK;

/** Whether Ask has rollouts. */
const isRun = (): boolean => useAsk.getState().table.order.length > 0;

/** Whether a search of all rollouts is running. */
const searches = (): boolean => useRollouts.getState().search.status === 'searching';

/** Whether Escape has an effect. */
const escapable = (): boolean => {
  if (searches()) return true;
  if (isRunning(useAsk.getState().run)) return true;
  if (pagePath() === '/train') return parseTrainAddress(location.search).step !== null;
  const { address, playing, replay, selection } = useAsk.getState();
  return (
    isAsk(pagePath()) && (address.step !== null || playing || replay !== null || selection !== null)
  );
};

/**
 * Escape ends the innermost activity: a search, then the run, then replay or playback, then the selection or
 * chosen step.
 */
const escape = (go: CommandContext['go']) => () => {
  if (searches()) return stopSearch();
  if (isRunning(useAsk.getState().run)) return void cancelRun();
  if (pagePath() === '/train') {
    const shown = parseTrainAddress(location.search);
    if (shown.step !== null) go(formatTrainAddress({ ...shown, step: null }));
    return;
  }
  const { address, replay } = useAsk.getState();
  if (replay !== null) return skipReplay();
  if (address.step !== null || useAsk.getState().playing) return move('leave');
  useAsk.getState().select(null);
};

/** Focuses the question field in the setup; rendered at once, so that the next key goes into it. */
const focusSearch = () => {
  flushSync(openSetup);
  document.getElementById('question-search')?.focus();
};

/** Applies an action to the running training; no effect without one. */
const withTraining = (act: (runId: string) => Promise<unknown>) => () => {
  const run = trainingRun(useTrain.getState());
  if (run) void act(run.id);
};

const trains = (): boolean => trainingRun(useTrain.getState()) !== undefined;

/** The newest run with remaining steps. */
const resumable = () =>
  visibleRuns(useTrain.getState().runs).find(
    ({ status, step, settings }) => status !== 'running' && step < settings.steps,
  );

/** Resumes the newest run with remaining steps. */
const resumeNewest = (go: (path: string) => void) => () => {
  const run = resumable();
  if (!run) return;
  go(formatTrainAddress({ run: run.id, step: null }));
  void resumeRun(run.id);
};

/** Actions on the rollouts of Ask. */
const PLAYBACK: readonly (readonly [name: string, key: string, act: () => void])[] = [
  ['Next event', 'ArrowRight', () => move('forward')],
  ['Previous event', 'ArrowLeft', () => move('back')],
  ['First event', 'Home', () => move('first')],
  ['Last event', 'End', () => move('last')],
  ['Play or pause', ' ', togglePlaying],
  ['Next rollout', ']', () => focusNext(1)],
  ['Previous rollout', '[', () => focusNext(-1)],
];

/** All commands except those of things (`things.ts`). Of several with one key, the first available one acts. */
export const createCommands = ({ go, toggleTheme }: CommandContext): Command[] => [
  {
    name: 'Run',
    keys: ['r'],
    group: 'Run',
    when: isAsk,
    act: () => void runFromStart(),
  },
  {
    name: 'Cancel the run or the search, end the replay or playback, or close the step',
    keys: ['Escape'],
    group: 'Run',
    can: escapable,
    act: escape(go),
  },
  {
    name: 'Download the rollouts (JSONL)',
    keys: [],
    group: 'Run',
    can: isRun,
    act: downloadRollouts,
  },
  {
    name: 'New training run',
    keys: ['n'],
    group: 'Train',
    // The reader uses this key for the next event.
    keysWhen: (path) => !isRollouts(path),
    act: () => go('/train?new=1'),
  },
  {
    name: 'Pause training',
    keys: [],
    group: 'Train',
    can: trains,
    act: withTraining(pauseRun),
  },
  {
    name: 'Stop training and keep what it learned',
    keys: [],
    group: 'Train',
    can: trains,
    act: withTraining((id) => stopRun(id, true)),
  },
  {
    name: 'Resume the newest run',
    keys: [],
    group: 'Train',
    can: () => !trains() && resumable() !== undefined,
    act: resumeNewest(go),
  },
  {
    name: 'New evaluation of several systems',
    keys: [],
    group: 'Evaluate',
    act: () => go(NEW_EVALUATION),
  },
  {
    name: 'Pause the evaluation',
    keys: [],
    group: 'Evaluate',
    can: () => runningEvaluation(useEvaluate.getState()) !== undefined,
    act: () => {
      const running = runningEvaluation(useEvaluate.getState());
      if (running) void pauseEvaluation(running.id);
    },
  },
  ...rolloutCommands(go),
  ...PLAYBACK.map(([name, key, act]): Command => ({
    name,
    keys: [key],
    group: 'Playback',
    when: isAsk,
    can: isRun,
    act,
  })),
  {
    name: 'Search the questions',
    keys: ['/'],
    group: 'View',
    when: isAsk,
    act: focusSearch,
  },
  {
    name: 'Show or hide the setup',
    keys: ['s'],
    group: 'View',
    when: isAsk,
    act: () => togglePanel('setupOpen'),
  },
  {
    name: 'Show or hide the details',
    keys: ['d'],
    group: 'View',
    when: isAsk,
    act: () => togglePanel('detailsOpen'),
  },
  { name: 'Theme: light or dark', keys: ['l'], group: 'View', act: toggleTheme },
  {
    name: 'All commands',
    keys: [COMMAND_KEY],
    group: 'View',
    act: () => toggleDialog('palette'),
  },
  { name: 'Guided tour', keys: [], group: 'View', act: openTour },
  { name: 'Keys and words', keys: ['?'], group: 'View', act: () => toggleDialog('keys') },
  ...RAIL.map((route) => ({
    name: route.name,
    keys: [`g ${route.letter}`],
    group: 'Go to' as const,
    act: () => go(route.path),
  })),
];

const KEY_NAMES: Record<string, string> = {
  ArrowRight: '→',
  ArrowLeft: '←',
  Escape: 'Esc',
  ' ': 'space',
};

/** A key as displayed. */
export const keyName = (key: string): string => KEY_NAMES[key] ?? key;

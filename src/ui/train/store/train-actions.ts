import type {
  DroppedKind,
  OlderRun,
  StartFrom,
  TrainApi,
  TrainMessage,
} from '../../../lab/contract/training.ts';
import type { RunRecord } from '../../../lab/contract/records/runs.ts';
import type { DeviceChoice } from '../../../lab/contract/settings.ts';
import type { Setup } from '../../../records/setup.ts';
import type { TrainSettings } from '../../../recipes/parts/training.ts';
import { createAttempt, problemOf } from '../../kit/attempt.ts';
import { createFrameQueue } from '../../kit/page/frame-queue.ts';
import { fileStem, saveFile } from '../../kit/page/save-file.ts';
import type { LabUser } from '../../lab/connection.ts';
import { keepStorage, storageChanged } from '../../lab/storage.ts';
import { useSetup } from '../../setup/setup-store.ts';
import {
  applyTrainMessages,
  mergeSteps,
  runById,
  setTrainApi,
  trainApi,
  useTrain,
  withRun,
} from './train-store.ts';

/** What the training and runs pages do; one function each. Nothing here rejects: see `problem`. */

const tell = (what: string, error: unknown): void =>
  useTrain.setState({ problem: problemOf(what, error) });
const attempt = createAttempt((problem) => useTrain.setState({ problem }));

/**
 * A hidden tab may be frozen or slowed by the browser. The page notices afterwards: nothing arrived
 * for long, while it was hidden and something was training.
 */

/** Messages come several times per second while rollouts run; an update is silent for some seconds. */
const SILENCE_MS = 20_000;

/** What is needed to tell a frozen tab from an idle lab. */
interface Silence {
  /** Time of the last message, of `Date.now()`. */
  heardAt: number;
  /** Whether the page was hidden at any time since then. */
  hidden: boolean;
}

/** Seconds of a silence that the browser is to blame for; null where there was none. */
export const frozenSeconds = (silence: Silence, now: number): number | null => {
  const gap = now - silence.heardAt;
  return silence.hidden && gap >= SILENCE_MS ? Math.round(gap / 1000) : null;
};

/** What the page says of such a silence, until it is put away. */
const frozenText = (seconds: number): string =>
  `Nothing arrived for ${seconds} s while this tab was in the background: the browser froze or slowed it. Training continues now; keep the tab in front, or in its own window, for full speed.`;

/** Of this page, whichever lab worker it listens to. */
const silence: Silence = { heardAt: Date.now(), hidden: false };

const watchSilence = (): void => {
  // Stores are tested without a page.
  if (typeof document === 'undefined') return;
  document.addEventListener('visibilitychange', () => {
    silence.hidden ||= document.visibilityState === 'hidden';
  });
};

/** Called for every arrival, before it is applied: only what trained before can have been frozen. */
const heard = (): void => {
  const now = Date.now();
  const seconds = useTrain.getState().here === null ? null : frozenSeconds(silence, now);
  if (seconds !== null) useTrain.setState({ frozen: frozenText(seconds) });
  silence.heardAt = now;
  silence.hidden = document.visibilityState === 'hidden';
};

/** What the lab tells is applied once a frame, however much of it comes in between. */
const receive = createFrameQueue<TrainMessage>((messages) => {
  useTrain.setState((state) => applyTrainMessages(state, messages));
  if (messages.some(({ type }) => type === 'storage')) storageChanged();
});

/** A worker that died is connected to again, the page is watched once. */
let watching = false;

const readRuns = async (api: TrainApi): Promise<void> => {
  const runs = await api.runs();
  useTrain.setState((state) => ({ status: 'ready', runs: runs.reduce(withRun, [...state.runs]) }));
};

/** After the lab worker was started again: steps may have been missed. */
const readOpenedAgain = async (api: TrainApi): Promise<void> => {
  for (const runId of Object.keys(useTrain.getState().steps)) {
    const read = await api.steps(runId);
    useTrain.setState(({ steps }) => ({ steps: { ...steps, [runId]: read } }));
  }
};

/**
 * Connects the pages to the training of the lab worker and reads the runs. `api.listen` has to take
 * a plain function: what crosses to a worker wraps it.
 */
const connectTraining = (api: TrainApi): void => {
  setTrainApi(api);
  if (!watching) watchSilence();
  watching = true;
  const listener = (messages: TrainMessage[]) => {
    heard();
    receive(messages);
  };
  void (async () => {
    try {
      await api.listen(listener);
      await readRuns(api);
      await readOpenedAgain(api);
    } catch (error) {
      useTrain.setState({ status: 'failed' });
      tell('The runs could not be read', error);
    }
  })();
};

/** The training pages follow the lab's training; see `connectTraining`. */
export const trainLabUser: LabUser = { connected: ({ train }) => connectTraining(train) };

/** Reads the runs again after they could not be read; `status` is `failed` again where they still cannot. */
export const reloadRuns = async (): Promise<void> => {
  const done = await attempt('The runs could not be read', async () => {
    await readRuns(trainApi());
    return true;
  });
  if (done === null) useTrain.setState({ status: 'failed' });
};

/** Runs of another version of Forage, which cannot be opened. */
export const readOlderRuns = async (): Promise<readonly OlderRun[]> =>
  (await attempt('Runs of another version could not be read', () => trainApi().olderRuns())) ?? [];

/** Deletes them for good. @returns those that are left */
export const removeOlderRuns = async (): Promise<readonly OlderRun[]> => {
  await attempt('Runs of another version were not deleted', () => trainApi().removeOlderRuns());
  return readOlderRuns();
};

/** Reads a run's steps, once; later ones arrive by themselves. */
export const openSteps = async (runId: string): Promise<void> => {
  if (useTrain.getState().steps[runId]) return;
  // There from now on, so that steps that arrive meanwhile are kept.
  useTrain.setState(({ steps, reading }) => ({
    steps: { ...steps, [runId]: [] },
    reading: [...reading, runId],
  }));
  const read = await attempt('The steps of the run could not be read', () =>
    trainApi().steps(runId),
  );
  useTrain.setState(({ steps, reading }) => {
    const { [runId]: arrived, ...others } = steps;
    return {
      steps: read ? { ...steps, [runId]: mergeSteps(read, arrived ?? []) } : others,
      reading: reading.filter((id) => id !== runId),
    };
  });
};

/** Measurements that were started. */
let measurements = 0;

/** Measures this device for a run; `measuring` says how far it is. */
export const measureDevice = async (
  settings: TrainSettings,
  device: DeviceChoice,
  setup: Setup,
  /** The run whose adapter it starts from. */
  startRun?: string,
): Promise<void> => {
  // A later measurement ends an earlier one, and takes its place on the page.
  const own = ++measurements;
  const show = (measuring: string | null): void => {
    if (own === measurements) useTrain.setState({ measuring });
  };
  show('starting');
  const outcome = await attempt('This device could not be measured', () =>
    trainApi().measure(
      settings,
      device,
      setup,
      show,
      startRun === undefined ? undefined : { run: startRun, step: null },
    ),
  );
  show(null);
  if (outcome?.status === 'measured')
    useTrain.setState(({ measured }) => ({ measured: measured + 1 }));
};

/** Ends a measurement; nothing of it is kept. */
export const cancelMeasure = (): Promise<void> => trainApi().cancelMeasure();

/** @returns the new run's id; null where it could not start, with the reason in `problem` */
export const startTraining = async (start: {
  settings: TrainSettings;
  name: string;
  device: DeviceChoice;
  /** Trajectories for `settings.warmUp`. */
  demonstrations: File | null;
  /** What it works with; what is chosen by default. */
  setup?: Setup;
  /** The adapter that it starts from; absent: a new one. */
  startFrom?: StartFrom | undefined;
}): Promise<string | null> => {
  useTrain.setState({ problem: null, frozen: null });
  const { settings, name, device, demonstrations, startFrom } = start;
  const { setup = useSetup.getState().setup } = start;
  void keepStorage();
  const run = await attempt('The run did not start', () =>
    trainApi().create(settings, name, device, setup, demonstrations ?? undefined, startFrom),
  );
  if (!run) return null;
  useTrain.setState((state) => ({
    // What arrived already is newer than what the call returned.
    runs: runById(state, run.id) ? state.runs : withRun(state.runs, run),
    steps: { ...state.steps, [run.id]: state.steps[run.id] ?? [] },
  }));
  return run.id;
};

/** @param device another one than the run had  @param steps of the whole run, for one that is over */
export const resumeRun = async (
  runId: string,
  device?: RunRecord['device'],
  steps?: number,
): Promise<void> => {
  useTrain.setState({ problem: null, frozen: null });
  void keepStorage();
  await attempt('The run could not go on', () => trainApi().resume(runId, device, steps));
};

/** Ends a run after the step under way, with a snapshot; wherever it trains. */
export const pauseRun = (runId: string): Promise<unknown> =>
  attempt('The run could not be paused', () => trainApi().pause(runId));

/**
 * Ends a run at once.
 * @param keep with the adapter as it is after the last whole step; else with the last snapshot’s
 */
export const stopRun = (runId: string, keep: boolean): Promise<unknown> =>
  attempt('The run could not be stopped', () => trainApi().stop(runId, keep));

/** From the next step on; schedule and warm-up no longer apply. */
export const setLearningRate = (runId: string, rate: number): Promise<unknown> =>
  attempt('The learning rate was not changed', () => trainApi().setLearningRate(runId, rate));

/** Changes what is written about a run, never what it is. */
export const editRun = (
  runId: string,
  change: Partial<Pick<RunRecord, 'name' | 'tags' | 'notes'>>,
): Promise<unknown> =>
  attempt('The change was not saved', async () => {
    await trainApi().edit(runId, change);
    useTrain.setState(({ runs }) => ({
      runs: runs.map((run) => (run.id === runId ? { ...run, ...change } : run)),
    }));
  });

const markDeleted = (runId: string, deletedAt: string | null): void =>
  useTrain.setState(({ runs }) => ({
    runs: runs.map((run) => (run.id === runId ? { ...run, deletedAt } : run)),
  }));

/** Deletes without asking; `restoreRun` undoes it. */
export const removeRun = async (runId: string): Promise<void> => {
  const name = runById(useTrain.getState(), runId)?.name ?? runId;
  await attempt(`“${name}” was not deleted`, async () => {
    await trainApi().remove(runId);
    markDeleted(runId, new Date().toISOString());
    useTrain.setState(({ removed }) => ({
      removed: [...removed, { id: runId, name, at: Date.now() }],
    }));
  });
};

const forgetRemoved = (runId: string): void =>
  useTrain.setState(({ removed }) => ({ removed: removed.filter(({ id }) => id !== runId) }));

/** Brings a deleted run back, for as long as `UNDO_MS`. */
export const restoreRun = async (runId: string): Promise<void> => {
  await attempt('The run could not be brought back', async () => {
    await trainApi().restore(runId);
    markDeleted(runId, null);
    forgetRemoved(runId);
  });
};

/** Takes the offer to restore deleted runs off the page; they stay deleted. */
export const dismissRemoved = (): void => useTrain.setState({ removed: [] });

/** Hands out one file with settings, steps and the last snapshot, which `importRuns` reads. */
export const exportRun = async (runId: string): Promise<void> => {
  const name = runById(useTrain.getState(), runId)?.name ?? runId;
  await attempt(`“${name}” could not be exported`, async () =>
    saveFile(`${fileStem(name)}.run.json`, await trainApi().exportRun(runId)),
  );
};

/** @returns ids of the runs that were imported */
export const importRuns = async (files: readonly File[]): Promise<string[]> => {
  const ids: string[] = [];
  for (const file of files) {
    const run = await attempt(`${file.name} could not be imported`, () =>
      trainApi().importRun(file),
    );
    if (!run) continue;
    useTrain.setState((state) => ({ runs: withRun(state.runs, run) }));
    ids.push(run.id);
  }
  return ids;
};

/** @returns bytes that were freed, or null */
export const dropOf = (runId: string, what: DroppedKind): Promise<number | null> =>
  attempt(`The ${what} were not deleted`, () => trainApi().drop(runId, what));

/** Takes the message of the last failure off the page. */
export const dismissProblem = (): void => useTrain.setState({ problem: null });
/** Takes the note that the browser slowed this tab off the page. */
export const dismissFrozen = (): void => useTrain.setState({ frozen: null });

import type { ActivityView } from '../../learn/run/activity.ts';
import type { TrainingMemory } from '../../learn/replicas/training-memory.ts';
import type { AdoptFile } from '../../handover/adopt/folder.ts';
import type { SweepAxis } from '../../evaluate/sweep/axes.ts';
import type { RunRecord, RunStatus } from './records/runs.ts';
import type { TrainStep } from '../../records/training.ts';
import type { Setup } from '../../records/setup.ts';
import type { TrainSettings } from '../../recipes/parts/training.ts';
import type { Rollout } from '../../records/rollout.ts';

/** Training in the lab worker: calls and messages. */

export type TrainPhase =
  | 'starting'
  | 'measuring'
  | 'demonstrations'
  | 'warm-up'
  | 'scoring-questions'
  | 'make-start'
  | 'held-out'
  | 'rollouts'
  | 'update'
  | 'snapshot';

export interface TrainProgress {
  runId: string;
  status: RunStatus;
  phase: TrainPhase;
  step: number;
  steps: number;
  /** Rollouts (or questions) done and wanted in this phase. */
  done: number;
  total: number;
  /**
   * How much of the step under way is done, between 0 and 1; it never falls within a step. Before the first
   * step: of the phase.
   */
  share: number;
  /** Seconds to the end of the run, by what was measured on this device; null before anything was. */
  etaSeconds: number | null;
  /** Since the phase began. */
  phaseSeconds: number;
  /** What the engines do right now, token by token. */
  activity: ActivityView;
  /** It was asked to end after the step under way. */
  pausing: boolean;
  /** A line for the user: a resumed snapshot, a skipped corrupt one, a frozen tab. */
  notice: string | null;
}

/** A rollout of the step under way, when it ended; its record follows with the step, or is not kept. */
export interface LiveRollout {
  id: string;
  runId: string;
  step: number;
  /** `before`: made before the first step, to learn from or to tell how hard questions are. */
  of: RolloutsOf | 'before';
  groupId: string;
  question: string;
  gold: string;
  answer: string | null;
  /** Prose outside the tags in place of an answer. */
  outside?: string;
  /** What it earned by itself; null of a held-out question, which earns nothing. */
  reward: number | null;
  em: number | null;
  searches: number | null;
  tokens: number | null;
}

/** Which rollouts of a step: those that it trains on, or its held-out questions. */
export type RolloutsOf = 'step' | 'held-out';

export type TrainMessage =
  | { type: 'progress'; progress: TrainProgress }
  | { type: 'rollout'; rollout: LiveRollout }
  | { type: 'step'; step: TrainStep }
  /** The record changed (status, name, snapshot …) or appeared. */
  | { type: 'run'; run: RunRecord }
  /** Which run this very tab trains; sent to this tab alone. */
  | { type: 'here'; runId: string | null }
  /** Which sweep this very tab works through, run by run; sent to this tab alone. */
  | { type: 'sweep'; sweepId: string | null }
  | { type: 'storage'; usedBytes: number; quotaBytes: number; persisted: boolean };

/** Demonstrations that a cold start is given. */
export interface GivenDemonstrations {
  count: number;
  /** Mean tokens of their contexts, and those of them that the model writes. */
  tokens: number;
  written: number;
}

/** The adapter that a new run starts from: that of another run. */
export interface StartFrom {
  run: string;
  /** Null: its last. */
  step: number | null;
}

/** What a run takes, by what this device measured. */
export interface TrainTime {
  secondsPerStep: number;
  /** Where it is wide: seconds if as few, or as many, steps make an update as the measured rewards leave open. */
  range?: readonly [low: number, high: number];
  /** Before step 1: own trajectories, warm-up, handicapped start, rating of questions, baseline. */
  secondsBefore: number;
  /** Part of `secondsBefore` that no count of the settings changes: a handicapped start. */
  secondsOfStart: number;
  /** What it was derived from, as text. */
  basis: string;
}

export interface TrainEstimate {
  /** What a measurement depends on: settings with the same key share one. */
  key: string;
  memory: TrainingMemory;
  /** Why it cannot be trained here, and what would fit; null where it fits. */
  refusal: string | null;
  /** Null as long as this device has measured nothing like it. */
  time: TrainTime | null;
  /** Null without a probe. */
  probed: Probed | null;
}

export type MeasureOutcome =
  | { status: 'measured'; estimate: TrainEstimate }
  | { status: 'cancelled' };

/** What the probe of a recipe showed. */
export interface Probed {
  rollouts: number;
  right: number;
  formatValid: number;
  searches: number;
  /** Policy tokens per rollout, and tokens of its whole context. */
  decoded: number;
  context: number;
  tokensPerSecond: number;
  /** Context tokens per second of an update; null where there was nothing to train. */
  trainedPerSecond: number | null;
  /** That all engines held afterwards. */
  bytes: number;
  /** Whether no two rewards differed, so that such rollouts teach nothing. */
  allEqual: boolean;
}

/**
 * `peft`: the adapter for Python PEFT; `merged`: a folder for transformers, as tar; `gguf-…`: one file for llama.cpp, of
 * the merged model or of the adapter; `metrics`: a CSV of the steps.
 */
export type DownloadKind =
  | 'peft'
  | 'merged'
  | 'gguf-f16'
  | 'gguf-q8_0'
  | 'gguf-adapter'
  | 'metrics';

/** What of past steps may be deleted to free storage. */
export type DroppedKind = 'rollouts' | 'adapters';

export interface Download {
  name: string;
  blob: Blob;
}

/** What came of a folder from a cluster; nothing is kept of one that was cancelled. */
export type AdoptOutcome = { status: 'ready'; run: RunRecord } | { status: 'cancelled' };

/** A run that another version of Forage stored here; it cannot be opened. */
export interface OlderRun {
  id: string;
  name: string;
}

/** Calls that the page makes. All reject with an Error whose message can be shown. */
export interface TrainApi {
  listen(listener: (messages: TrainMessage[]) => void): Promise<void>;
  runs(): Promise<RunRecord[]>;
  /** Runs of other versions of Forage, newest first; `runs` leaves them out. */
  olderRuns(): Promise<OlderRun[]>;
  /** Deletes these with all that belongs to them; it cannot be undone. */
  removeOlderRuns(): Promise<void>;
  steps(runId: string): Promise<TrainStep[]>;
  /**
   * The rollouts of a step with rewards and advantages, or those of its held-out questions (of step 0:
   * before the first); empty where they were not kept.
   */
  rollouts(runId: string, step: number, of?: RolloutsOf): Promise<Rollout[]>;
  estimate(
    settings: TrainSettings,
    device: 'wasm' | 'webgpu' | 'auto',
    setup: Setup,
    given?: GivenDemonstrations,
    start?: StartFrom,
  ): Promise<TrainEstimate>;
  /**
   * Measures this device with a few rollouts of these settings and one small update, and keeps what it measured.
   * @param onProgress what is being measured, as text
   * @throws Error as text, where training does not fit, fails, or a run trains here
   */
  measure(
    settings: TrainSettings,
    device: 'wasm' | 'webgpu' | 'auto',
    setup: Setup,
    onProgress: (doing: string) => void,
    start?: StartFrom,
  ): Promise<MeasureOutcome>;
  /** Ends a measurement under way. */
  cancelMeasure(): Promise<void>;
  /** @param demonstrations JSON lines of rollouts, where `settings.warmUp` wants some */
  create(
    settings: TrainSettings,
    name: string,
    device: 'wasm' | 'webgpu' | 'auto',
    setup: Setup,
    demonstrations?: Blob,
    start?: StartFrom,
  ): Promise<RunRecord>;
  /**
   * Stores a run for each cell and begins with the first; the others follow one after another.
   * @returns the sweep's id
   */
  createSweep(
    sweep: { name: string; axes: readonly SweepAxis[] },
    settings: TrainSettings,
    device: 'wasm' | 'webgpu' | 'auto',
    setup: Setup,
    demonstrations?: Blob,
    start?: StartFrom,
  ): Promise<string>;
  /** Continues with the waiting runs of a sweep. */
  goOnWithSweep(sweepId: string): Promise<void>;
  /**
   * Marks the runs that wait as deleted; `restore` undoes it. The one that trains continues to its end.
   * @returns their ids
   */
  dropRest(sweepId: string): Promise<string[]>;
  /**
   * Continues from the last good snapshot, on another device where one is given.
   * @param steps of the whole run from now on, for one that reached its last step
   */
  resume(runId: string, device?: RunRecord['device'], steps?: number): Promise<void>;
  /** Ends after the step under way, with a snapshot. A run that another tab trains ends there. */
  pause(runId: string): Promise<void>;
  /** Ends at once, wherever it trains; `keep`: with the adapter as it is now, else the last snapshot's. */
  stop(runId: string, keep: boolean): Promise<void>;
  setLearningRate(runId: string, learningRate: number): Promise<void>;
  edit(runId: string, change: Partial<Pick<RunRecord, 'name' | 'tags' | 'notes'>>): Promise<void>;
  /** Marks as deleted; `restore` undoes it until the next start of the page. */
  remove(runId: string): Promise<void>;
  restore(runId: string): Promise<void>;
  /** One file: settings, steps, and the last snapshot. */
  exportRun(runId: string): Promise<Blob>;
  importRun(file: Blob): Promise<RunRecord>;
  /**
   * Takes in the result from a cluster: the files of a folder, or one archive of it.
   * @param job a name for `cancelAdopt`
   * @param onProgress steps stored, of how many
   * @param setup names the model that the adapter is for; absent: the one with the weights that were trained
   */
  adopt(
    job: string,
    files: readonly AdoptFile[],
    onProgress: (done: number, total: number) => void,
    setup?: Setup,
  ): Promise<AdoptOutcome>;
  /** Stops a job of `adopt`, which answers once nothing of it is left. */
  cancelAdopt(job: string): Promise<void>;
  /**
   * @param onProgress bytes made, of how many
   * @returns the files; none where it was cancelled
   */
  download(
    runId: string,
    what: DownloadKind,
    onProgress: (done: number, total: number) => void,
  ): Promise<{ name: string; blob: Blob }[]>;
  /** Stops the download that is being made. */
  cancelDownload(): Promise<void>;
  /** Deletes the rollouts of a run's past steps, or their adapters; steps and snapshots stay. @returns bytes freed */
  drop(runId: string, what: DroppedKind): Promise<number>;
}

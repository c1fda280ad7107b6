import type { TrainSettings } from '../../recipes/parts/training.ts';
import type { Question } from '../../records/records.ts';
import type { Rollout } from '../../records/rollout.ts';
import type { ColdStartPoint, JudgedScore, RouterStep, MadeStep } from '../../records/training.ts';
import type { AgentDeps } from '../../agent/request.ts';
import type { Router } from '../../agent/router/router.ts';
import type { RunningMean } from '../../agent/router/reward.ts';
import type { PolicyConfig } from '../../policy/checkpoint/config.ts';
import type { SettingsOverride } from '../../recipes/parts/settings.ts';
import type { PolicyLearner } from '../replicas/learner.ts';
import type { StoredItems } from '../supervised/resolve.ts';
import type { TrainState } from './state.ts';

/** What a training run is given and whom it tells. */

/** What survives in a snapshot must be plain JSON. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** One question of a step. */
export interface DrawnQuestion {
  question: Question;
  /** What it counts as in the step's `drawn`: `hard`, `gold`, `noisy`, `uniform` … */
  label: string;
  /** Changes of the recipe's settings for this question only (task mixing, say). */
  overrides?: SettingsOverride;
  /** What its group's rollouts work with in place of the run's own parts (a noisy retriever, say). */
  agent?: Partial<AgentDeps>;
}

/** What a curriculum works with while it gets ready. */
export interface CurriculumContext {
  /** The policy has the run's adapter as it stands. */
  agent: AgentDeps;
  runId: string;
  signal?: AbortSignal;
  /** Asked now and then; true: save and end early. */
  shouldStop(): boolean;
  /** Questions ready, and how many are to be. */
  onProgress(done: number, total: number): void;
  /** Told of each rollout when it ends. */
  onEnded?(rollout: Rollout): void;
  /** Stores a snapshot with the curriculum's state, so that what is done need not be done again. */
  save(): Promise<void>;
}

/** What is asked of a curriculum for a step. */
export interface DrawRequest {
  step: number;
  /** From 0: which generation batch of the step; later ones are dynamic sampling's. */
  batch: number;
  count: number;
  /** With what a curriculum samples from the policy, which has the step's adapter; absent where draws are only listed. */
  sampling?: { agent: AgentDeps; runId: string; signal?: AbortSignal | undefined };
}

/** Chooses the questions. All that a later draw depends on is in `state()`. */
export interface Curriculum {
  /**
   * Called once before the first draw of a run or of what a resumed run has left; returns at once
   * where a restored state has all that is needed.
   * @returns false where `shouldStop` ended it before it was ready
   */
  prepare?(context: CurriculumContext): Promise<boolean>;
  draw(request: DrawRequest): Promise<DrawnQuestion[]>;
  /** Told of the rollouts of every drawn group, in the order of the draw. */
  observe?(groups: readonly (readonly Rollout[])[]): void;
  /** Changes of the loop's settings for held-out questions, as what was learned so far has them. */
  heldOut?(): SettingsOverride;
  state(): Json;
  /** @throws Error where the value is not a state of this curriculum */
  restore(state: Json): void;
}

/** Trains the search router beside the policy, or alone. */
export interface RouterLearner {
  /** The router as it is now. */
  readonly router: Router;
  /** Web latencies of the whole run, which the measured reward compares each call with. */
  readonly webLatency?: RunningMean;
  /** One update from the routed calls of a step; null where there were none. */
  learn(rollouts: readonly Rollout[], step: number): RouterStep | null;
  state(): Json;
  restore(state: Json): void;
}

/** Judges held-out answers beside EM. @throws the signal's reason; a judge that fails is in the score */
export type HeldOutJudge = (
  rollouts: readonly Rollout[],
  at: { step: number; signal?: AbortSignal | undefined },
) => Promise<JudgedScore>;
/** What a run's own trajectories are sampled with. */
export interface DemonstrationContext {
  /** The policy has the adapter that the run began with. */
  agent: AgentDeps;
  runId: string;
  signal?: AbortSignal;
  onRollout: (done: number, total: number) => void;
  /** Told of each rollout when it ends. */
  onEnded?: (rollout: Rollout) => void;
}

/** Trajectories of a warm-up by class; an update takes as many of each, as far as there are some. */
export interface Demonstrations extends Record<'gold' | 'noisy', readonly Rollout[]> {
  /** Rollouts that they were kept of. */
  tried: number;
}

export interface TrainDeps {
  /** Policy (pool), retriever, router and clock. The policy must have `setAdapter`. */
  agent: AgentDeps;
  /** Shape of the policy, whose weights are frozen under the adapter. */
  config: PolicyConfig;
  learner: PolicyLearner;
  /** The model that the KL pulls towards; absent: the policy without its adapter. */
  teacher?: Pick<PolicyLearner, 'score'> | undefined;
  curriculum: Curriculum;
  /** The fixed sample that is scored as the run goes; see `heldOutSample`. */
  heldOut: readonly Question[];
  judge?: HeldOutJudge;
  /** Held-out questions that are answered in the evaluations of a cold start. */
  coldStartQuestions?: readonly Question[];
  /** Demonstrations for `settings.warmUp`, where they are given. */
  demonstrations?: readonly Rollout[];
  /** What stages that learn from stored trajectories take; absent where none does. */
  stored?: StoredItems;
  /** Makes them of the policy's own rollouts, where none are given, and keeps them for when the run continues. */
  makeStored?: (context: DemonstrationContext) => Promise<StoredItems>;
  /** Samples them, where they are the run's own. */
  demonstrate?: (context: DemonstrationContext) => Promise<Demonstrations>;
  /** Of those that may be trained on, for a start that is made (`settings.start`). */
  startQuestions?: readonly Question[];
  /** Adapter that the run starts from; absent: one that changes nothing yet. */
  startAdapter?: Float32Array;
  /** Required where `settings.router.train` is not `off`. */
  router?: RouterLearner;
  runId: string;
  /** Unix time in milliseconds. */
  now(): number;
}

export type TrainLoopPhase =
  | 'starting'
  | 'demonstrations'
  | 'warm-up'
  | 'scoring-questions'
  | 'make-start'
  | 'rollouts'
  | 'update'
  | 'held-out'
  | 'snapshot';

export interface TrainLoopProgress {
  phase: TrainLoopPhase;
  /** The step under way, from 1, and how many the run has. */
  step: number;
  steps: number;
  /** Rollouts (or questions, or micro-batches) done and wanted in this phase. */
  done: number;
  total: number;
}

export interface TrainHooks {
  /** Called with each evaluation of a cold start, after its snapshot. */
  onColdStart?(point: ColdStartPoint): void;
  /**
   * Told of each step before its snapshot: after a crash in between, records of steps later than
   * the snapshot's are to be dropped, the resumed run makes them again.
   */
  onStep?(step: MadeStep, rollouts: readonly Rollout[]): void | Promise<void>;
  onProgress?(progress: TrainLoopProgress): void;
  /**
   * Told of each rollout when it ends: one of a step, with what it earned by itself, a held-out one, or one that is
   * made before the first step and belongs to none.
   */
  onRollout?(rollout: Rollout, of: 'step' | 'held-out' | 'before'): void;
  /**
   * A line for the user.
   * @param of `before`: of what was made before the first step (a warm-up, a start), which stays true of the
   * run; it is reported before the snapshot that contains its subject. Absent: of this session.
   */
  onNotice?(line: string, of?: 'before'): void;
  /** Stores the state. It is not changed afterwards. */
  snapshot?(state: TrainState): void | Promise<void>;
  /** Asked between steps; true ends the run with a snapshot. */
  shouldStop?(): boolean;
  /** A learning rate in place of the settings' (the schedule stays); null or undefined: no change. */
  learningRate?(): number | null | undefined;
  /** Ends the run at once; the state stays that of the last whole step. */
  signal?: AbortSignal;
}

export interface TrainRun {
  settings: TrainSettings;
  deps: TrainDeps;
  /** Where to continue; absent: from the start. */
  state?: TrainState;
  hooks?: TrainHooks;
}

export interface TrainResult {
  state: TrainState;
  /** `stopped`: between steps, as `shouldStop` asked; `aborted`: by the signal, within a step. */
  end: 'finished' | 'stopped' | 'aborted';
}

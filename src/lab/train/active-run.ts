import { outsideOf } from '../../records/outside-answer.ts';
import type { Rollout } from '../../records/rollout.ts';
import type { MadeStep } from '../../records/training.ts';
import { Activity } from '../../learn/run/activity.ts';
import type { PendingStep } from '../storage/run-store.ts';
import type { RunRecord, RunStatus } from '../contract/records/runs.ts';
import type { LiveRollout, RolloutsOf, TrainProgress } from '../contract/training.ts';
import type { ExpectedPace } from './pace/estimate.ts';
import { searchesToCome } from './pace/learning-to-search.ts';
import { ColdStartPace } from './pace/cold-start-pace.ts';
import {
  paceOf,
  secondsLeft,
  secondsOfStep,
  shareOfStep,
  type StepPace,
} from './pace/step-pace.ts';

type Position = Pick<TrainProgress, 'phase' | 'step' | 'steps' | 'done' | 'total'>;

/** What the page shows of a rollout before its step is whole. */
export const liveRollout = (rollout: Rollout, of: LiveRollout['of']): LiveRollout => ({
  id: rollout.id,
  runId: rollout.runId,
  step: rollout.step,
  of,
  groupId: rollout.groupId,
  question: rollout.question.text,
  gold: rollout.question.answers[0] ?? '',
  answer: rollout.answer,
  ...outsideOf(rollout),
  reward: of === 'step' ? rollout.reward : null,
  em: rollout.metrics?.em ?? null,
  searches: rollout.metrics?.searches ?? null,
  tokens: rollout.metrics?.tokens ?? null,
});

/** A run while it trains: what the user asked of it, how far it is, and what is not yet stored. */
export class ActiveRun {
  readonly id: string;
  readonly abort = new AbortController();
  readonly activity = new Activity();
  readonly #coldStart = new ColdStartPace();
  #phaseAt = performance.now();
  /** When training began, after what was measured for it. */
  #startedAt = performance.now();
  /** Lets go of the run's lock. */
  readonly release: () => void;
  /** Resolves when it has ended, however it ended. */
  ended: Promise<void> = Promise.resolve();
  /** Asked to end after the step under way. */
  pausing = false;
  /** Asked to end without storing what is not yet part of a snapshot. */
  discarding = false;
  /** Set by hand for the steps to come; null: the run's value. */
  learningRate: number | null = null;
  pending: PendingStep[] = [];
  notice: string | null = null;
  /** Lines of what was made before the first step; those of a snapshot are in the run's record. */
  #before: readonly string[];
  #storedBefore: readonly string[];
  readonly #settings: RunRecord['settings'];
  /** Of this session and of those before it, as far as they were on this device. */
  readonly #measured: MadeStep[];
  #expected: ExpectedPace | null;
  #at: Position;
  /** Of the step, or the phase before the first one; what it was never falls. */
  #share = 0;
  /** The step whose rollouts have begun. */
  #begun = 0;
  /** Of the step under way. */
  #heldOut: Rollout[] = [];

  /** @param measured steps of the run that were made on the device that it trains on now */
  constructor(
    { id, settings, step, before = [] }: Pick<RunRecord, 'id' | 'settings' | 'step' | 'before'>,
    measured: readonly MadeStep[],
    release: () => void,
    /** What steps are expected to take, before one is measured. */
    expected: ExpectedPace | null = null,
  ) {
    this.#expected = expected;
    this.id = id;
    this.release = release;
    this.#settings = settings;
    this.#before = before;
    this.#storedBefore = before;
    this.#measured = [...measured];
    const { steps } = settings;
    this.#at = { phase: 'starting', step: Math.min(step + 1, steps), steps, done: 0, total: 1 };
  }

  /**
   * Adds a line to the notice, once: what a damaged snapshot led to is not displaced by what follows.
   * @param before an earlier line that it is in place of
   */
  note(line: string, before?: string): void {
    if (this.notice?.includes(line)) return;
    const known = this.notice ?? '';
    const kept = before === undefined ? [known] : known.split(before).map((part) => part.trim());
    this.notice = [...kept, line].filter((part) => part !== '').join(' ');
  }

  /** Adds a line on what was made before the first step, once. */
  noteBefore(line: string): void {
    if (!this.#before.includes(line)) this.#before = [...this.#before, line];
  }

  /** What a snapshot of now adds to the run's record. */
  get record(): Pick<RunRecord, 'before'> {
    return this.#before.length > 0 ? { before: this.#before } : {};
  }

  /** After a snapshot: the lines of `record` are stored. */
  recorded(): void {
    this.#storedBefore = this.#before;
  }

  /** Whether the time to go is known before a step is made. */
  get isTimed(): boolean {
    return this.#pace() !== null;
  }

  /** The device is being measured for this run. */
  measuring(): void {
    this.moved({ ...this.#at, phase: 'measuring', done: 0, total: 1 });
  }

  /** What the steps are expected to take, by a measurement that has just ended. */
  expect(expected: ExpectedPace): void {
    this.#expected = expected;
    this.#startedAt = performance.now();
  }

  moved(progress: Position): void {
    const { phase, step } = progress;
    this.#coldStart.moved(progress);
    const before = this.#at;
    if (phase === 'rollouts' && this.#begun !== step) {
      this.#begun = step;
      this.#share = 0;
    }
    if (before.phase !== phase || before.step !== step) {
      this.#phaseAt = performance.now();
      this.activity.begin();
    }
    const begun = this.#begun === step;
    if (!begun && (before.phase !== phase || before.step !== step)) this.#share = 0;
    this.#at = progress;
    const share = begun
      ? shareOfStep(progress, this.#settings, this.#pace())
      : progress.done / Math.max(1, progress.total);
    this.#share = Math.min(1, Math.max(this.#share, share));
  }

  /** A rollout ended; those of held-out questions are kept with their step. */
  ran(rollout: Rollout, of: LiveRollout['of']): void {
    if (of === 'held-out') this.#heldOut.push(rollout);
  }

  stepped(record: MadeStep, rollouts: readonly Rollout[]): void {
    this.pending.push({ record, rollouts, heldOut: this.#heldOut });
    this.#heldOut = [];
    this.#measured.push(record);
  }

  /** Pending steps of an attempt that was lost will be made again. */
  restarted(): void {
    this.pending = [];
    this.#heldOut = [];
    this.#begun = 0;
    this.#before = this.#storedBefore;
  }

  /** Rollouts of a step that is not stored yet; null where the step is not one of these. */
  fresh(step: number, of: RolloutsOf): readonly Rollout[] | null {
    const at = of === 'held-out' ? Math.max(1, step) : step;
    const found = this.pending.find(({ record }) => record.step === at);
    if (!found) return null;
    return of === 'step'
      ? found.rollouts
      : (found.heldOut ?? []).filter((rollout) => rollout.step === step);
  }

  #pace(): StepPace | null {
    return paceOf(this.#measured, searchesToCome(this.#settings)) ?? this.#expected?.pace ?? null;
  }

  /** Seconds that are still expected before the first step. */
  #beforeFirst(): number {
    if (!this.#expected || this.#measured.length > 0 || this.#begun > 0 || this.#at.step > 1)
      return 0;
    return Math.max(0, this.#expected.before - (performance.now() - this.#startedAt) / 1000);
  }

  /** Seconds to the end while a cold start is under way: of it alone where no step was measured; null otherwise. */
  #coldStartLeft(pace: StepPace | null): number | null {
    const left = this.#coldStart.isUnderWay ? this.#coldStart.secondsLeft() : null;
    if (left === null) return null;
    return left + (pace ? secondsLeft(pace, this.#settings, 0) : 0);
  }

  progress(status: RunStatus): TrainProgress {
    const { step, steps, done, total, phase } = this.#at;
    const pace = this.#pace();
    const whole = phase === 'snapshot' ? step : step - 1;
    const under = this.#begun === step && whole < step && pace;
    const made = under ? this.#share * secondsOfStep(pace, this.#settings, step) : 0;
    return {
      runId: this.id,
      status,
      phase,
      step,
      steps,
      done,
      total,
      share: this.#share,
      etaSeconds:
        this.#coldStartLeft(pace) ??
        (pace && this.#beforeFirst() + secondsLeft(pace, this.#settings, whole) - made),
      phaseSeconds: (performance.now() - this.#phaseAt) / 1000,
      activity: this.activity.view(),
      pausing: this.pausing && status === 'running',
      notice: this.pausing && status === 'running' ? 'Pausing after this step.' : this.#toTell(),
    };
  }

  /** The notice, with what the record does not tell yet. */
  #toTell(): string | null {
    const unstored = this.#before.slice(this.#storedBefore.length);
    return [...unstored, ...(this.notice === null ? [] : [this.notice])].join(' ') || null;
  }
}

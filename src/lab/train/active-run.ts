import type { Rollout } from '../../records/rollout.ts';
import type { MadeStep } from '../../records/training.ts';
import type { TrainLoopProgress } from '../../learn/rl/contracts.ts';
import type { PendingStep } from '../storage/run-store.ts';
import type { RunRecord, RunStatus } from '../contract/records/runs.ts';
import type { TrainProgress } from '../contract/training.ts';
import { paceOf, secondsLeft } from './step-pace.ts';

/** A run while it trains: what the user asked of it, how far it is, and what is not yet stored. */
export class ActiveRun {
  readonly id: string;
  readonly abort = new AbortController();
  /** Lets go of the run's lock. */
  readonly release: () => void;
  /** Resolves when it has ended, however it ended. */
  ended: Promise<void> = Promise.resolve();
  /** Asked to end after the step under way. */
  pausing = false;
  /** Asked to end without storing what is not yet part of a snapshot. */
  discarding = false;
  /** Set by hand for the steps to come; null: as the run has it. */
  learningRate: number | null = null;
  pending: PendingStep[] = [];
  notice: string | null = null;
  readonly #settings: RunRecord['settings'];
  /** Of this session and of those before it, as far as they were on this device. */
  readonly #measured: MadeStep[];
  #at: TrainLoopProgress;

  /** @param measured steps of the run that were made on the device that it trains on now */
  constructor(
    { id, settings, step }: Pick<RunRecord, 'id' | 'settings' | 'step'>,
    measured: readonly MadeStep[],
    release: () => void,
  ) {
    this.id = id;
    this.release = release;
    this.#settings = settings;
    this.#measured = [...measured];
    const { steps } = settings;
    this.#at = { phase: 'starting', step: Math.min(step + 1, steps), steps, done: 0, total: 1 };
  }

  /** Adds a line to the notice, once: what a damaged snapshot led to is not displaced by what follows. */
  note(line: string): void {
    if (this.notice?.includes(line)) return;
    this.notice = this.notice === null ? line : `${this.notice} ${line}`;
  }

  moved(progress: TrainLoopProgress): void {
    this.#at = progress;
  }

  stepped(record: MadeStep, rollouts: readonly Rollout[]): void {
    this.pending.push({ record, rollouts });
    this.#measured.push(record);
  }

  /** Pending steps of an attempt that was lost will be made again. */
  restarted(): void {
    this.pending = [];
  }

  progress(status: RunStatus): TrainProgress {
    const { step, steps, done, total, phase } = this.#at;
    const pace = paceOf(this.#measured);
    const whole = phase === 'snapshot' ? step : step - 1;
    return {
      runId: this.id,
      status,
      phase,
      step,
      steps,
      done,
      total,
      etaSeconds: pace && secondsLeft(pace, this.#settings, whole),
      pausing: this.pausing && status === 'running',
      notice: this.pausing && status === 'running' ? 'Pausing after this step.' : this.notice,
    };
  }
}

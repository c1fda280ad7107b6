import type { Rollout } from '../../data/rollout.ts';
import type { TrainStep } from '../../data/training.ts';
import type { TrainLoopProgress } from '../../learn/rl/contracts.ts';
import type { PendingStep } from '../storage/run-store.ts';
import type { RunStatus, TrainProgress } from './messages.ts';

/** Steps whose mean time the rest is reckoned by. */
const RECENT = 10;

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
  /** Asked to end without storing what is not yet part of a checkpoint. */
  discarding = false;
  /** Set by hand for the steps to come; null: as the run has it. */
  learningRate: number | null = null;
  pending: PendingStep[] = [];
  notice: string | null = null;
  readonly #seconds: number[] = [];
  #at: TrainLoopProgress;

  constructor(id: string, steps: number, step: number, release: () => void) {
    this.id = id;
    this.release = release;
    this.#at = { phase: 'starting', step: Math.min(step + 1, steps), steps, done: 0, total: 1 };
  }

  moved(progress: TrainLoopProgress): void {
    this.#at = progress;
  }

  stepped(record: TrainStep, rollouts: readonly Rollout[]): void {
    this.pending.push({ record, rollouts });
    this.#seconds.push(record.seconds.total);
    if (this.#seconds.length > RECENT) this.#seconds.shift();
  }

  /** Pending steps of an attempt that was lost will be made again. */
  restarted(): void {
    this.pending = [];
  }

  progress(status: RunStatus): TrainProgress {
    const { step, steps, done, total, phase } = this.#at;
    const mean = this.#seconds.reduce((a, b) => a + b, 0) / this.#seconds.length;
    const share = phase === 'starting' || phase === 'checkpoint' ? 0 : 1;
    const left = steps - step + share;
    return {
      runId: this.id,
      status,
      phase,
      step,
      steps,
      done,
      total,
      etaSeconds: this.#seconds.length === 0 ? null : mean * left,
      pausing: this.pausing && status === 'running',
      notice: this.pausing && status === 'running' ? 'Pausing after this step.' : this.notice,
    };
  }
}

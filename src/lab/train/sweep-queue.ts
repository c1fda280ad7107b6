import { messageOf } from '../../base/errors.ts';
import type { RunRecord, RunStatus } from '../contract/records/runs.ts';

/**
 * The runs of a sweep, one after another. What is left of it is what the store says: runs that wait are
 * stored like any other, so that a sweep continues after its tab was closed, and runs that are deleted,
 * by whichever tab, are no longer begun.
 */

interface SweepParts {
  runs(): Promise<RunRecord[]>;
  /** Begins a run, or continues with it; resolves when it trains. */
  resume(runId: string): Promise<void>;
  /** Told which sweep is under way. */
  moved(sweepId: string | null): void;
  /** Told why a run could not begin. */
  failed(runId: string, message: string): Promise<void>;
}

const before = (a: RunRecord, b: RunRecord): number => {
  const [[rowA, columnA], [rowB, columnB]] = [a.sweep?.place ?? [0, 0], b.sweep?.place ?? [0, 0]];
  return rowA - rowB || columnA - columnB;
};

/** Runs of a sweep that are still to be made, those that were begun first. */
export const waitingOf = (runs: readonly RunRecord[], sweepId: string): RunRecord[] =>
  runs
    .filter(
      ({ sweep, status, deletedAt, step, settings }) =>
        sweep?.id === sweepId && status === 'paused' && deletedAt === null && step < settings.steps,
    )
    .toSorted((a, b) => Number(b.step > 0) - Number(a.step > 0) || before(a, b));

export class SweepQueue {
  readonly #parts: SweepParts;
  #current: string | null = null;

  constructor(parts: SweepParts) {
    this.#parts = parts;
  }

  get current(): string | null {
    return this.#current;
  }

  /** @throws Error where nothing of it waits, or its next run cannot begin */
  async start(sweepId: string): Promise<void> {
    const [next] = waitingOf(await this.#parts.runs(), sweepId);
    if (!next) throw new Error('No run of this sweep waits.');
    await this.#parts.resume(next.id);
    this.#set(sweepId);
  }

  /** After a run ended: its end, or its failure, lets the next one begin; a user who paused or stopped it meant to stop. */
  async ended({ sweep }: Pick<RunRecord, 'sweep'>, status: RunStatus): Promise<void> {
    if (this.#current === null || sweep?.id !== this.#current) return;
    const [next] = ['finished', 'failed'].includes(status)
      ? waitingOf(await this.#parts.runs(), this.#current)
      : [];
    if (!next) return this.#set(null);
    try {
      await this.#parts.resume(next.id);
    } catch (error) {
      this.#set(null);
      await this.#parts.failed(next.id, `The sweep could not start it: ${messageOf(error)}`);
    }
  }

  #set(sweepId: string | null): void {
    this.#current = sweepId;
    this.#parts.moved(sweepId);
  }
}

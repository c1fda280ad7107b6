import type { TrainLoopProgress } from '../../../learn/rl/contracts.ts';

/** How long a cold start still takes, by the updates and evaluations of this session. */
export class ColdStartPace {
  /** Where the measurement begins: the updates then made, and the time, ms. */
  #from: { done: number; at: number } | null = null;
  #last: { done: number; total: number; at: number } | null = null;
  readonly #now: () => number;

  /** @param now ms */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Takes every progress of a run; another phase than the cold start's changes nothing. */
  moved({
    phase,
    done,
    total,
  }: Pick<TrainLoopProgress, 'done' | 'total'> & { phase: string }): void {
    if (phase !== 'warm-up') return;
    const at = this.#now();
    // The evaluation before the first update is not part of what updates take.
    if (!this.#from || done <= this.#from.done) this.#from = { done, at };
    this.#last = { done, total, at };
  }

  /** Seconds to its end, at most: it may end earlier by its format rate. Null before the first update. */
  secondsLeft(): number | null {
    const [from, last] = [this.#from, this.#last];
    if (!from || !last || last.done === from.done) return null;
    const each = (last.at - from.at) / (last.done - from.done);
    const since = this.#now() - last.at;
    return Math.max(0, (last.total - last.done) * each - since) / 1000;
  }

  /** Whether updates were made and some are left. */
  get isUnderWay(): boolean {
    return this.#last !== null && this.#last.done < this.#last.total;
  }
}

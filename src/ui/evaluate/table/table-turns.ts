/**
 * Tables of running evaluations get at most this share of the worker's time: it also requests their
 * rollouts, and intervals and tests of sixty systems take it many seconds.
 */
const SHARE = 10;

interface Waiting {
  ask: () => Promise<void>;
  /** Earliest time, ms since 1970; null: as soon as the current request is answered. */
  at: number | null;
}

/** Sends table requests to the worker one at a time. */
export class TableTurns {
  #waiting: Waiting[] = [];
  #busy = false;
  /** Earliest time for deferrable requests, ms since 1970. */
  #free = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /**
   * @param ask never rejects
   * @param at for deferrable requests: not before this time, ms since 1970, and not before the share
   * allows it; null: the user is waiting
   * @returns cancels it if it has not started
   */
  add(ask: () => Promise<void>, at: number | null): () => void {
    const one = { ask, at };
    this.#waiting.push(one);
    this.#next();
    return () => {
      this.#waiting = this.#waiting.filter((other) => other !== one);
      this.#next();
    };
  }

  #next(): void {
    clearTimeout(this.#timer);
    const due = ({ at }: Waiting): number => at ?? -1;
    const [first] = this.#waiting.toSorted((a, b) => due(a) - due(b));
    if (this.#busy || !first) return;
    const from = first.at === null ? 0 : Math.max(first.at, this.#free);
    this.#timer = setTimeout(() => void this.#take(first), Math.max(0, from - Date.now()));
  }

  async #take(one: Waiting): Promise<void> {
    this.#waiting = this.#waiting.filter((other) => other !== one);
    this.#busy = true;
    const began = Date.now();
    await one.ask();
    const now = Date.now();
    this.#busy = false;
    // A slow table is followed by a longer pause, so that the share holds.
    this.#free = Math.max(this.#free, now) + (SHARE - 1) * (now - began);
    this.#next();
  }
}

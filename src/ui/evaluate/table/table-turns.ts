/**
 * Of the worker's time at most one part in this many goes to tables that fill: it is the worker that asks for
 * their rollouts, and the intervals and tests of sixty systems take it many seconds.
 */
const SHARE = 10;

interface Waiting {
  ask: () => Promise<void>;
  /** Not before this time, ms since 1970; null: as soon as the one under way has its answer. */
  at: number | null;
}

/** Requests for tables go to the worker one at a time, so that many of them take no more of its time than one. */
export class TableTurns {
  #waiting: Waiting[] = [];
  #busy = false;
  /** When those may go that can wait, ms since 1970. */
  #free = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /**
   * @param ask never rejects
   * @param at for what can wait: not before this time, ms since 1970, and not before the share allows it; null:
   *   somebody waits to see it
   * @returns takes it back, where its turn has not come
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
    // What took long is paid by a longer rest, so that the share holds however long tables take.
    this.#free = Math.max(this.#free, now) + (SHARE - 1) * (now - began);
    this.#next();
  }
}

/** Calls under way in a worker, by the number that the caller gave them, so that it can stop them. */
export class StoppableCalls {
  readonly #calls = new Map<number, AbortController>();

  async run<T>(call: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const abort = new AbortController();
    this.#calls.set(call, abort);
    try {
      return await work(abort.signal);
    } finally {
      this.#calls.delete(call);
    }
  }

  /** Does nothing where the call has ended. */
  abort(call: number): void {
    this.#calls.get(call)?.abort();
  }
}

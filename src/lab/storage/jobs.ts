/** Jobs that a page starts under names of its own, so that it can stop them: one at a time of a name. */
export class NamedJobs {
  readonly #running = new Map<string, AbortController>();

  /** Runs under a name that `cancel` stops; an earlier job of that name is stopped. */
  async run<T>(
    name: string,
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<T | { status: 'cancelled' }> {
    this.#running.get(name)?.abort();
    const controller = new AbortController();
    this.#running.set(name, controller);
    try {
      return await work(controller.signal);
    } catch (error) {
      if (controller.signal.aborted) return { status: 'cancelled' };
      throw error;
    } finally {
      if (this.#running.get(name) === controller) this.#running.delete(name);
    }
  }

  cancel(name: string): void {
    this.#running.get(name)?.abort();
  }
}

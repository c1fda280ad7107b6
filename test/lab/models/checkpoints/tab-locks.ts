/** Web Locks of one browser in memory, as far as the page uses them; Node has none. */
export class TabLocks implements LockManager {
  readonly #held: { name: string; mode: LockMode }[] = [];
  /** Called, oldest first, whenever a lock is let go. */
  readonly #waiting: (() => void)[] = [];

  query(): Promise<LockManagerSnapshot> {
    return Promise.resolve({ held: [...this.#held], pending: [] });
  }

  async request<T>(
    name: string,
    ...rest: [LockGrantedCallback<T>] | [LockOptions, LockGrantedCallback<T>]
  ): Promise<Awaited<T>> {
    const [options, granted] = rest.length === 1 ? [{}, rest[0]] : rest;
    const { mode = 'exclusive', ifAvailable } = options;
    const free = (): boolean =>
      this.#held.every(
        (lock) => lock.name !== name || (mode === 'shared' && lock.mode === 'shared'),
      );
    if (!free() && ifAvailable) return await granted(null);
    while (!free()) await new Promise<void>((wake) => this.#waiting.push(wake));
    const lock = { name, mode };
    this.#held.push(lock);
    try {
      return await granted(lock);
    } finally {
      this.#held.splice(this.#held.indexOf(lock), 1);
      for (const wake of this.#waiting.splice(0)) wake();
    }
  }

  /** The browser frees what a tab held that died. */
  drop(name: string): void {
    const at = this.#held.findIndex((lock) => lock.name === name);
    if (at >= 0) this.#held.splice(at, 1);
    for (const wake of this.#waiting.splice(0)) wake();
  }
}

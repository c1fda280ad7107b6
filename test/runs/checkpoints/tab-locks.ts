/** Web Locks of one browser in memory, as far as the checkpoints use them; Node has none. */
export class TabLocks implements LockManager {
  readonly #held: { name: string; mode: LockMode }[] = [];

  query(): Promise<LockManagerSnapshot> {
    return Promise.resolve({ held: [...this.#held], pending: [] });
  }

  async request<T>(
    name: string,
    ...rest: [LockGrantedCallback<T>] | [LockOptions, LockGrantedCallback<T>]
  ): Promise<Awaited<T>> {
    const [options, granted] = rest.length === 1 ? [{}, rest[0]] : rest;
    const { mode = 'exclusive', ifAvailable } = options;
    const others = this.#held.filter((lock) => lock.name === name);
    const free = others.every((lock) => mode === 'shared' && lock.mode === 'shared');
    if (!free && !ifAvailable) throw new Error('waiting for a lock is not simulated');
    if (!free) return await granted(null);
    const lock = { name, mode };
    this.#held.push(lock);
    try {
      return await granted(lock);
    } finally {
      this.#held.splice(this.#held.indexOf(lock), 1);
    }
  }
}

/** Least-recently-used cache of at most `capacity` entries. */
export class LruCache<Value> {
  readonly #entries = new Map<string, Value>();
  readonly #capacity: number;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  get(key: string): Value | undefined {
    const value = this.#entries.get(key);
    if (value === undefined) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, value);
    return value;
  }

  set(key: string, value: Value): void {
    this.#entries.delete(key);
    this.#entries.set(key, value);
    const oldest = this.#entries.keys().next();
    if (this.#entries.size > this.#capacity && !oldest.done) this.#entries.delete(oldest.value);
  }

  delete(key: string): void {
    this.#entries.delete(key);
  }

  clear(): void {
    this.#entries.clear();
  }
}

import type { FetchFile } from '../../base/fetch-file.ts';
import { LruCache } from '../../base/lru.ts';

export interface WebSearchOptions {
  signal?: AbortSignal | undefined;
  /** `off`: every shard is fetched again, past the browser's cache too. */
  cache?: 'memory' | 'off' | undefined;
}

/** Counts what one call fetched. */
export interface Meter {
  requests: number;
  bytes: number;
}

/** Decoded shards of one kind after a least-recently-used cache. */
export class ShardStore<Shard> {
  readonly #fetchFile: FetchFile;
  readonly #decode: (file: Uint8Array, name: string) => Shard;
  readonly #cache: LruCache<Shard>;

  constructor(
    fetchFile: FetchFile,
    decode: (file: Uint8Array, name: string) => Shard,
    capacity: number,
  ) {
    this.#fetchFile = fetchFile;
    this.#decode = decode;
    this.#cache = new LruCache(capacity);
  }

  /** Shards by file name, fetched in parallel, each name once. */
  async get(
    names: Iterable<string>,
    options: WebSearchOptions,
    meter: Meter,
  ): Promise<Map<string, Shard>> {
    options.signal?.throwIfAborted();
    const pairs = [...new Set(names)].map(
      async (name) => [name, await this.#one(name, options, meter)] as const,
    );
    return new Map(await Promise.all(pairs));
  }

  clear(): void {
    this.#cache.clear();
  }

  /**
   * Calls do not share a transfer that is under way: each has its own signal, and each measures what
   * it pays.
   */
  async #one(name: string, { signal, cache }: WebSearchOptions, meter: Meter): Promise<Shard> {
    const fresh = cache === 'off';
    const cached = fresh ? undefined : this.#cache.get(name);
    if (cached) return cached;
    const file = await this.#fetchFile(name, { signal, fresh });
    signal?.throwIfAborted();
    meter.requests += 1;
    meter.bytes += file.length;
    const shard = this.#decode(file, name);
    if (!fresh) this.#cache.set(name, shard);
    return shard;
  }
}

import type { Generated, GenerateOptions, PolicySession } from '../policy.ts';
import type { CacheRange } from './context-store.ts';
import type { GenerationEngine } from './engine.ts';
import type { Request } from './request.ts';
import { asDecoded, asPrefilled, MIXTURE } from './prefix-caching.ts';

/** One context: bookkeeping here, its KV cache in the engine's stores. */
export class EngineSession implements PolicySession {
  readonly seed: number;
  readonly #engine: GenerationEngine;
  /** Tokens of the context that are not prefilled yet. */
  pending: number[] = [];
  /** Embedding to prefill instead of the first pending token (latent thinking): [hidden size]. */
  mixture: Float32Array | null = null;
  /** Tokens in the KV cache; prefilled ones as their id, decoded ones as ~id (`asDecoded`). */
  cachedTokens: number[] = [];
  /** Number of leading cached tokens with finite logits. */
  finiteCount = 0;
  /** Tokens sampled so far: the counter of this session's random numbers. */
  drawn: number;
  /** Its range in the KV cache; null before the first prefill. */
  cacheRange: CacheRange | null = null;
  request: Request | null = null;
  closed = false;
  /** Why this context cannot be used any more: its KV cache contains NaNs. */
  broken: Error | null = null;

  constructor(engine: GenerationEngine, seed: number, drawn = 0) {
    this.#engine = engine;
    this.seed = seed;
    this.drawn = drawn;
  }

  /** Positions [0, cached) are in the KV cache. */
  get cached(): number {
    return this.cachedTokens.length;
  }

  get length(): number {
    return this.cached + this.pending.length;
  }

  /** The first `count` pending tokens are in the KV cache now. */
  markPrefilled(count: number): void {
    for (const id of this.pending.splice(0, count)) this.#pushCached(asPrefilled(id));
  }

  /** The pending token was decoded and is in the KV cache now. */
  markDecoded(): void {
    for (const id of this.pending) this.#pushCached(asDecoded(id));
    this.pending = [];
  }

  #pushCached(token: number): void {
    this.cachedTokens.push(this.mixture ? MIXTURE : token);
    this.mixture = null;
  }

  append(ids: readonly number[]): void {
    this.#check();
    this.#engine.checkIds(ids);
    for (const id of ids) this.pending.push(id);
  }

  generate(options: GenerateOptions): Promise<Generated> {
    this.#check();
    const watched = this.#engine.watchFor(options);
    return new Promise<Generated>((resolve, reject) => {
      const output: Generated = { ids: [], logprobs: [], entropies: [], finish: 'length' };
      this.request = { options, output, ...watched, delivered: 0, resolve, reject };
      this.#engine.enqueue(this);
    });
  }

  fork(seed: number): Promise<PolicySession> {
    this.#check();
    return this.#engine.fork(this, seed);
  }

  close(): void {
    if (this.closed) return;
    this.closed = true;
    this.#engine.release(this);
  }

  #check(): void {
    if (this.closed) throw new Error('policy: this session is closed');
    if (this.broken) throw this.broken;
    if (this.request) throw new Error('policy: this session is generating; calls must not overlap');
  }
}

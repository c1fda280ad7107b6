import type { Generated, GenerateOptions, PolicySession } from '../policy.ts';
import type { Place } from './context-store.ts';
import type { GenerationEngine } from './engine.ts';
import type { Request } from './request.ts';
import { asDecoded, asRead, MIXED } from './shared-reading.ts';

/** One context: bookkeeping here, keys and values in the engine's store. */
export class EngineSession implements PolicySession {
  readonly seed: number;
  readonly #engine: GenerationEngine;
  /** Tokens that are part of the context but not yet read. */
  pending: number[] = [];
  /** What the first of them is read as, where that is a mixture: [hidden size]. */
  mixed: Float32Array | null = null;
  /** What has keys and values: token ids, those that were decoded distinguished from those that were read (`asDecoded`). */
  text: number[] = [];
  /** So many of those gave finite logits. */
  certain = 0;
  /** Tokens drawn so far: the counter of this session's random numbers. */
  drawn: number;
  /** Where they lie; null before anything was read. */
  place: Place | null = null;
  request: Request | null = null;
  closed = false;
  /** Why this context is of no use any more: its keys and values hold NaNs. */
  broken: Error | null = null;

  constructor(engine: GenerationEngine, seed: number, drawn = 0) {
    this.#engine = engine;
    this.seed = seed;
    this.drawn = drawn;
  }

  /** Positions [0, cached) have keys and values. */
  get cached(): number {
    return this.text.length;
  }

  get length(): number {
    return this.cached + this.pending.length;
  }

  /** The first `count` pending tokens have keys and values now: they were read. */
  took(count: number): void {
    for (const id of this.pending.splice(0, count)) this.#has(asRead(id));
  }

  /** So has the one that was pending: it was decoded. */
  decoded(): void {
    for (const id of this.pending) this.#has(asDecoded(id));
    this.pending = [];
  }

  #has(token: number): void {
    this.text.push(this.mixed ? MIXED : token);
    this.mixed = null;
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

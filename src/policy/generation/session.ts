import type { Generated, GenerateOptions, PolicySession } from '../policy.ts';
import type { Place } from './context-store.ts';
import type { GenerationEngine } from './engine.ts';
import type { Request } from './request.ts';

/** One context: bookkeeping here, keys and values in the engine's store. */
export class EngineSession implements PolicySession {
  readonly seed: number;
  readonly #engine: GenerationEngine;
  /** Tokens that are part of the context but not yet read. */
  pending: number[] = [];
  /** Positions [0, cached) have keys and values. */
  cached = 0;
  /** Tokens drawn so far: the counter of this session's random numbers. */
  drawn: number;
  /** Where they lie; null before anything was read. */
  place: Place | null = null;
  request: Request | null = null;
  closed = false;
  /** Why this context is of no use any more: its keys and values hold numbers that are none. */
  broken: Error | null = null;

  constructor(engine: GenerationEngine, seed: number, drawn = 0) {
    this.#engine = engine;
    this.seed = seed;
    this.drawn = drawn;
  }

  get length(): number {
    return this.cached + this.pending.length;
  }

  append(ids: readonly number[]): void {
    this.#check();
    this.#engine.checkIds(ids);
    for (const id of ids) this.pending.push(id);
  }

  generate(options: GenerateOptions): Promise<Generated> {
    this.#check();
    const stopTexts = this.#engine.watchFor(options);
    return new Promise<Generated>((resolve, reject) => {
      const output: Generated = { ids: [], logprobs: [], entropies: [], finish: 'length' };
      this.request = { options, output, stopTexts, delivered: 0, resolve, reject };
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

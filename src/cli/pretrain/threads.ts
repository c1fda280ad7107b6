import { Worker } from 'node:worker_threads';
import { z } from 'zod';
import type { Batch, BatchPlan, Cursor } from '../../pretrain/policy/batches.ts';
import type { ReplicaClient, UpdaterClient } from '../../pretrain/policy/learner.ts';
import type { Score, SharedState } from '../../pretrain/policy/replica.ts';
import { threadCode } from '../shared/thread-code.ts';
import type { DrawInit, LearnInit, ThreadInit, ThreadRequest } from './worker.ts';

/** A thread that answers one request after the other. */
class Thread {
  readonly #worker: Worker;
  #settle: { resolve(value: unknown): void; reject(error: Error): void } | undefined;

  constructor(init: ThreadInit) {
    this.#worker = new Worker(threadCode('pretrain'), { eval: true, workerData: init });
    this.#worker.on('message', (message: { result?: unknown; error?: string }) => {
      const settle = this.#settle;
      this.#settle = undefined;
      if (message.error === undefined) settle?.resolve(message.result);
      else settle?.reject(new Error(message.error));
    });
    this.#worker.on('error', (error) => this.#settle?.reject(error));
    this.#worker.on('exit', (code) =>
      this.#settle?.reject(new Error(`a training thread ended with code ${code}`)),
    );
  }

  call(request: ThreadRequest): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.#settle = { resolve, reject };
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- no window
      this.#worker.postMessage(request);
    });
  }

  async close(): Promise<void> {
    await this.#worker.terminate();
  }
}

const scoresSchema = z.array(z.object({ nll: z.number(), tokens: z.number(), right: z.number() }));

/** A replica and updater, or without limits an updater alone, on a thread of its own. */
export class LearnThread implements ReplicaClient, UpdaterClient {
  readonly #thread: Thread;

  constructor(init: Omit<LearnInit, 'role'>) {
    this.#thread = new Thread({ role: 'learn', ...init });
  }

  async gradients(...[part, version]: Parameters<ReplicaClient['gradients']>): Promise<Score[]> {
    return scoresSchema.parse(await this.#thread.call({ type: 'gradients', part, version }));
  }

  async evaluate(...[examples, version]: Parameters<ReplicaClient['evaluate']>): Promise<Score[]> {
    return scoresSchema.parse(await this.#thread.call({ type: 'evaluate', examples, version }));
  }

  async reduce(from: number, to: number, buffers: number): Promise<number> {
    return z.number().parse(await this.#thread.call({ type: 'reduce', from, to, buffers }));
  }

  async update(options: Parameters<UpdaterClient['update']>[0]): Promise<void> {
    await this.#thread.call({ type: 'update', options });
  }

  close(): Promise<void> {
    return this.#thread.close();
  }
}

/** Draws examples on a thread of its own. */
export class DrawThread {
  readonly #thread: Thread;

  constructor(init: Omit<DrawInit, 'role'>) {
    this.#thread = new Thread({ role: 'draw', ...init });
  }

  async batch(from: Cursor, plan: BatchPlan): Promise<Batch> {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- our own thread sends it
    return (await this.#thread.call({ type: 'batch', from, plan })) as Batch;
  }

  close(): Promise<void> {
    return this.#thread.close();
  }
}

/** Buffers that all threads see, for this many parameters and parts of a batch. */
export function sharedState(parameters: number, parts: number): SharedState {
  const buffer = (): Float32Array => new Float32Array(new SharedArrayBuffer(4 * parameters));
  return {
    weights: buffer(),
    first: buffer(),
    second: buffer(),
    gradients: Array.from({ length: parts }, buffer),
  };
}

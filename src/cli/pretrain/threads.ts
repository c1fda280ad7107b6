import { Worker } from 'node:worker_threads';
import { z } from 'zod';
import type { ReplicaClient } from '../../pretrain/policy/learner.ts';
import type { Score, SharedState } from '../../pretrain/policy/replica.ts';
import { threadCode } from '../shared/paths.ts';
import type { ReplicaInit, ReplicaRequest } from './worker.ts';

const scoresSchema = z.array(z.object({ nll: z.number(), tokens: z.number(), right: z.number() }));

/** A replica on a thread of its own. */
export class ThreadReplica implements ReplicaClient {
  readonly #worker: Worker;
  #settle: { resolve(value: unknown): void; reject(error: Error): void } | undefined;

  constructor(init: ReplicaInit) {
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

  #call(request: ReplicaRequest): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.#settle = { resolve, reject };
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- no window
      this.#worker.postMessage(request);
    });
  }

  async gradients(...[part, version]: Parameters<ReplicaClient['gradients']>): Promise<Score[]> {
    return scoresSchema.parse(await this.#call({ type: 'gradients', part, version }));
  }

  async evaluate(...[examples, version]: Parameters<ReplicaClient['evaluate']>): Promise<Score[]> {
    return scoresSchema.parse(await this.#call({ type: 'evaluate', examples, version }));
  }

  async reduce(from: number, to: number, buffers: number): Promise<number> {
    return z.number().parse(await this.#call({ type: 'reduce', from, to, buffers }));
  }

  async update(options: Parameters<ReplicaClient['update']>[0]): Promise<void> {
    await this.#call({ type: 'update', options });
  }

  async close(): Promise<void> {
    await this.#worker.terminate();
  }
}

/** Buffers that all threads see, for so many parameters and parts of a batch. */
export function sharedState(parameters: number, parts: number): SharedState {
  const buffer = (): Float32Array => new Float32Array(new SharedArrayBuffer(4 * parameters));
  return {
    weights: buffer(),
    first: buffer(),
    second: buffer(),
    gradients: Array.from({ length: parts }, buffer),
  };
}

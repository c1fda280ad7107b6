import { clipScale } from '../../policy/lora/optimizer.ts';
import type { UpdateOptions } from './plan.ts';
import { shard } from '../../policy/lora/train-batch.ts';
import type { Example, Part, Score, SharedState } from './replica.ts';
import { itemAt } from '../../base/items.ts';

/** A replica, wherever it runs. Calls to one replica do not overlap. */
export interface ReplicaClient {
  gradients(part: Part, version: number): Promise<Score[]>;
  evaluate(examples: readonly Example[], version: number): Promise<Score[]>;
}

/** An updater, wherever it runs. Calls to one do not overlap. */
export interface UpdaterClient {
  reduce(from: number, to: number, buffers: number): Promise<number>;
  update(options: UpdateOptions): Promise<void>;
}

export interface StepReport {
  /** Per sequence, grouped by part of the batch, not in batch order. */
  scores: Score[];
  gradientNorm: number;
}

/** Ranges of the gradient that are summed apart; fixed, so that their sum is. */
const RANGES = 8;
/** Parts come in multiples of this on threads, so that up to this many replicas end a step together. */
export const PART_MULTIPLE = 4;

/** Parts of a batch: each a little over `tokens` tokens at most, with even numbers of tokens. */
export const partCount = (batchTokens: number, tokens: number, multiple: number): number =>
  Math.max(1, Math.ceil(batchTokens / tokens / multiple)) * multiple;

/**
 * Synchronous data parallelism. A batch is cut into parts that replicas take as they become free,
 * each with a gradient buffer of its own; buffers are summed in a fixed order. So the result
 * depends only on batch and weights, neither on timing nor on the number of replicas.
 */
export class Learner {
  readonly #replicas: readonly ReplicaClient[];
  readonly #updaters: readonly UpdaterClient[];
  readonly #partMultiple: number;
  readonly #shared: SharedState;
  /** Counts changes of the weights. */
  #version = 0;

  /** @param o.partMultiple parts of a batch come in multiples of it */
  constructor(
    o: {
      readonly replicas: readonly ReplicaClient[];
      readonly updaters: readonly UpdaterClient[];
      readonly partMultiple?: number;
    },
    shared: SharedState,
  ) {
    this.#replicas = o.replicas;
    this.#updaters = o.updaters;
    this.#partMultiple = o.partMultiple ?? PART_MULTIPLE;
    this.#shared = shared;
  }

  /** One update on the weighted mean loss of the batch. `whileWaiting` runs as replicas compute. */
  async step(
    examples: readonly Example[],
    options: Omit<UpdateOptions, 'gradientScale'>,
    { clip, partTokens }: { clip: number; partTokens: number },
    whileWaiting: () => void = () => undefined,
  ): Promise<StepReport> {
    const scale = 1 / Math.max(totalWeight(examples), 1e-9);
    const tokens = examples.reduce((sum, e) => sum + e.ids.length, 0);
    const buffers = Math.min(
      partCount(tokens, partTokens, this.#partMultiple),
      this.#shared.gradients.length,
    );
    const parts = shard(examples, buffers).map((s, buffer) => ({ buffer, examples: s, scale }));
    const work = spread(this.#replicas, parts, (replica, part) =>
      replica.gradients(part, this.#version),
    );
    whileWaiting();
    const scores = (await work).flat();
    const gradientNorm = await this.#reduce(buffers);
    if (!Number.isFinite(gradientNorm)) throw new Error('pre-training: the gradient is not finite');
    const update = { ...options, gradientScale: clipScale(gradientNorm, clip) };
    await Promise.all(this.#updaters.map((one) => one.update(update)));
    this.#version++;
    return { scores, gradientNorm };
  }

  /** Scores in the order of the examples. */
  async evaluate(examples: readonly Example[], perCall = 16): Promise<Score[]> {
    const runs: Example[][] = [];
    for (let i = 0; i < examples.length; i += perCall) runs.push(examples.slice(i, i + perCall));
    return (await spread(this.#replicas, runs, (r, run) => r.evaluate(run, this.#version))).flat();
  }

  /** Sums the buffers into the first; returns the norm of the sum. */
  async #reduce(buffers: number): Promise<number> {
    const total = this.#shared.weights.length;
    const ranges = Array.from({ length: RANGES }, (_, i) => ({
      from: Math.floor((total * i) / RANGES),
      to: Math.floor((total * (i + 1)) / RANGES),
    }));
    const squares = await spread(this.#updaters, ranges, (one, { from, to }) =>
      one.reduce(from, to, buffers),
    );
    return Math.sqrt(squares.reduce((a, b) => a + b, 0));
  }
}

/** Every worker takes the next task when it is free; results in the order of the tasks. */
async function spread<W, T, R>(
  workers: readonly W[],
  tasks: readonly T[],
  run: (worker: W, task: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  let next = 0;
  const drain = async (worker: W): Promise<void> => {
    while (next < tasks.length) {
      const at = next++;
      results[at] = await run(worker, itemAt(tasks, at, 'tasks'));
    }
  };
  await Promise.all(workers.map(drain));
  return results;
}

/** Weight of all tokens that are predicted: the first of a sequence never is. */
function totalWeight(examples: readonly Example[]): number {
  let total = 0;
  for (const { weights } of examples) for (const weight of weights.subarray(1)) total += weight;
  return total;
}

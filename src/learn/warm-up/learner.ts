import { clipScale, globalNorm, type UpdateOptions } from '../../policy/optimizer.ts';
import { shard } from '../../policy/train-batch.ts';
import type { Example, Score, SharedState } from './replica.ts';

/** A replica, wherever it runs. Calls to one replica do not overlap. */
export interface ReplicaClient {
  gradients(examples: readonly Example[], scale: number): Promise<Score[]>;
  evaluate(examples: readonly Example[]): Promise<Score[]>;
  update(options: UpdateOptions): Promise<void>;
}

export interface StepReport {
  /** Per sequence; grouped by replica, not in batch order. */
  scores: Score[];
  gradientNorm: number;
}

/**
 * Synchronous data parallelism. The result depends on the batch, the weights and the number of
 * replicas, never on timing: sequences are dealt by length and gradients are summed in a fixed order.
 */
export class Learner {
  readonly #replicas: readonly ReplicaClient[];
  readonly #shared: SharedState;

  constructor(replicas: readonly ReplicaClient[], shared: SharedState) {
    this.#replicas = replicas;
    this.#shared = shared;
  }

  /** One update on the weighted mean loss of the batch. `whileWaiting` runs as replicas compute. */
  async step(
    examples: readonly Example[],
    options: Omit<UpdateOptions, 'gradientScale'>,
    clip: number,
    whileWaiting: () => void = () => undefined,
  ): Promise<StepReport> {
    const total = examples.reduce((sum, e) => sum + weightOf(e), 0);
    const shards = shard(examples, this.#replicas.length);
    const work = this.#replicas.map((r, i) => r.gradients(shards[i]!, 1 / Math.max(total, 1e-9)));
    whileWaiting();
    const scores = (await Promise.all(work)).flat();
    const [sum, ...rest] = this.#shared.gradients;
    for (const other of rest) for (let i = 0; i < sum!.length; i++) sum![i]! += other[i]!;
    const gradientNorm = globalNorm(sum!);
    if (!Number.isFinite(gradientNorm)) throw new Error('warm-up: the gradient is not finite');
    const update = { ...options, gradientScale: clipScale(gradientNorm, clip) };
    await Promise.all(this.#replicas.map((r) => r.update(update)));
    return { scores, gradientNorm };
  }

  /** Scores in the order of the examples. */
  async evaluate(examples: readonly Example[]): Promise<Score[]> {
    const part = Math.ceil(examples.length / this.#replicas.length);
    const work = this.#replicas.map((r, i) => r.evaluate(examples.slice(i * part, (i + 1) * part)));
    return (await Promise.all(work)).flat();
  }
}

/** Weight of the tokens that are predicted: the first one never is. */
const weightOf = (example: Example): number =>
  example.weights.reduce((sum, w, i) => (i === 0 ? sum : sum + w), 0);

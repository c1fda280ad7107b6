import { microBatches, packBatch } from '../../policy/lora/train-batch.ts';
import type { Trainer } from './train.ts';
import { itemAt } from '../../base/items.ts';

/** One sequence of a batch of pre-training. */
export interface Example {
  ids: Int32Array;
  /** Loss weight of each token. */
  weights: Float32Array;
  /** 1 where the policy wrote the token; only these count as right or wrong. */
  mask: Uint8Array;
  /** What it shows, for reports. */
  kind: string;
}

/** How one sequence fared, teacher forced. */
export interface Score {
  /** Summed negative log-probability (nats) of the policy's tokens, and their number. */
  nll: number;
  tokens: number;
  /** How many of them were the most probable token. */
  right: number;
}

/** A share of a batch, and the shared buffer that takes its gradient. */
export interface Part {
  buffer: number;
  examples: readonly Example[];
  /** Factor on the loss. */
  scale: number;
}

/** Flat float32 buffers that all replicas share; each as long as the parameters. */
export interface SharedState {
  weights: Float32Array;
  first: Float32Array;
  second: Float32Array;
  /** One for each part of a batch; the first also takes the sum. */
  gradients: Float32Array[];
}

/** Computes gradients of parts of a batch. All state that lasts is in `SharedState`. */
export class Replica {
  readonly #trainer: Trainer;
  readonly #shared: SharedState;
  /** Which version of the shared weights the trainer holds. */
  #version = -1;

  constructor(trainer: Trainer, shared: SharedState) {
    this.#trainer = trainer;
    this.#shared = shared;
  }

  /** Leaves the gradient of `scale · Σ weight · nll` in one of the shared buffers. */
  async gradients(part: Part, version: number): Promise<Score[]> {
    this.#load(version);
    this.#trainer.zeroGradients();
    const scores = await this.#run(part.examples, part.scale, true);
    itemAt(this.#shared.gradients, part.buffer, 'gradient buffers').set(
      await this.#trainer.gradients(),
    );
    return scores;
  }

  async evaluate(examples: readonly Example[], version: number): Promise<Score[]> {
    this.#load(version);
    return this.#run(examples, 1, false);
  }

  #load(version: number): void {
    if (version === this.#version) return;
    this.#trainer.setWeights(this.#shared.weights);
    this.#version = version;
  }

  async #run(examples: readonly Example[], scale: number, learn: boolean): Promise<Score[]> {
    const { maxTokens } = this.#trainer.limits;
    const scores: Score[] = [];
    for (const run of microBatches(examples, maxTokens)) {
      const batch = packBatch(run, scale);
      const { nll, right } = learn
        ? await this.#trainer.accumulate(batch)
        : await this.#trainer.evaluate(batch);
      scores.push(...scoreRun(run, batch.rows, nll, right));
    }
    return scores;
  }
}

/** Counts the policy's tokens of each sequence; `rows` are positions in the joined batch. */
function scoreRun(
  run: readonly Example[],
  rows: Int32Array,
  nll: Float32Array,
  right: Uint8Array,
): Score[] {
  let start = 0;
  let at = 0;
  return run.map(({ ids, mask }) => {
    const score = { nll: 0, tokens: 0, right: 0 };
    for (; at < rows.length && (rows[at] ?? 0) < start + ids.length; at++) {
      if (mask[(rows[at] ?? 0) - start + 1] !== 1) continue;
      score.nll += nll[at] ?? 0;
      score.tokens++;
      score.right += right[at] ?? 0;
    }
    start += ids.length;
    return score;
  });
}

import { backwardLayers, headBackward, pickBackward } from './backward.ts';
import type { PolicyConfig } from '../../policy/checkpoint/config.ts';
import { forwardLayers, headChunks, packWeights, pickRows, placeBatch } from './forward.ts';
import type { PackedBatch } from '../../policy/lora/train-batch.ts';
import type { TrainLimits } from '../../policy/lora/train-batch.ts';
import { TrainMemory } from './train-memory.ts';

/** What the weighted tokens of a batch got; all three in the order of `batch.rows`. */
export interface TokenLosses {
  /** Negative natural-log probability of each target. */
  nll: Float32Array;
  /** 1 where the target was the most probable token. */
  right: Uint8Array;
}

/**
 * Full-parameter training of a Qwen3-shaped decoder on the CPU. Activations of one call are kept
 * in the kernels' memory, so a call holds at most `limits.maxTokens` tokens; gradients add up
 * over calls. Sequences lie end to end: nothing is padded. Departure from the layered jax-js
 * engine: forward and backward are written out over our own SIMD kernels, because jax-js runs
 * exponentials, divisions and batched matrix products without SIMD on WASM.
 */
export class Trainer {
  readonly memory: TrainMemory;

  private constructor(memory: TrainMemory) {
    this.memory = memory;
  }

  /** @throws Error for sizes that are no multiple of 8; RangeError without memory. */
  static async create(
    config: PolicyConfig,
    limits: TrainLimits,
    relaxed?: boolean,
  ): Promise<Trainer> {
    return new Trainer(await TrainMemory.create(config, limits, relaxed));
  }

  /** All parameters, replaced. */
  setWeights(flat: Float32Array): void {
    this.memory.weights.flat.set(flat);
    packWeights(this.memory);
  }

  zeroGradients(): void {
    this.memory.gradients.flat.fill(0);
  }

  /** Gradient of `Σ weight · nll`, summed over calls since `zeroGradients`; a view, not a copy. */
  get gradients(): Float32Array {
    return this.memory.gradients.flat;
  }

  /** Forward pass only. */
  evaluate(batch: PackedBatch): TokenLosses {
    placeBatch(this.memory, batch);
    forwardLayers(this.memory, batch);
    pickRows(this.memory, batch);
    headChunks(this.memory, batch, () => undefined);
    return this.#losses(batch);
  }

  /** Forward and backward; adds to `gradients`. */
  accumulate(batch: PackedBatch): TokenLosses {
    placeBatch(this.memory, batch);
    forwardLayers(this.memory, batch);
    pickRows(this.memory, batch);
    headChunks(this.memory, batch, (first, rows) => headBackward(this.memory, first, rows));
    pickBackward(this.memory, batch);
    backwardLayers(this.memory, batch);
    return this.#losses(batch);
  }

  #losses(batch: PackedBatch): TokenLosses {
    const { plan } = this.memory;
    const count = batch.rows.length;
    const nll = this.memory.floats(plan.nll).slice(0, count);
    const best = this.memory.integers(plan.best);
    return { nll, right: Uint8Array.from(batch.targets, (id, i) => (id === best[i] ? 1 : 0)) };
  }
}

import type { PackedBatch } from './train-batch.ts';

/**
 * What the rows of a batch got, in the order of `batch.rows`: of softmax(logits / temperature) over the
 * whole vocabulary, the temperature being the row's in `batch.temperatures`.
 */
export interface RowScores {
  /** Natural-log probability of each target. */
  logprobs: Float32Array;
  /** Entropy of each row's softmax, nats. */
  entropies: Float32Array;
}

export interface HiddenStates {
  /** [rows, width] */
  values: Float32Array;
  width: number;
}

/**
 * LoRA training of a frozen decoder: the same contract on the WASM kernels and on WebGPU. Gradients
 * add up over calls. A batch holds at most `maxTokens` tokens; sequences lie end to end.
 */
export interface LoraTrainer {
  readonly maxTokens: number;
  /**
   * Values of the adapter, in the order of `loraSlots`, then those of gates. `null` switches it off: the reference
   * policy, which reads the tokens themselves, whatever latents a batch brings.
   */
  setAdapter(flat: Float32Array | null): Promise<void>;
  /** Forward pass only. Weights of the batch only choose its rows (those other than 0). */
  score(batch: PackedBatch): Promise<RowScores>;
  /**
   * Forward, then backward of `Σ c · (−logprob)` over the rows, where `weigh` is given the scores and
   * returns the coefficient c of each row (negative ones push a token down).
   * @throws Error while the adapter is switched off
   */
  accumulate(batch: PackedBatch, weigh: (scores: RowScores) => Float32Array): Promise<RowScores>;
  /**
   * The hidden state after the last layer at each row of the batch, [rows, width]; absent where a trainer cannot give
   * it. Forward pass only.
   */
  hidden?(batch: PackedBatch): Promise<HiddenStates>;
  /**
   * Called while a batch is computed, layer by layer, with its share of the tokens: they sum to those of the batch.
   * Absent: nobody listens.
   */
  onTokens?: ((tokens: number) => void) | undefined;
  zeroGradients(): void;
  /** The summed gradient by the adapter's values, a copy, in their order. */
  gradients(): Promise<Float32Array>;
  /** Bytes that it holds now on its device: weights, activations, adapters. */
  readonly bytes: number;
  dispose(): void;
}

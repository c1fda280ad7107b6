import type { HeadInput, Ops } from './ops.ts';
import type { Activations, Matrix, Picks, Tokens, Vector } from './values.ts';

/** How the rows fared that were scored last, in their order. */
interface RowHits {
  /** Natural-log probability of each target. */
  readonly logprobs: Float32Array;
  /** 1 where no token was more probable than the target. */
  readonly hits: Uint8Array;
}

/** The gradients of some matrices and vectors, in the order in which those were given. */
export interface Gradients {
  zero(): void;
  /**
   * Each row-major like the values, once all that was called is done.
   * @throws RangeError where one of `into` has another length
   */
  read(into: readonly Float32Array[]): Promise<void>;
}

/**
 * Ops with weight gradients, for pre-training from scratch. A matrix or
 * vector that learns has a gradient, to which the backward twins add: of the matrices and biases of
 * projections, the weights of norms, and the head.
 */
export interface TrainableOps extends Ops {
  /** Gives each a gradient of zeros, once. @throws Error for a matrix that is not float32 */
  learn(...handles: readonly (Matrix | Vector)[]): Gradients;
  /** Other values, row-major. @throws RangeError where they are not as many as before */
  rewrite(handle: Matrix | Vector, values: Float32Array): void;
  /** Gradient of the table: its row id[r] gets dx[r]. */
  embedBackward(o: { table: Matrix; tokens: Tokens; dx: Activations }): void;
  /** `score` and `scoreBackward` at once, of the same logits. */
  scoreAndLearn(
    o: HeadInput & { picks: Picks; tokens: Tokens; coefficients: Float32Array; dx: Activations },
  ): void;
  /** Of what was scored last, once all that was called is done. */
  readHits(picks: Picks): Promise<RowHits>;
}

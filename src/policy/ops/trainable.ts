import type { HeadInput, Ops } from './ops.ts';
import type { Activations, Matrix, Picks, Tokens, Vector } from './values.ts';

/** How the rows fared that were scored last, in their order. */
interface RowHits {
  /** Natural-log probability of each target. */
  readonly logprobs: Float32Array;
  /** 1 where no token was more probable than the target. */
  readonly hits: Uint8Array;
}

/**
 * Operations that also learn what they compute with, on the processor alone: what a policy is made with
 * from nothing. A matrix or vector that learns has a gradient, row-major like its values, to which the
 * backward twins add: of the matrices and biases of projections, the weights of norms, and the head.
 */
export interface TrainableOps extends Ops {
  /** Gives each a gradient of zeros. @throws Error for a matrix that is not float32 */
  learn(...handles: readonly (Matrix | Vector)[]): void;
  /** Other values, row-major. @throws RangeError where they are not as many as before */
  rewrite(handle: Matrix | Vector, values: Float32Array): void;
  zeroGradient(handle: Matrix | Vector): void;
  /** @throws Error for one that does not learn */
  readGradient(handle: Matrix | Vector, into: Float32Array): void;
  /** Gradient of the table: its row id[r] gets dx[r]. */
  embedBackward(o: { table: Matrix; tokens: Tokens; dx: Activations }): void;
  /** `score` and `scoreBackward` at once, of the same logits. */
  scoreAndLearn(
    o: HeadInput & { picks: Picks; tokens: Tokens; coefficients: Float32Array; dx: Activations },
  ): void;
  readHits(picks: Picks): RowHits;
}

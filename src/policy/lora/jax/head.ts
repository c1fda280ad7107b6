import { grad, jit, nn, numpy as np } from '@jax-js/jax';
import type { PolicyConfig } from '../../checkpoint/config.ts';
import { rmsNorm } from './layer.ts';

/** Final norm and output layer over a fixed number of rows, so that one kernel serves all of them. */

export interface JaxHead {
  /** [hidden] */
  readonly norm: np.Array;
  /** [hidden, vocab] */
  readonly matrix: np.Array;
}

/**
 * x [rows, hidden] to log-probabilities of all tokens, [rows, vocab].
 * @param inverse 1 / temperature of each row, [rows, 1]; absent: 1
 */
function allLogprobs(c: PolicyConfig, x: np.Array, head: JaxHead, inverse?: np.Array): np.Array {
  const normed = rmsNorm(x, head.norm, c.hiddenSize, c.rmsNormEps);
  const logits = np.matmul(normed, head.matrix);
  return nn.logSoftmax(inverse ? logits.mul(inverse) : logits, -1);
}

/**
 * The log-probability of each row's target. `nn.oneHot` would take rows of an identity matrix, which for
 * a vocabulary of 150,000 is out of the question.
 */
function picked(logprobs: np.Array, targets: np.Array, vocab: number): np.Array {
  const ids = np.arange(vocab).reshape([1, vocab]);
  const chosen = ids.equal(targets.reshape([-1, 1])).astype(np.float32);
  return logprobs.mul(chosen).sum(-1);
}

/** A `type`: where `jit` asks for a tree of arrays, TypeScript does not accept an interface. */
type HeadScores = { logprobs: np.Array; entropies: np.Array };

export interface HeadFunctions {
  /**
   * x [rows, hidden], targets [rows] int32: log-probability and entropy (nats) of each row.
   * @param inverse 1 / temperature of each row, [rows, 1]; null where all are 1
   */
  scores(x: np.Array, targets: np.Array, head: JaxHead, inverse: np.Array | null): HeadScores;
  /** ∂/∂x of `Σ c · (−logprob)`, [rows, hidden]. */
  backward(
    x: np.Array,
    targets: np.Array,
    coefficients: np.Array,
    head: JaxHead,
    inverse: np.Array | null,
  ): np.Array;
}

export function headFunctions(config: PolicyConfig): HeadFunctions {
  const vocab = config.vocabSize;
  const scoresOf = (logprobs: np.Array, targets: np.Array): HeadScores => {
    const entropies = np.exp(logprobs.ref).mul(logprobs.ref).sum(-1).neg();
    return { logprobs: picked(logprobs, targets, vocab), entropies };
  };
  const lossOf = (logprobs: np.Array, targets: np.Array, coefficients: np.Array): np.Array =>
    picked(logprobs, targets, vocab).mul(coefficients).sum().neg();
  const scores = jit((x: np.Array, targets: np.Array, head: JaxHead) =>
    scoresOf(allLogprobs(config, x, head), targets),
  );
  const backward = jit(
    grad((x: np.Array, targets: np.Array, c: np.Array, head: JaxHead) =>
      lossOf(allLogprobs(config, x, head), targets, c),
    ),
  );
  // Kernels of their own, so that at temperature 1 every bit is as without a division.
  const tempered = {
    scores: jit((x: np.Array, targets: np.Array, head: JaxHead, inverse: np.Array) =>
      scoresOf(allLogprobs(config, x, head, inverse), targets),
    ),
    backward: jit(
      grad((x: np.Array, targets: np.Array, c: np.Array, head: JaxHead, inverse: np.Array) =>
        lossOf(allLogprobs(config, x, head, inverse), targets, c),
      ),
    ),
  };
  return {
    scores: (x, targets, head, inverse) =>
      inverse ? tempered.scores(x, targets, head, inverse) : scores(x, targets, head),
    backward: (x, targets, c, head, inverse) =>
      inverse ? tempered.backward(x, targets, c, head, inverse) : backward(x, targets, c, head),
  };
}

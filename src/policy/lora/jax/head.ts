import { grad, jit, nn, numpy as np } from '@jax-js/jax';
import type { PolicyConfig } from '../../config.ts';
import { rmsNorm } from './layer.ts';

/** Final norm and output layer over a fixed number of rows, so that one kernel serves all of them. */

export interface JaxHead {
  /** [hidden] */
  readonly norm: np.Array;
  /** [hidden, vocab] */
  readonly matrix: np.Array;
}

/** x [rows, hidden] to log-probabilities of all tokens, [rows, vocab]. */
function allLogprobs(c: PolicyConfig, x: np.Array, head: JaxHead): np.Array {
  const normed = rmsNorm(x, head.norm, c.hiddenSize, c.rmsNormEps);
  return nn.logSoftmax(np.matmul(normed, head.matrix), -1);
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

export interface HeadFunctions {
  /** x [rows, hidden], targets [rows] int32: log-probability and entropy (nats) of each row. */
  scores(
    x: np.Array,
    targets: np.Array,
    head: JaxHead,
  ): { logprobs: np.Array; entropies: np.Array };
  /** ∂/∂x of `Σ c · (−logprob)`, [rows, hidden]. */
  backward(x: np.Array, targets: np.Array, coefficients: np.Array, head: JaxHead): np.Array;
}

export function headFunctions(config: PolicyConfig): HeadFunctions {
  const vocab = config.vocabSize;
  const loss = (x: np.Array, targets: np.Array, coefficients: np.Array, head: JaxHead): np.Array =>
    picked(allLogprobs(config, x, head), targets, vocab)
      .mul(coefficients)
      .sum()
      .neg();
  return {
    scores: jit((x: np.Array, targets: np.Array, head: JaxHead) => {
      const logprobs = allLogprobs(config, x, head);
      const entropies = np.exp(logprobs.ref).mul(logprobs.ref).sum(-1).neg();
      return { logprobs: picked(logprobs, targets, vocab), entropies };
    }),
    backward: jit(grad(loss)),
  };
}

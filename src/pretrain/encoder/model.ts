import { nn, numpy as np } from '@jax-js/jax';
import { NORM_EPSILON, type EncoderConfig } from './weights.ts';

/**
 * The built-in bi-encoder: token and position embeddings, residual convolutions over three tokens
 * (they see names of several pieces, which a bag of tokens does not), gated pooling over the tokens,
 * a projection, L2 normalisation. Queries and passages share it.
 */

/** Parameters as tensors, by the names of `parameterShapes`. */
export type EncoderParams = Record<string, np.Array>;

/**
 * Unit vectors [n, out] of n padded texts: `ids` [n, length] int32, `mask` [n, length] float32 with 1
 * at tokens. Takes over `ids` and `mask`, leaves `params` alone. A text without tokens gives zeros.
 */
export function encode(
  params: EncoderParams,
  config: EncoderConfig,
  ids: np.Array,
  mask: np.Array,
): np.Array {
  const [n = 0, length = 0] = ids.shape;
  const tokenMask = mask.reshape([n, length, 1]);
  const positions = parameter(params, 'positions').slice([0, length]);
  let x = np.take(parameter(params, 'tokens'), ids, 0).add(positions).mul(tokenMask.ref);
  for (let layer = 0; layer < config.layers; layer++) {
    const part = (name: string): np.Array => parameter(params, `conv${layer}.${name}`);
    const inner = nn.silu(np.matmul(withNeighbours(x.ref), part('in')).add(part('inBias')));
    x = x.add(np.matmul(inner, part('out')).add(part('outBias')).mul(tokenMask.ref));
  }
  const gateLogits = np.matmul(x.ref, parameter(params, 'gate')).add(parameter(params, 'gateBias'));
  const pooled = np.sum(x.mul(nn.sigmoid(gateLogits).mul(tokenMask)), 1);
  return normalize(np.matmul(pooled, parameter(params, 'projection')));
}

function parameter(params: EncoderParams, name: string): np.Array {
  const tensor = params[name];
  if (!tensor) throw new Error(`the encoder lacks the parameter ${name}`);
  return tensor.ref;
}

/** [n, length, d] → [n, length, 3d]: the left neighbour, the token, the right neighbour. */
function withNeighbours(x: np.Array): np.Array {
  const [, length = 0] = x.shape;
  const padded = np.pad(x, [
    [0, 0],
    [1, 1],
    [0, 0],
  ]);
  const parts = [0, 1, 2].map((shift) => padded.ref.slice([], [shift, shift + length]));
  padded.dispose();
  return np.concatenate(parts, 2);
}

const normalize = (x: np.Array): np.Array => {
  const squares = np.sum(x.ref.mul(x.ref), 1, { keepdims: true });
  return x.div(np.sqrt(squares.add(NORM_EPSILON)));
};

import { nn, numpy as np } from '@jax-js/jax';
import { encode, type EncoderParams } from './model.ts';
import type { EncoderConfig } from './weights.ts';

/** One batch as tensors. Passages are the b positives in order of the queries, then hard negatives. */
export interface ContrastBatch {
  /** [b, query length] */
  queryIds: np.Array;
  queryMask: np.Array;
  /** [p, passage length], p ≥ b */
  passageIds: np.Array;
  passageMask: np.Array;
  /** [b, p]: 1 where a passage is not a negative of a query though it is not its positive. */
  ignore: np.Array;
}

/** Temperature of the softmax over similarities. */
const TEMPERATURE = 0.05;

/**
 * InfoNCE (van den Oord et al., 2018) over in-batch and hard negatives: the mean of
 * −log softmax(cos(q, p) / τ) at each query's positive. Takes over the batch, leaves `params` alone.
 */
export function infoNce(
  params: EncoderParams,
  config: EncoderConfig,
  batch: ContrastBatch,
): np.Array {
  const [b = 0] = batch.queryIds.shape;
  const [p = 0] = batch.passageIds.shape;
  const queries = encode(params, config, batch.queryIds, batch.queryMask);
  const passages = encode(params, config, batch.passageIds, batch.passageMask);
  const similarities = np.matmul(queries, np.transpose(passages)).div(TEMPERATURE);
  const logits = similarities.sub(batch.ignore.mul(1e4));
  const positives = np.eye(b, p);
  return np.sum(nn.logSoftmax(logits, 1).mul(positives)).div(-b);
}

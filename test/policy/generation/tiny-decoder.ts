import type { PolicyVariant } from '../../../src/policy/checkpoint/config.ts';
import { initWeights, type PolicyWeights } from '../../../src/policy/checkpoint/weights.ts';

/** A decoder of two layers whose logits differ, for tests of the engine. */

export const config = {
  vocabSize: 60,
  hiddenSize: 16,
  layers: 2,
  heads: 2,
  kvHeads: 1,
  headDim: 8,
  intermediateSize: 24,
  rmsNormEps: 1e-6,
  ropeTheta: 10_000,
  tieWordEmbeddings: true,
  maxPositions: 512,
};
/** At their first size the logits are all but equal. */
function larger(made: PolicyWeights): PolicyWeights {
  for (let i = 0; i < made.flat.length; i++) made.flat[i] = 4 * (made.flat[i] ?? 0);
  return made;
}
export const weights = larger(initWeights(config, 5));

const variant: PolicyVariant = {
  family: 'gemma3_text',
  qkNorm: true,
  qkvBias: false,
  oBias: false,
  mlpBias: false,
  rope: { type: 'linear', factor: 8 },
  unturnedLayers: [],
  gate: 'gelu',
  outputNorms: true,
  normOffset: 1,
  embedScale: 4,
  queryScale: 1,
  window: { positions: 11, layers: [0], ropeTheta: 500, rope: { type: 'default' } },
};
/** A Gemma whose window is shorter than the texts. */
export const gemmaWeights = larger(initWeights({ ...config, variant }, 6));

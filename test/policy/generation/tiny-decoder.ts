import { initWeights } from '../../../src/policy/checkpoint/weights.ts';

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
export const weights = initWeights(config, 5);
// At their first size the logits are all but equal.
for (let i = 0; i < weights.flat.length; i++) weights.flat[i] = 4 * (weights.flat[i] ?? 0);

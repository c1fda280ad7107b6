import type { PolicyConfig } from '../../src/policy/checkpoint/config.ts';

/** The shape that both engines run. */
export const BENCH_CONFIG: PolicyConfig = {
  vocabSize: 2048,
  hiddenSize: 192,
  layers: 4,
  heads: 6,
  kvHeads: 3,
  headDim: 32,
  intermediateSize: 512,
  rmsNormEps: 1e-6,
  ropeTheta: 10_000,
  tieWordEmbeddings: true,
  maxPositions: 512,
};

export const BENCH_SEED = 7;

/** Tokens of the prompt of a rollout: 64 to 288, so that contexts end between 288 and 512. */
export const promptLength = (rollout: number): number => 64 + ((rollout * 37) % 225);

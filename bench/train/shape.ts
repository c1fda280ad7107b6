import type { PolicyConfig } from '../../src/policy/checkpoint/config.ts';
import { BENCH_CONFIG } from '../rollout/shape.ts';

/** The shapes that are measured: the built-in policy's (public/policy/config.json), and a wider one. */
export const SHAPES = {
  'built-in': {
    vocabSize: 2304,
    hiddenSize: 128,
    layers: 6,
    heads: 4,
    kvHeads: 2,
    headDim: 32,
    intermediateSize: 384,
    rmsNormEps: 1e-6,
    ropeTheta: 10_000,
    tieWordEmbeddings: true,
    maxPositions: 2048,
  },
  'd=192': BENCH_CONFIG,
} satisfies Record<string, PolicyConfig>;
export type Shape = keyof typeof SHAPES;

export const SHAPE_NAMES = ['built-in', 'd=192'] as const satisfies readonly Shape[];

/** What one step trains on: `tokens / length` sequences of equal length. */
export interface Load {
  tokens: number;
  length: number;
  /** Share of the tokens that are trained; in rollouts the rest is question and search results. */
  share: number;
  rank: number;
}

import { expect, it } from 'vitest';
import { matrixValues, stepFlops } from '../../../src/policy/model/operations.ts';

const config = {
  vocabSize: 10,
  hiddenSize: 4,
  layers: 2,
  heads: 2,
  kvHeads: 1,
  headDim: 2,
  intermediateSize: 6,
  rmsNormEps: 1e-6,
  ropeTheta: 10_000,
  tieWordEmbeddings: true,
  maxPositions: 16,
};

it('counts the products of a LoRA step as they are by hand', () => {
  // A layer: q, k, v 4 · 8, o 4 · 4, gate and up 4 · 12, down 6 · 4.
  expect(matrixValues(config)).toBe(2 * (32 + 16 + 48 + 24));
  const spec = { rank: 1, alpha: 1, targets: ['q_proj' as const] };
  // Adapters: 2 (4 + 4). Three tokens of one context look at 1 + 2 + 3 positions, in 2 layers of width 4.
  const forward = 2 * 3 * (240 + 16) + 4 * 4 * 6 * 2;
  const backward = 2 * 3 * (240 + 2 * 16) + 8 * 4 * 6 * 2;
  const head = 2 * 3 * 4 * 10;
  // Forward, once more for the way back, and back; each with the output matrix.
  expect(stepFlops(config, spec, 3, 3)).toBe(2 * forward + backward + 3 * head);
});

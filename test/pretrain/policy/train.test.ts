import { describe, expect, it } from 'vitest';
import type { PolicyConfig } from '../../../src/policy/checkpoint/config.ts';
import { Random } from '../../../src/base/random.ts';
import { createTrainableWasmOps } from '../../../src/policy/wasm/ops.ts';
import { Trainer } from '../../../src/pretrain/policy/train.ts';
import { packBatch } from '../../../src/policy/lora/train-batch.ts';
import { initWeights } from '../../../src/policy/checkpoint/weights.ts';

const config: PolicyConfig = {
  vocabSize: 40,
  hiddenSize: 24,
  layers: 2,
  heads: 4,
  kvHeads: 2,
  headDim: 8,
  intermediateSize: 16,
  rmsNormEps: 1e-6,
  ropeTheta: 10_000,
  tieWordEmbeddings: true,
  maxPositions: 64,
};
const limits = { maxTokens: 128, maxLength: 64 };

function sequence(length: number, seed: number, weight: (i: number) => number) {
  const random = new Random(seed);
  const ids = Array.from({ length }, () => random.below(config.vocabSize));
  return { ids, weights: ids.map((_, i) => weight(i)) };
}

/** Weights with every parameter away from its special value, so that no gradient vanishes. */
function roughWeights(tied: boolean) {
  const weights = initWeights({ ...config, tieWordEmbeddings: tied }, 7);
  const random = new Random(11);
  for (let i = 0; i < weights.flat.length; i++)
    weights.flat[i] = weights.flat[i]! * 1.5 + 0.05 * random.normal();
  return weights;
}

const batch = packBatch([
  sequence(13, 1, (i) => (i % 3 === 0 ? 0 : 0.5)),
  sequence(43, 2, (i) => (i < 20 ? 0 : 1 + (i % 2))),
  sequence(3, 3, () => 0.25),
]);

const loss = async (trainer: Trainer, flat: Float32Array): Promise<number> => {
  trainer.setWeights(flat);
  const { nll } = await trainer.evaluate(batch);
  return nll.reduce((sum, value, i) => sum + value * batch.weights[i]!, 0);
};

describe('training gradients', () => {
  it.each([
    [true, true],
    [true, false],
    [false, true],
  ])('agree with finite differences (tied %s, relaxed %s)', async (tied, relaxed) => {
    const weights = roughWeights(tied);
    const trainer = await Trainer.create(weights.config, limits, () =>
      createTrainableWasmOps(relaxed && undefined),
    );
    trainer.setWeights(weights.flat);
    trainer.zeroGradients();
    await trainer.accumulate(batch);
    const gradients = (await trainer.gradients()).slice();
    const random = new Random(5);
    for (const slot of weights.slots) {
      // A random direction within one tensor: a single coordinate drowns in float32 rounding.
      const direction = new Float32Array(weights.flat.length);
      random.fillNormal(direction.subarray(slot.offset, slot.offset + slot.length), 1);
      const step = 2e-3 / Math.sqrt(slot.length);
      const moved = (sign: number) => weights.flat.map((w, i) => w + sign * step * direction[i]!);
      const [above, below] = [await loss(trainer, moved(1)), await loss(trainer, moved(-1))];
      const numeric = (above - below) / (2 * step);
      const analytic = gradients.reduce((sum, g, i) => sum + g * direction[i]!, 0);
      const size = Math.hypot(...gradients.subarray(slot.offset, slot.offset + slot.length));
      expect(Math.abs(numeric - analytic), slot.name).toBeLessThan(0.01 * size + 0.003);
    }
  });
});

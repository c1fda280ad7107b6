import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Random } from '../../../src/base/random.ts';
import { parsePolicyConfig } from '../../../src/policy/checkpoint/config.ts';
import { initWeights } from '../../../src/policy/checkpoint/weights.ts';
import { packBatch } from '../../../src/policy/lora/train-batch.ts';
import { trainableOracleOps } from './oracle/learning.ts';
import type { TrainableOps } from '../../../src/policy/ops/trainable.ts';
import { createTrainableWasmOps } from '../../../src/policy/wasm/ops.ts';
import { createTrainableWebGpuOps } from '../../../src/policy/webgpu/learning/ops.ts';
import { Trainer } from '../../../src/pretrain/policy/train.ts';
import { relativeError } from '../lora/numbers.ts';
import { ALL_TESTS } from '../../slow/slow.ts';
import { randomSizes } from './support/builder.ts';
import { difference } from './support/compare.ts';
import { gradientsOf, learner } from './support/learner.ts';
import { nodeGpu } from './support/swiftshader.ts';

let gpu: TrainableOps;
beforeAll(async () => {
  gpu = await createTrainableWebGpuOps({
    gpu: await nodeGpu(),
    without: ['f16', 'subgroups', 'timestamps'],
  });
});
afterAll(async () => {
  await gpu.settled();
  gpu.dispose();
});

const SIZES = Array.from({ length: ALL_TESTS ? 6 : 2 }, (_, i) =>
  randomSizes(new Random(300 + i), 'f32'),
);

describe.each(SIZES)('whole gradients on WebGPU: %o', (s) => {
  it('are those of the oracle, and add up until they are zeroed', async () => {
    const oracle = learner(trainableOracleOps(), 7, s);
    const one = learner(gpu, 7, s);
    for (const each of [oracle, one]) {
      await each.accumulate();
      each.gradients.zero();
      await each.accumulate();
      await each.accumulate();
    }
    const expected = await gradientsOf(oracle);
    for (const [name, got] of Object.entries(await gradientsOf(one)))
      expect(difference(got, expected[name] ?? []), name).toBeLessThan(1e-4);
    const [a, b] = [await oracle.forward(), await one.forward()];
    expect(difference(b.logprobs, a.logprobs)).toBeLessThan(1e-4);
    expect(b.hits).toEqual(a.hits);
  });
});

describe('a decoder that learns whole on WebGPU', () => {
  const config = parsePolicyConfig({
    model_type: 'qwen3',
    vocab_size: 712,
    hidden_size: 72,
    num_hidden_layers: 2,
    num_attention_heads: 4,
    num_key_value_heads: 2,
    head_dim: 24,
    intermediate_size: 136,
    max_position_embeddings: 512,
    tie_word_embeddings: true,
  });
  const limits = { maxTokens: 800, maxLength: 400 };
  /** Enough rows for several splits of every sum, with tokens that occur more than a chunk of times. */
  const random = new Random(3);
  const batch = packBatch(
    [380, 1, 19, 400].map((length) => ({
      ids: Array.from({ length }, (_, i) => (i % 2 ? 5 : random.below(config.vocabSize))),
      weights: Array.from({ length }, (_, i) => (i % 3 ? 0.01 : 0)),
    })),
  );

  const trained = async (start: () => Promise<TrainableOps>) => {
    const trainer = await Trainer.create(config, limits, start);
    const { flat } = initWeights(config, 4);
    // Other values than those that it began with.
    trainer.setWeights(flat.map((value) => 1.5 * value));
    trainer.zeroGradients();
    const { nll, right } = await trainer.accumulate(batch);
    return { nll, right, gradients: (await trainer.gradients()).slice() };
  };

  it('has the losses and gradients of the CPU, and the same bits again', async () => {
    const cpu = await trained(createTrainableWasmOps);
    const first = await trained(() => Promise.resolve(gpu));
    expect(difference(first.nll, cpu.nll)).toBeLessThan(1e-4);
    expect(relativeError(first.gradients, cpu.gradients)).toBeLessThan(1e-5);
    expect(first.right).toEqual(cpu.right);
    const second = await trained(() => Promise.resolve(gpu));
    expect(second.gradients).toEqual(first.gradients);
  });
});

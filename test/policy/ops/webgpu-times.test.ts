import { expect, it, vi } from 'vitest';
import { parsePolicyConfig } from '../../../src/policy/checkpoint/config.ts';
import { sourceOf } from '../../../src/policy/checkpoint/tensor-source.ts';
import { initWeights } from '../../../src/policy/checkpoint/weights.ts';
import { decodeTrial } from '../../../src/policy/measure/trials.ts';
import { uploadDecoder } from '../../../src/policy/model/upload.ts';
import { openOps } from './support/swiftshader.ts';

// A software driver compiles these for a while.
vi.setConfig({ testTimeout: 300_000, hookTimeout: 60_000 });

it('times every kernel of a step where the device has a clock, and none where it has not', async () => {
  const config = parsePolicyConfig({
    model_type: 'qwen2',
    vocab_size: 300,
    hidden_size: 64,
    num_hidden_layers: 2,
    num_attention_heads: 2,
    num_key_value_heads: 1,
    intermediate_size: 96,
    max_position_embeddings: 64,
    tie_word_embeddings: true,
  });
  const ops = await openOps();
  expect(ops.gpu.device.features.timestamps).toBe(true);
  const decoder = await uploadDecoder(ops, sourceOf(initWeights(config, 1)), { type: 'f32' });
  const trial = decodeTrial(decoder, 2, 20);
  await trial.run();
  const times = (await ops.kernelTimes?.(() => trial.run())) ?? [];
  // One to embed, six a layer, three to draw.
  expect(times).toHaveLength(1 + 2 * 6 + 3);
  expect(times.filter(({ kernel }) => kernel.startsWith('few attend'))).toHaveLength(2);
  for (const { seconds } of times) expect(seconds).toBeGreaterThanOrEqual(0);
  expect(times.reduce((sum, { seconds }) => sum + seconds, 0)).toBeGreaterThan(0);
  // Not timed any more: one pass, one submit.
  const before = ops.gpu.encoder.counts.submits;
  await trial.run();
  expect(ops.gpu.encoder.counts.submits - before).toBe(1);
  const plain = await openOps({ without: ['timestamps'] });
  expect(plain.kernelTimes).toBeUndefined();
  plain.dispose();
  ops.dispose();
});

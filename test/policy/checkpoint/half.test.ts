import { beforeAll, describe, expect, it, vi } from 'vitest';
import { prepareNode, prepareNodeWebGpu } from '../../../src/policy/jax/jax-node.ts';
import { packBatch } from '../../../src/policy/lora/train-batch.ts';
import { readLayer } from '../../../src/policy/checkpoint/tensor-source.ts';
import { loraSlots, type LoraTarget } from '../../../src/policy/lora/spec.ts';
import {
  fitsHalf,
  hasShaderF16,
  weightTypeFor,
} from '../../../src/policy/checkpoint/weight-type.ts';
import { loadFamily } from '../../fixtures/families/load.ts';

/**
 * Matrices in halves on a GPU. Where no adapter reads halves (SwiftShader does not), these tests are
 * skipped; e2e/lora-webgpu.test.ts checks the same by jax-js's interpreter everywhere.
 * VK_ICD_FILENAMES chooses Dawn's driver: Mesa's lavapipe, from 25.0 on, reads halves without a GPU.
 */
const hasHalves = await (async () => {
  prepareNode();
  return prepareNodeWebGpu().then(hasShaderF16, () => false);
})();

// A software driver compiles for minutes.
vi.setConfig({ testTimeout: 1_800_000, hookTimeout: 60_000 });

const furthest = (a: ArrayLike<number>, b: ArrayLike<number>): number => {
  expect(a.length).toBe(b.length);
  return Math.max(...Array.from(a, (value, i) => Math.abs(value - b[i]!)));
};

describe.skipIf(!hasHalves)('on an adapter with shader-f16', () => {
  beforeAll(async () => {
    const { defaultDevice, init } = await import('@jax-js/jax');
    await init('webgpu');
    defaultDevice('webgpu');
  });

  it.each(['llama-yarn', 'qwen2', 'smollm3'] as const)(
    '%s in halves generates as transformers does and trains as PEFT does',
    async (name) => {
      const { uploadFrom } = await import('../../../src/policy/engine/device-weights.ts');
      const { GenerationEngine } = await import('../../../src/policy/engine/engine.ts');
      const { createLoraTrainer } = await import('../../../src/policy/open/create.ts');
      const { source, expected, adapter, gradients } = await loadFamily(name);
      const weights = await uploadFrom(source, { type: weightTypeFor(source.dtype, true) });
      expect(weights.head.matrix.dtype).toBe('float16');
      const engine = new GenerationEngine(weights, { maxSlots: 4, sync: false });
      const session = engine.open(1);
      session.append(expected.greedy.prompt);
      const generated = await session.generate({
        maxTokens: expected.greedy.ids.length,
        stopIds: [],
        sampling: { temperature: 0, topK: 0, topP: 1 },
      });
      expect(generated.ids).toEqual(expected.greedy.ids);
      expect(furthest(generated.logprobs, expected.greedy.logprobs)).toBeLessThan(1e-4);
      engine.dispose();

      const limits = { maxTokens: 128, maxLength: 64 };
      const { trainer } = await createLoraTrainer(source, adapter.spec, limits, 'webgpu');
      await trainer.setAdapter(adapter.flat);
      const { logprobs } = await trainer.accumulate(
        packBatch(expected.sequences.map(({ ids }) => ({ ids, weights: ids.map(() => 1) }))),
        () => Float32Array.from(expected.sequences.flatMap((s) => s.coefficients.slice(1))),
      );
      const wanted = expected.sequences.flatMap((s) => s.logprobs.slice(1));
      expect(furthest(logprobs, wanted)).toBeLessThan(1e-4);
      const got = await trainer.gradients();
      for (const { name: factor, offset, length } of loraSlots(source.config, adapter.spec))
        expect(
          furthest(got.subarray(offset, offset + length), gradients.get(factor)!.data),
          factor,
        ).toBeLessThan(1e-3);
      trainer.dispose();
    },
  );
});

describe('the type of the weights on the device', () => {
  it('is f16 only where the checkpoint is stored in 16 bits and the GPU reads halves', () => {
    expect(weightTypeFor('bf16', true)).toBe('f16');
    expect(weightTypeFor('f16', true)).toBe('f16');
    expect(weightTypeFor('f32', true)).toBe('f32');
    expect(weightTypeFor('bf16', false)).toBe('f32');
  });

  it('is f32 for matrices that an adapter was folded into, since halves round small steps away', async () => {
    const { defaultDevice } = await import('@jax-js/jax');
    const { uploadLayer } = await import('../../../src/policy/engine/device-weights.ts');
    defaultDevice('cpu');
    const { source } = await loadFamily('qwen2');
    const layer = await readLayer(source, 0);
    const types = (changed: LoraTarget[]): string[] => {
      const { qkv, o, gateUp, down } = uploadLayer(source.config, layer, 'f16', changed);
      return [qkv, o, gateUp, down].map(({ dtype }) => dtype);
    };
    expect(types([])).toEqual(['float16', 'float16', 'float16', 'float16']);
    expect(types(['v_proj'])).toEqual(['float32', 'float16', 'float16', 'float16']);
    expect(types(['up_proj', 'down_proj', 'o_proj'])).toEqual([
      'float16',
      'float32',
      'float32',
      'float32',
    ]);
    layer.down[3] = 1e5;
    expect(types([])).toEqual(['float16', 'float16', 'float16', 'float32']);
  });

  it('is f32 for a matrix with a value beyond the range of halves', () => {
    expect(fitsHalf(Float32Array.of(0, -65_504, 1e-30))).toBe(true);
    for (const beyond of [65_505, -1e30, Infinity, Number.NaN])
      expect(fitsHalf(Float32Array.of(1, beyond))).toBe(false);
  });
});

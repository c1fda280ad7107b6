import { describe, expect, it } from 'vitest';
import { stepFlops, totalFlops } from '../../../bench/train/flops.ts';
import { parsePolicyConfig } from '../../../src/policy/checkpoint/config.ts';
import { planFit, type FitQuestion } from '../../../src/policy/open/fit.ts';
import { LORA_TARGETS, type LoraTarget } from '../../../src/policy/lora/spec.ts';
import { packBatch } from '../../../src/policy/lora/train-batch.ts';
import { parameterCount } from '../../../src/policy/checkpoint/weights.ts';
import { LLAMA32_1B, QWEN25_05B } from '../../fixtures/published-configs.ts';

/** As its authors published it; only what decides a shape. */
const SMOLLM3_3B = {
  model_type: 'smollm3',
  vocab_size: 128_256,
  hidden_size: 2048,
  num_hidden_layers: 36,
  num_attention_heads: 16,
  num_key_value_heads: 4,
  intermediate_size: 11_008,
  max_position_embeddings: 65_536,
  rope_theta: 5_000_000,
};

const MiB = 2 ** 20;
const roomy = { maxBinding: 4096 * MiB, maxBuffer: 4096 * MiB, memory: 24_576 * MiB };
const question = (changes: Partial<FitQuestion> = {}): FitQuestion => ({
  config: parsePolicyConfig(QWEN25_05B),
  dtype: 'f32',
  slots: 16,
  context: 2048,
  train: null,
  limits: roomy,
  ...changes,
});

describe('published shapes', () => {
  it('have the parameters that their authors state', () => {
    expect(parameterCount(parsePolicyConfig(QWEN25_05B))).toBe(494_032_768);
    expect(parameterCount(parsePolicyConfig(LLAMA32_1B))).toBe(1_235_814_400);
    expect(parameterCount(parsePolicyConfig(SMOLLM3_3B))).toBe(3_075_098_624);
  });

  it('leave out rotary positions in every fourth layer of SmolLM3', () => {
    const { variant } = parsePolicyConfig(SMOLLM3_3B);
    expect(variant?.unturnedLayers).toEqual([3, 7, 11, 15, 19, 23, 27, 31, 35]);
  });
});

describe('Qwen2.5 0.5B, by hand', () => {
  it('weights, cache and operations', () => {
    const plan = planFit(question());
    expect(plan.parameters).toBe(494_032_768);
    // Tied: embedding on the host, the head on the device.
    expect(plan.weightBytes).toBe(4 * 494_032_768);
    expect(plan.hostBytes).toBe(4 * 151_936 * 896);
    // Keys and values: 24 layers, 2 heads of 64, 2048 positions and the ring's 32.
    expect(plan.cacheBytesPerSlot).toBe(2 * 4 * 24 * 2 * 64 * 2080);
    // 24 layers of 14,909,440 and the head, twice; attention over 2048 positions.
    expect(plan.flopsPerToken).toBe(2 * 493_961_216 + 4 * 896 * 24 * 2048);
    expect(plan.largestBuffer).toEqual({ name: 'output projection', bytes: 544_538_624 });
    expect(plan.verdict).toEqual({ kind: 'fits' });
    expect(planFit(question({ dtype: 'f16' })).weightBytes).toBe(2 * 494_032_768);
    // Trained: halves twice, but the sampler's q, k, v (they are one array) are in f32: 24 × 1152 × 896.
    const adapter = { rank: 16, alpha: 32, targets: ['q_proj', 'v_proj'] as LoraTarget[] };
    const trained = planFit(question({ dtype: 'f16', train: { adapter, tokens: 4096 } }));
    expect(trained.weightBytes).toBe(4 * 494_032_768 + 2 * 24_772_608);
  });

  it('operations of a LoRA step are those that the benchmark counts, but for what it saves', () => {
    const { config } = question();
    const adapter = { rank: 16, alpha: 32, targets: [...LORA_TARGETS] };
    const plan = planFit(question({ train: { adapter, tokens: 4096 } }));
    const ids = Array.from({ length: 2048 }, () => 1);
    const batch = packBatch([0, 1].map(() => ({ ids, weights: ids.map(() => 1) })));
    const counted = totalFlops(stepFlops(config, adapter, batch));
    expect(plan.flopsPerStep / counted).toBeGreaterThan(0.95);
    expect(plan.flopsPerStep / counted).toBeLessThan(1.1);
    expect(plan.weightBytes).toBe(2 * 4 * 494_032_768);
    expect(plan.trainBytes).toBeGreaterThan(4 * 24 * 4096 * 896);
  });
});

describe('a device', () => {
  it('that binds at most 128 MiB cannot hold the output projection', () => {
    const limits = { ...roomy, maxBinding: 128 * MiB };
    const { verdict } = planFit(question({ limits }));
    expect(verdict).toEqual({
      kind: 'no',
      why: 'its largest array (output projection) has 0.51 GiB; this device allows 0.13 GiB in one',
    });
  });

  it('with little memory takes fewer contexts', () => {
    const all = planFit(question({ slots: 64 }));
    const limits = { ...roomy, memory: all.totalBytes - 1 };
    const plan = planFit(question({ slots: 64, limits }));
    expect(plan.verdict).toMatchObject({ kind: 'fewer-slots', slots: 32 });
    expect(plan.totalBytes).toBeLessThanOrEqual(limits.memory);
    expect(planFit(question({ limits: { ...roomy, memory: 1024 * MiB } })).verdict).toMatchObject({
      kind: 'no',
      why: expect.stringMatching(/it needs 1\.9\d GiB; 1\.00 GiB are there/) as string,
    });
  });
});

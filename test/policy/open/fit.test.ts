import { readFile, stat } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { stepFlops, totalFlops } from '../../../bench/train/flops.ts';
import { parsePolicyConfig, type PolicyConfig } from '../../../src/policy/checkpoint/config.ts';
import { initAdapter } from '../../../src/policy/lora/init.ts';
import { LORA_TARGETS, type LoraSpec, type LoraTarget } from '../../../src/policy/lora/spec.ts';
import { packBatch } from '../../../src/policy/lora/train-batch.ts';
import { initWeights, parameterCount } from '../../../src/policy/checkpoint/weights.ts';
import { keyTypeFor } from '../../../src/policy/open/device.ts';
import { planFit, type DeviceLimits, type FitQuestion } from '../../../src/policy/open/fit.ts';
import { createPolicy, loadTokenizer } from '../../../src/policy/open/load.ts';
import type { MatrixType, StoreType } from '../../../src/policy/ops/values.ts';
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
const roomy: DeviceLimits = {
  device: 'wasm',
  maxBinding: Infinity,
  maxBuffer: Infinity,
  memory: 24_576 * MiB,
};
const question = (changes: Partial<FitQuestion> = {}): FitQuestion => ({
  config: parsePolicyConfig(QWEN25_05B),
  type: 'f32',
  keys: 'f32',
  slots: 16,
  context: 2048,
  train: null,
  limits: roomy,
  ...changes,
});
const Q_AND_V: LoraSpec = { rank: 16, alpha: 32, targets: ['q_proj', 'v_proj'] };

describe('what contexts are held in', () => {
  const of = (config: object, positions: number): PolicyConfig => ({
    ...parsePolicyConfig(config),
    maxPositions: positions,
  });

  it('is halves on a GPU where they are large, unless someone chooses', () => {
    // 16 contexts of 4,096 tokens, 24,576 bytes per token: 1.5 GiB.
    expect(keyTypeFor(of(QWEN25_05B, 4096), 16, 'webgpu')).toBe('f16');
    expect(keyTypeFor(of(QWEN25_05B, 4096), 16, 'wasm')).toBe('f32');
    // A context of 4,096 tokens: 96 MiB.
    expect(keyTypeFor(of(QWEN25_05B, 4096), 1, 'webgpu')).toBe('f32');
  });

  it('counts by half in f16, of contexts and of nothing else that sampling needs', () => {
    const [whole, halves] = [planFit(question()), planFit(question({ keys: 'f16' }))];
    expect(whole.contextBytes / (24_576 * 16 * 2048)).toBeCloseTo(1, 4);
    expect(halves.contextBytes / whole.contextBytes).toBeCloseTo(0.5, 4);
    const saved = whole.contextBytes - halves.contextBytes;
    expect(halves.totalBytes).toBe(whole.totalBytes - saved);
    const memory = halves.totalBytes;
    expect(planFit(question({ limits: { ...roomy, memory } })).verdict.kind).toBe('fewer-slots');
    const fits = planFit(question({ keys: 'f16', limits: { ...roomy, memory } }));
    expect(fits.verdict).toEqual({ kind: 'fits' });
  });
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
  /** Rows and blocks are rounded up: some kilobytes of it. */
  const nearly =
    (bytes: number, by = 1e-3) =>
    (found: number): void => {
      expect(found).toBeGreaterThanOrEqual(bytes);
      expect(found).toBeLessThan(bytes * (1 + by));
    };

  it('weights, contexts and operations', () => {
    const plan = planFit(question());
    expect(plan.parameters).toBe(494_032_768);
    // Tied: one array is looked up in and multiplied with.
    nearly(4 * 494_032_768)(plan.weightBytes);
    // Keys and values: 24 layers, 2 heads of 64, 16 contexts of 2048 positions.
    nearly(2 * 4 * 24 * 2 * 64 * 16 * 2048)(plan.contextBytes);
    // 24 layers of 14,909,440 and the head, twice; attention over 2048 positions.
    expect(plan.flopsPerToken).toBe(2 * 493_961_216 + 4 * 896 * 24 * 2048);
    expect(plan.largestBuffer.label).toBe('embedding');
    nearly(4 * 151_936 * 896)(plan.largestBuffer.bytes);
    expect(plan.trainBytes).toBe(0);
    expect(plan.verdict).toEqual({ kind: 'fits' });
  });

  it.each<[MatrixType, number]>([
    ['f16', 2],
    // A scale of two bytes for each group of 32.
    ['int8', 1 + 2 / 32],
    ['int4', 1 / 2 + 2 / 32],
  ])('matrices in %s take %f bytes a value; norms and biases stay in float32', (type, bytes) => {
    // 49 norms of 896, and 24 biases of 1152.
    const others = 49 * 896 + 24 * 1152;
    nearly(bytes * 493_961_216 + 4 * others)(planFit(question({ type })).weightBytes);
  });

  it('training shares the weights, keeps the input of each layer, and works in its buffers', () => {
    const train = { adapter: Q_AND_V, limits: { maxTokens: 4096, maxLength: 2048 } };
    const [sampled, trained] = [planFit(question()), planFit(question({ train }))];
    expect(trained.weightBytes).toBe(sampled.weightBytes);
    expect(trained.totalBytes).toBe(sampled.totalBytes + trained.trainBytes);
    // 25 inputs of 896; gate and up and its half; each [4096] in float32.
    const inputs = 4 * 4096 * 25 * 896;
    const inner = 4 * 4096 * 3 * 4864;
    expect(trained.trainBytes).toBeGreaterThan(inputs + inner);
    // All else is a few dozen rows as wide as the stream.
    expect(trained.trainBytes).toBeLessThan(inputs + inner + 4 * 4096 * 40 * 896);
  });

  it('operations of a LoRA step are those that the benchmark counts, but for what it saves', () => {
    const { config } = question();
    const adapter = { rank: 16, alpha: 32, targets: [...LORA_TARGETS] };
    const plan = planFit(
      question({ train: { adapter, limits: { maxTokens: 4096, maxLength: 2048 } } }),
    );
    const ids = Array.from({ length: 2048 }, () => 1);
    const batch = packBatch([0, 1].map(() => ({ ids, weights: ids.map(() => 1) })));
    const counted = totalFlops(stepFlops(config, adapter, batch));
    expect(plan.flopsPerStep / counted).toBeGreaterThan(0.95);
    expect(plan.flopsPerStep / counted).toBeLessThan(1.1);
  });
});

describe('a device', () => {
  it('that takes at most 128 MiB in one array is told which one is larger', () => {
    const limits = { ...roomy, maxBinding: 128 * MiB };
    const { verdict } = planFit(question({ limits }));
    expect(verdict).toEqual({
      kind: 'no',
      why: 'its largest array (embedding) has 0.54 GB; this device allows 0.13 GB in one',
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
      why: expect.stringMatching(/it needs 2\.\d\d GB, and this device gives 1\.07 GB/) as string,
    });
  });
});

describe('a policy that fills its contexts and trains beside them', () => {
  const tokenizerFolder = new URL('../../fixtures/qwen3-tiny/', import.meta.url);
  const tokenizer = () =>
    loadTokenizer({
      size: async (name) =>
        stat(new URL(name, tokenizerFolder)).then(
          ({ size }) => size,
          () => null,
        ),
      readRange: async (name, from, to) =>
        new Uint8Array(await readFile(new URL(name, tokenizerFolder))).subarray(from, to),
    });

  const shape = {
    model_type: 'qwen2',
    vocab_size: 480,
    hidden_size: 128,
    num_hidden_layers: 3,
    num_attention_heads: 4,
    num_key_value_heads: 2,
    intermediate_size: 320,
    max_position_embeddings: 192,
    rope_theta: 1e6,
    tie_word_embeddings: true,
  };

  it.each<[string, MatrixType, StoreType, object, LoraTarget[]]>([
    ['in f32', 'f32', 'f32', {}, ['q_proj', 'v_proj']],
    [
      'in int4, every matrix adapted, contexts in f16',
      'int4',
      'f16',
      { hidden_size: 192 },
      [...LORA_TARGETS],
    ],
    [
      'of 8,001 tokens with an output matrix of its own',
      'f16',
      'f32',
      { vocab_size: 8001, tie_word_embeddings: false },
      ['down_proj'],
    ],
  ])('holds what was planned: %s', async (_, type, keys, changes, targets) => {
    const config = parsePolicyConfig({ ...shape, ...changes });
    const [slots, context] = [5, config.maxPositions];
    const adapter: LoraSpec = { rank: 8, alpha: 16, targets };
    const limits = { maxTokens: 512, maxLength: context };
    const plan = planFit(
      question({ config, type, keys, slots, context, train: { adapter, limits } }),
    );

    const info = { id: 'random', revision: '', dtype: 'f32' };
    const policy = await createPolicy(initWeights(config, 3), await tokenizer(), info, {
      device: 'wasm',
      maxSlots: slots,
      weights: type,
      keys,
    });
    const sampling = { temperature: 1, topK: 0, topP: 0.9 };
    const sessions = await Promise.all(Array.from({ length: slots }, (__, i) => policy.open(i)));
    await Promise.all(
      sessions.map((session) => {
        session.append(Array.from({ length: 100 }, (__, i) => i + 1));
        return session.generate({ maxTokens: context, stopIds: [], sampling });
      }),
    );
    expect(sessions.map(({ length }) => length)).toEqual(Array(slots).fill(context));

    const trainer = policy.trainer(adapter, limits);
    const ids = Array.from({ length: 170 }, (__, i) => i + 7);
    const batch = packBatch([0, 1, 2].map(() => ({ ids, weights: ids.map(() => 1) })));
    await trainer.setAdapter(initAdapter(config, adapter, 1));
    await trainer.accumulate(batch, ({ logprobs }) => logprobs.map(() => 1));
    expect(trainer.bytes / plan.totalBytes).toBeGreaterThan(0.85);
    expect(trainer.bytes / plan.totalBytes).toBeLessThan(1.15);
    trainer.dispose();
    policy.dispose();
  });
});

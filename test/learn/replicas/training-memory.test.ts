import { describe, expect, it } from 'vitest';
import {
  memoryRefusal,
  trainingMemory,
  trainingPlan,
  type TrainingQuestion,
} from '../../../src/learn/replicas/training-memory.ts';
import { cacheLimits } from '../../../src/policy/checkpoint/limits.ts';
import { parsePolicyConfig } from '../../../src/policy/checkpoint/config.ts';

/** One count of what training holds, and what would fit where it does not. */

const config = parsePolicyConfig({
  architectures: ['LlamaForCausalLM'],
  model_type: 'llama',
  hidden_size: 576,
  intermediate_size: 1536,
  num_hidden_layers: 30,
  num_attention_heads: 9,
  num_key_value_heads: 3,
  vocab_size: 49_152,
  max_position_embeddings: 8192,
  rms_norm_eps: 1e-5,
  rope_theta: 100_000,
  tie_word_embeddings: true,
  hidden_act: 'silu',
});
const GB = 1e9;

/** SmolLM2-135M, as the page trains it on two engines of WebAssembly. */
const question = (memory: number, change: Partial<TrainingQuestion> = {}): TrainingQuestion => ({
  config,
  type: 'f32',
  keys: 'f32',
  contexts: cacheLimits(config),
  adapter: { rank: 16, alpha: 32, targets: ['q_proj', 'v_proj'] },
  engines: 2,
  limits: { device: 'wasm', maxBinding: Infinity, maxBuffer: Infinity, memory },
  ...change,
});

describe('what training holds', () => {
  it('is counted for one engine, with contexts as long as it makes them', () => {
    const whole = trainingMemory(question(2 ** 32));
    // 16 contexts of 4,096 tokens, of the 8,192 that the model has.
    expect(whole).toMatchObject({ engines: 2, slots: 16, wanted: 16, refusal: null });
    // What a step adds for its own time takes the rest of the memory.
    expect(trainingPlan(question(2 ** 32)).totalBytes / GB).toBeCloseTo(4.14, 2);
    expect(whole.engineBytes).toBe(2 ** 32);
    // Eight rollouts at a time are four in each engine.
    const few = trainingMemory(question(2 ** 32, { rollouts: 8 }));
    expect(few).toMatchObject({ slots: 4, wanted: 4 });
    const held = trainingPlan(question(2 ** 32, { rollouts: 8 }));
    expect(held.totalBytes / GB).toBeCloseTo(1.88, 2);
    expect(few.engineBytes).toBe(held.totalBytes + held.stepBytes);
    expect(held.stepBytes).toBeGreaterThan(0.5 * 2 ** 30);
    expect(held.stepBytes).toBeLessThanOrEqual(2 ** 30);
  });

  it('is less with fewer rollouts at a time, where memory is short', () => {
    const tight = trainingMemory(question(2 * GB));
    expect(tight).toMatchObject({ slots: 4, wanted: 16, refusal: null });
    expect(tight.engineBytes).toBeLessThanOrEqual(2 * GB);
    expect(memoryRefusal(tight, 'on Models')).toBeNull();
  });
});

describe('a run that does not fit', () => {
  it('is refused with the types of weights that would', () => {
    const small = trainingMemory(question(1.2 * GB));
    expect(small.slots).toBe(0);
    expect(small.refusal?.instead.types.map(({ type }) => type)).toEqual(['f16', 'int8', 'int4']);
    for (const { engineBytes } of small.refusal?.instead.types ?? [])
      expect(engineBytes).toBeLessThan(1.2 * GB);
    expect(memoryRefusal(small, 'by --weights')).toMatch(
      /^Training does not fit this device: with one rollout at a time it needs 1\.31 GB, and this device gives 1\.20 GB\. It would fit with its weights as f16 \([\d.]+ GB\) or int8 .* chosen by --weights\.$/u,
    );
  });

  it('or with the size of a model that would', () => {
    const tiny = trainingMemory(question(0.55 * GB));
    const { types, parameters } = tiny.refusal!.instead;
    expect(types).toEqual([]);
    expect(parameters).toBeGreaterThan(28e6);
    expect(parameters).toBeLessThan(134e6);
    expect(memoryRefusal(tiny, 'on Models')).toMatch(/with at most \d+ M parameters\.$/u);
    const none = trainingMemory(question(0.1 * GB));
    expect(memoryRefusal(none, 'on Models')).toMatch(/Take a smaller model\.$/u);
  });

  it('or on a GPU of this machine', () => {
    const gpu = {
      device: 'webgpu' as const,
      maxBinding: 2 ** 31,
      maxBuffer: 2 ** 31,
      memory: 8 * GB,
    };
    expect(trainingMemory(question(0.1 * GB), gpu).refusal?.instead.gpu).toBe(true);
    expect(memoryRefusal(trainingMemory(question(0.1 * GB), gpu), 'on Models')).toContain(
      'on a GPU',
    );
  });
});

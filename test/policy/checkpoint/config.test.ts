import { describe, expect, it } from 'vitest';
import { parsePolicyConfig, toHuggingFaceConfig } from '../../../src/policy/checkpoint/config.ts';
import { parameterCount } from '../../../src/policy/checkpoint/weights.ts';
import { ropeFrequencies, ropeTables } from '../../../src/policy/checkpoint/rope.ts';
import { Trainer } from '../../../src/pretrain/policy/train.ts';

const llama = {
  architectures: ['LlamaForCausalLM'],
  model_type: 'llama',
  vocab_size: 64,
  hidden_size: 32,
  num_hidden_layers: 4,
  num_attention_heads: 4,
  num_key_value_heads: 2,
  intermediate_size: 40,
  max_position_embeddings: 4096,
};
const ropeOf = (changes: object) => parsePolicyConfig({ ...llama, ...changes }).variant!.rope;

describe('families', () => {
  it.each([
    ['llama', { qkNorm: false, qkvBias: false, oBias: false, mlpBias: false }],
    ['qwen2', { qkNorm: false, qkvBias: true, oBias: false, mlpBias: false }],
    ['smollm3', { qkNorm: false, qkvBias: false, unturnedLayers: [3] }],
  ])('%s has the parts that transformers gives it', (model_type, variant) => {
    expect(parsePolicyConfig({ ...llama, model_type }).variant).toMatchObject({
      family: model_type,
      ...variant,
    });
  });

  it('are known by the architecture where model_type is missing', () => {
    const { model_type: _, ...rest } = llama;
    expect(parsePolicyConfig(rest).variant?.family).toBe('llama');
  });

  it('have the defaults of transformers', () => {
    expect(parsePolicyConfig(llama)).toMatchObject({
      headDim: 8,
      ropeTheta: 10_000,
      tieWordEmbeddings: false,
    });
    expect(parsePolicyConfig({ ...llama, model_type: 'smollm3' })).toMatchObject({
      ropeTheta: 2_000_000,
      tieWordEmbeddings: true,
    });
    const listed = { ...llama, model_type: 'smollm3', no_rope_layers: [0, 1, 1, 0] };
    expect(parsePolicyConfig(listed).variant?.unturnedLayers).toEqual([0, 3]);
  });

  it.each([
    [
      { model_type: 'gemma2' },
      'model_type is "gemma2"; llama, qwen2, qwen3, smollm3, gemma3_text are supported',
    ],
    [{ hidden_act: 'gelu' }, 'hidden_act is "gelu"; only "silu" is supported'],
    [{ quantization_config: { bits: 4 } }, 'quantization_config is given'],
    [{ partial_rotary_factor: 0.5 }, 'partial_rotary_factor is 0.5'],
    [{ rope_scaling: { rope_type: 'longrope', factor: 4 } }, 'rope_type is "longrope"'],
    [{ rope_scaling: { type: 'linear' } }, 'rope_type "linear" needs factor, which is missing'],
    [{ rope_scaling: { type: 'linear', factor: -2 } }, 'rope factor is -2; it must be above 0'],
    [
      { rope_parameters: { full_attention: { rope_type: 'default' } } },
      'rope_parameters.full_attention is given by kind of layer',
    ],
    [
      { model_type: 'qwen2', use_sliding_window: true, sliding_window: 1024 },
      'use_sliding_window is true with sliding_window 1024, less than the 4096 positions',
    ],
    [
      { model_type: 'qwen2', layer_types: ['linear_attention'] },
      'layer_types has "linear_attention"; only "full_attention" is supported',
    ],
    [{ model_type: 'smollm3', no_rope_layers: [1] }, 'no_rope_layers has 1 entries'],
    [{ num_attention_heads: 5 }, 'head_dim is missing and hidden_size is not a multiple'],
    [{ num_hidden_layers: 5000 }, 'num_hidden_layers: '],
  ])('refuse %o with field and value', (change, message) => {
    expect(() => parsePolicyConfig({ ...llama, ...change })).toThrow(message);
  });

  const GEMMA_270M = {
    architectures: ['Gemma3ForCausalLM'],
    model_type: 'gemma3_text',
    torch_dtype: 'bfloat16',
    attn_logit_softcapping: null,
    final_logit_softcapping: null,
    head_dim: 256,
    hidden_activation: 'gelu_pytorch_tanh',
    hidden_size: 640,
    intermediate_size: 2048,
    layer_types: Array.from({ length: 18 }, (_, l) =>
      (l + 1) % 6 === 0 ? 'full_attention' : 'sliding_attention',
    ),
    max_position_embeddings: 32_768,
    num_attention_heads: 4,
    num_hidden_layers: 18,
    num_key_value_heads: 1,
    query_pre_attn_scalar: 256,
    rms_norm_eps: 1e-6,
    rope_local_base_freq: 10_000.0,
    rope_scaling: null,
    rope_theta: 1_000_000.0,
    sliding_window: 512,
    use_bidirectional_attention: false,
    vocab_size: 262_144,
  };

  it('read Gemma 3 270M as its authors publish it', () => {
    const config = parsePolicyConfig(GEMMA_270M);
    expect(config).toMatchObject({ headDim: 256, ropeTheta: 1e6, tieWordEmbeddings: true });
    expect(config.variant).toMatchObject({
      family: 'gemma3_text',
      qkNorm: true,
      gate: 'gelu',
      outputNorms: true,
      normOffset: 1,
      // √640 = 25.298 in bfloat16
      embedScale: 25.25,
      queryScale: 1,
      window: { positions: 512, ropeTheta: 10_000, rope: { type: 'default' } },
    });
    const full = Array.from({ length: 18 }, (_, l) => l).filter(
      (l) => !config.variant?.window?.layers.includes(l),
    );
    expect(full).toEqual([5, 11, 17]);
    expect(parameterCount(config)).toBe(268_098_176);
    const { layer_types: _, ...older } = { ...GEMMA_270M, sliding_window_pattern: 6 };
    expect(parsePolicyConfig(older)).toEqual(config);
    const { rope_theta: _a, rope_local_base_freq: _b, rope_scaling: _c, ...rest } = GEMMA_270M;
    const kinds = {
      full_attention: { rope_type: 'default', rope_theta: 1e6 },
      sliding_attention: { rope_type: 'default', rope_theta: 1e4 },
    };
    expect(parsePolicyConfig({ ...rest, rope_parameters: kinds })).toEqual(config);
    expect(parsePolicyConfig({ ...GEMMA_270M, torch_dtype: 'float32' }).variant?.embedScale).toBe(
      Math.fround(Math.sqrt(640)),
    );
  });

  it('read the text part of a Gemma 3 with images, which leaves out what is assumed', () => {
    const config = parsePolicyConfig({
      architectures: ['Gemma3ForConditionalGeneration'],
      model_type: 'gemma3',
      torch_dtype: 'bfloat16',
      text_config: {
        hidden_size: 2560,
        intermediate_size: 10_240,
        model_type: 'gemma3_text',
        num_hidden_layers: 34,
        rope_scaling: { factor: 8.0, rope_type: 'linear' },
        sliding_window: 1024,
      },
      vision_config: { hidden_size: 1152 },
    });
    expect(config).toMatchObject({
      layers: 34,
      heads: 8,
      kvHeads: 4,
      headDim: 256,
      ropeTheta: 1e6,
    });
    expect(config.variant).toMatchObject({
      rope: { type: 'linear', factor: 8 },
      embedScale: 50.5,
      window: { positions: 1024, ropeTheta: 10_000, rope: { type: 'default' } },
    });
  });

  it.each([
    [{ final_logit_softcapping: 30 }, 'final_logit_softcapping is 30; only null is supported'],
    [{ hidden_activation: 'relu' }, 'hidden_activation is "relu"; only "gelu_pytorch_tanh"'],
    [{ use_bidirectional_attention: true }, 'use_bidirectional_attention is true'],
    [{ sliding_window: null }, 'sliding_window is missing; a positive whole number is needed'],
    [{ layer_types: ['full_attention'] }, 'layer_types has 1 entries, num_hidden_layers is 18'],
  ])('refuse a Gemma 3 with %o', (change, message) => {
    expect(() => parsePolicyConfig({ ...GEMMA_270M, ...change })).toThrow(message);
  });

  it('name every fault at once', () => {
    expect(() => parsePolicyConfig({ ...llama, hidden_act: 'gelu', head_dim: 7 })).toThrow(
      /hidden_act.*head_dim/,
    );
  });

  it('slide no window where it is as long as a context', () => {
    const sliding = {
      ...llama,
      model_type: 'qwen2',
      use_sliding_window: true,
      sliding_window: 1024,
    };
    expect(parsePolicyConfig(sliding, 1024).maxPositions).toBe(1024);
    expect(() => parsePolicyConfig(sliding, 1025)).toThrow('sliding_window 1024');
  });

  it('that are not plain Qwen3 are trained by LoRA only, and keep their own config.json', async () => {
    const config = parsePolicyConfig(llama);
    await expect(Trainer.create(config, { maxTokens: 8, maxLength: 8 })).rejects.toThrow(
      'a llama decoder trains by LoRA',
    );
    expect(() => toHuggingFaceConfig(config)).toThrow('keep the one of its checkpoint');
  });
});

describe('rotary settings', () => {
  const llama3 = {
    factor: 8,
    low_freq_factor: 1,
    high_freq_factor: 4,
    original_max_position_embeddings: 32,
  };

  it('mean the same in both spellings, with either name of the type', () => {
    const wanted = ropeOf({ rope_parameters: { rope_type: 'llama3', rope_theta: 5e5, ...llama3 } });
    expect(ropeOf({ rope_theta: 5e5, rope_scaling: { rope_type: 'llama3', ...llama3 } })).toEqual(
      wanted,
    );
    expect(ropeOf({ rope_theta: 5e5, rope_scaling: { type: 'llama3', ...llama3 } })).toEqual(
      wanted,
    );
    expect(wanted).toEqual({
      type: 'llama3',
      factor: 8,
      lowFrequencyFactor: 1,
      highFrequencyFactor: 4,
      originalPositions: 32,
    });
  });

  it('scale llama3’s long waves only, by a ramp', () => {
    // theta 16, head 8: frequencies 1, 1/2, 1/4, 1/8; waves of 6.28, 12.57, 25.1, 50.3 positions.
    const scaling = ropeOf({ rope_scaling: { rope_type: 'llama3', ...llama3 } });
    const got = ropeFrequencies(8, 16, scaling);
    // Below 32 / 4 as they are; above 32 / 1 an eighth; between, smooth = (32 / wave − 1) / 3.
    const ramp = (f: number): number => {
      const smooth = ((32 * f) / (2 * Math.PI) - 1) / 3;
      return ((1 - smooth) * f) / 8 + smooth * f;
    };
    [1, ramp(0.5), ramp(0.25), 1 / 64].forEach((f, i) => expect(got[i]).toBeCloseTo(f, 12));
  });

  it('divide by the factor where linear, and multiply cos and sin where yarn', () => {
    expect([...ropeFrequencies(4, 100, { type: 'linear', factor: 4 })]).toEqual([0.25, 0.025]);
    const yarn = ropeOf({ rope_scaling: { type: 'yarn', factor: 4 } });
    // 0.1 ln 4 + 1
    expect(yarn).toMatchObject({ attentionFactor: 1.138629436111989, originalPositions: 4096 });
    expect(ropeTables(1, 8, 10_000, yarn).cos[0]).toBeCloseTo(1.138629, 6);
  });

  it('of dynamic NTK hold up to the length of pretraining, and contexts stay within it', () => {
    const config = parsePolicyConfig(
      { ...llama, rope_scaling: { type: 'dynamic', factor: 2 } },
      10_000,
    );
    expect(config.variant?.rope).toEqual({ type: 'default' });
    expect(config.maxPositions).toBe(4096);
  });

  it('give the same tables in pieces', () => {
    const all = ropeTables(50, 8, 10_000);
    const rest = ropeTables(50, 8, 10_000, { type: 'default' }, 20);
    expect(rest.cos).toEqual(all.cos.slice(20 * 4));
    expect(rest.sin).toEqual(all.sin.slice(20 * 4));
  });
});

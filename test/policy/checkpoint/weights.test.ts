import { describe, expect, it } from 'vitest';
import { parsePolicyConfig, toHuggingFaceConfig } from '../../../src/policy/checkpoint/config.ts';
import { readSafetensors } from '../../../src/policy/checkpoint/safetensors.ts';
import {
  initWeights,
  parameterCount,
  readWeights,
  viewWeights,
  weightsFromTensors,
  writeWeights,
} from '../../../src/policy/checkpoint/weights.ts';

const json = {
  architectures: ['Qwen3ForCausalLM'],
  model_type: 'qwen3',
  vocab_size: 32,
  hidden_size: 16,
  num_hidden_layers: 2,
  num_attention_heads: 4,
  num_key_value_heads: 2,
  head_dim: 8,
  intermediate_size: 24,
  rms_norm_eps: 1e-6,
  rope_theta: 10000,
  tie_word_embeddings: true,
  max_position_embeddings: 128,
};
const config = parsePolicyConfig(json);

describe('config.json', () => {
  it('round-trips', () => {
    expect(parsePolicyConfig(toHuggingFaceConfig(config))).toEqual(config);
  });

  it('derives what older files leave out', () => {
    const { head_dim: _, num_key_value_heads: __, rope_theta: ___, ...rest } = json;
    const parsed = parsePolicyConfig({ ...rest, rope_parameters: { rope_theta: 5e5 } });
    expect(parsed).toMatchObject({ headDim: 4, kvHeads: 4, ropeTheta: 5e5 });
  });

  it.each([
    [{ hidden_size: undefined }, /hidden_size/],
    [{ vocab_size: -1 }, /vocab_size/],
    [{ model_type: 'gemma3' }, /model_type is "gemma3"; llama, qwen2, qwen3, smollm3/],
    [{ num_key_value_heads: 3 }, /not a multiple of num_key_value_heads \(3\)/],
    [{ head_dim: 7 }, /head_dim \(7\) is odd/],
    [{ rope_scaling: { rope_type: 'longrope' } }, /rope_type is "longrope"/],
  ])('refuses %o', (change, message) => {
    expect(() => parsePolicyConfig({ ...json, ...change })).toThrow(message);
  });
});

describe('weights', () => {
  it('have the number of parameters that the shape implies', () => {
    // embed 32·16; per layer q, o 2·32·16, k, v 2·16·16, MLP 3·24·16, norms 2·16 + 2·8; norm 16.
    expect(parameterCount(config)).toBe(512 + 2 * (1024 + 512 + 1152 + 48) + 16);
    expect(parameterCount({ ...config, tieWordEmbeddings: false })).toBe(
      parameterCount(config) + 512,
    );
  });

  it('stack q, k, v and gate, up without copying', () => {
    const { layers } = initWeights(config, 1);
    const { q, k, v, qkv, gate, up, gateUp } = layers[1]!;
    expect([...qkv]).toEqual([...q, ...k, ...v]);
    expect([...gateUp]).toEqual([...gate, ...up]);
    expect(qkv.buffer).toBe(q.buffer);
  });

  it('start the same from the same seed only', () => {
    expect(initWeights(config, 4).flat).toEqual(initWeights(config, 4).flat);
    expect(initWeights(config, 4).flat).not.toEqual(initWeights(config, 5).flat);
  });

  it('survive the file in f32, with the names of Hugging Face', () => {
    const weights = initWeights(config, 2);
    const bytes = writeWeights(weights, 'F32');
    expect(readWeights(config, bytes).flat).toEqual(weights.flat);
    expect([...readSafetensors(bytes).keys()]).toContain('model.layers.1.self_attn.k_norm.weight');
  });

  it('lose less than a half-precision step in f16', () => {
    const weights = initWeights(config, 2);
    const back = readWeights(config, writeWeights(weights, 'F16')).flat;
    back.forEach((value, i) => {
      const w = weights.flat[i]!;
      expect(Math.abs(value - w)).toBeLessThanOrEqual(Math.abs(w) * 2 ** -11 + 2 ** -25);
    });
  });

  it('name a missing and a misshapen tensor', () => {
    const tensors = readSafetensors(writeWeights(initWeights(config, 2), 'F32'));
    expect(() => weightsFromTensors({ ...config, intermediateSize: 32 }, tensors)).toThrow(
      'weights: tensor "model.layers.0.mlp.gate_proj.weight" has shape [24, 16], config.json asks for [32, 16]',
    );
    tensors.delete('model.norm.weight');
    expect(() => weightsFromTensors(config, tensors)).toThrow(
      'weights: tensor "model.norm.weight" is missing',
    );
    expect(() => viewWeights(config, new Float32Array(3))).toThrow('3 values given');
  });
});

describe('untrained weights', () => {
  const shape = {
    vocabSize: 400,
    hiddenSize: 64,
    layers: 8,
    heads: 4,
    kvHeads: 2,
    headDim: 16,
    intermediateSize: 96,
    rmsNormEps: 1e-6,
    ropeTheta: 10_000,
    tieWordEmbeddings: false,
    maxPositions: 64,
  };
  const weights = initWeights(shape, 3);
  const deviations = new Map(
    weights.slots.map(({ name, offset, length }) => {
      const values = weights.flat.subarray(offset, offset + length);
      return [name, Math.sqrt(values.reduce((sum, v) => sum + v * v, 0) / length)];
    }),
  );
  const share = (name: string, wanted: number): void =>
    expect((deviations.get(name) ?? Number.NaN) / wanted).toBeCloseTo(1, 1);

  it('keep the size of what they multiply: deviation 1 / √inputs', () => {
    share('model.layers.0.self_attn.q_proj.weight', 1 / 8);
    share('model.layers.7.mlp.up_proj.weight', 1 / 8);
    share('model.embed_tokens.weight', 0.02);
  });

  it('that write into the residual stream are smaller by √(2 · layers), as in GPT-2', () => {
    share('model.layers.0.self_attn.o_proj.weight', 1 / 8 / 4);
    share('model.layers.7.mlp.down_proj.weight', 1 / Math.sqrt(96) / 4);
  });

  it('of norms are 1, and all follow from the seed', () => {
    expect(deviations.get('model.norm.weight')).toBe(1);
    const same = (seed: number): boolean =>
      initWeights(shape, seed).flat.every((value, i) => value === weights.flat[i]);
    expect([same(3), same(4)]).toEqual([true, false]);
  });
});

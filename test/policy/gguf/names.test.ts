import { describe, expect, test } from 'vitest';
import { parsePolicyConfig } from '../../../src/policy/checkpoint/config.ts';
import { parameterSlots } from '../../../src/policy/checkpoint/weights.ts';
import {
  ggufName,
  huggingFaceName,
  interleavedHeads,
  interleavedRow,
} from '../../../src/policy/gguf/names.ts';

const shape = {
  vocab_size: 64,
  hidden_size: 32,
  num_hidden_layers: 12,
  num_attention_heads: 4,
  num_key_value_heads: 2,
  intermediate_size: 48,
  tie_word_embeddings: false,
};

describe('names of tensors', () => {
  test.each(['llama', 'qwen2', 'qwen3', 'smollm3'] as const)(
    'every parameter of a %s model has a name in GGUF, and it leads back',
    (architecture) => {
      const config = parsePolicyConfig({
        ...shape,
        model_type: architecture,
        attention_bias: true,
        mlp_bias: true,
      });
      for (const { name } of parameterSlots(config)) {
        const there = ggufName(architecture, name);
        expect(there, name).not.toBeNull();
        expect(huggingFaceName(architecture, there!)).toBe(name);
      }
    },
  );

  test('names are those of files that llama.cpp made', () => {
    const known = [
      ['model.embed_tokens.weight', 'token_embd.weight'],
      ['model.norm.weight', 'output_norm.weight'],
      ['lm_head.weight', 'output.weight'],
      ['model.layers.11.input_layernorm.weight', 'blk.11.attn_norm.weight'],
      ['model.layers.0.self_attn.q_proj.bias', 'blk.0.attn_q.bias'],
      ['model.layers.0.self_attn.o_proj.weight', 'blk.0.attn_output.weight'],
      ['model.layers.0.post_attention_layernorm.weight', 'blk.0.ffn_norm.weight'],
      ['model.layers.0.mlp.down_proj.weight', 'blk.0.ffn_down.weight'],
    ] as const;
    for (const [hf, gguf] of known) {
      expect(ggufName('qwen2', hf)).toBe(gguf);
      expect(huggingFaceName('qwen2', gguf)).toBe(hf);
    }
    const gemma = [
      ['post_attention_layernorm', 'post_attention_norm'],
      ['pre_feedforward_layernorm', 'ffn_norm'],
      ['post_feedforward_layernorm', 'post_ffw_norm'],
      ['self_attn.q_norm', 'attn_q_norm'],
    ] as const;
    for (const [hf, gguf] of gemma) {
      expect(ggufName('gemma3', `model.layers.3.${hf}.weight`)).toBe(`blk.3.${gguf}.weight`);
      expect(huggingFaceName('gemma3', `blk.3.${gguf}.weight`)).toBe(`model.layers.3.${hf}.weight`);
    }
  });

  test('a name that is none of the table is null', () => {
    expect(huggingFaceName('llama', 'rope_freqs.weight')).toBeNull();
    expect(huggingFaceName('llama', 'blk.0.ffn_gate_exps.weight')).toBeNull();
    expect(ggufName('llama', 'model.layers.0.self_attn.rotary_emb.inv_freq')).toBeNull();
  });

  test('rows of q and k are interleaved where llama.cpp turns neighbours', () => {
    const q = 'model.layers.0.self_attn.q_proj.weight';
    expect(interleavedHeads('llama', q)).toBe('heads');
    expect(interleavedHeads('smollm3', q.replace('q_proj', 'k_proj'))).toBe('kvHeads');
    expect(interleavedHeads('llama', q.replace('q_proj', 'v_proj'))).toBeNull();
    expect(interleavedHeads('qwen2', q)).toBeNull();
    // Two heads of 6 rows: as numpy's reshape(2, 3, 2).swapaxes(1, 2).
    const rows = Array.from({ length: 12 }, (_, row) => interleavedRow(row, 6));
    expect(rows).toEqual([0, 2, 4, 1, 3, 5, 6, 8, 10, 7, 9, 11]);
  });
});

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Random } from '../../src/base/random.ts';
import { parsePolicyConfig } from '../../src/policy/checkpoint/config.ts';
import { EMBED, HEAD, initWeights, writeWeights } from '../../src/policy/checkpoint/weights.ts';
import { writePeft } from '../../src/policy/lora/peft.ts';
import { LORA_TARGETS, loraSize } from '../../src/policy/lora/spec.ts';
import { vocabulary } from '../rollout/gguf.ts';

/** Small models that differ in what a GGUF file must say of them. */

const SHAPE = {
  vocab_size: 1024,
  hidden_size: 128,
  intermediate_size: 256,
  num_hidden_layers: 4,
  num_attention_heads: 4,
  num_key_value_heads: 2,
  max_position_embeddings: 2048,
  rms_norm_eps: 1e-6,
  hidden_act: 'silu',
};

const CONFIGS = {
  // Rows of q and k in another order, factors of the rotary frequencies, an output matrix.
  llama: {
    ...SHAPE,
    model_type: 'llama',
    rope_theta: 5e5,
    rope_scaling: {
      rope_type: 'llama3',
      factor: 8,
      low_freq_factor: 1,
      high_freq_factor: 4,
      original_max_position_embeddings: 256,
    },
    tie_word_embeddings: false,
  },
  // Biases.
  qwen2: { ...SHAPE, model_type: 'qwen2', rope_theta: 1e6, tie_word_embeddings: true },
  // Norms of queries and keys, heads that are wider than the hidden size says.
  qwen3: {
    ...SHAPE,
    model_type: 'qwen3',
    head_dim: 64,
    rope_theta: 1e6,
    tie_word_embeddings: true,
  },
} as const;

export type RandomFamily = keyof typeof CONFIGS;
export const RANDOM_FAMILIES = Object.keys(CONFIGS) as RandomFamily[];

/** Initial logits are almost equal; with larger ones the likeliest token is one that rounding does not change. */
const SHARPER = 15;

function tokenizer(size: number): object {
  const tokens = vocabulary(size);
  return {
    version: '1.0',
    added_tokens: [{ id: size - 1, content: '<|end|>', special: true, normalized: false }],
    normalizer: null,
    pre_tokenizer: { type: 'ByteLevel', add_prefix_space: false, use_regex: true },
    post_processor: null,
    decoder: { type: 'ByteLevel' },
    model: {
      type: 'BPE',
      vocab: Object.fromEntries(tokens.slice(0, -1).map((token, id) => [token, id])),
      merges: [],
    },
  };
}

/** Writes a random model and an adapter of rank 8; the same each time. @returns their folders */
export function writeRandom(
  scratch: string,
  family: RandomFamily,
): { policy: string; adapter: string } {
  const [policy, adapter] = [join(scratch, family), join(scratch, `${family}-adapter`)];
  const config = parsePolicyConfig(CONFIGS[family]);
  const weights = initWeights(config, 7);
  const random = new Random(9);
  for (const { name, shape, offset, length } of weights.slots) {
    const values = weights.flat.subarray(offset, offset + length);
    if (name === EMBED || name === HEAD) values.forEach((v, i) => (values[i] = v * SHARPER));
    // Norms of 1 and biases of 0 would hide a wrong order.
    else if (shape.length === 1)
      values.forEach((v, i) => (values[i] = v + (random.uniform() - 0.5) / 2));
  }
  const spec = { rank: 8, alpha: 16, targets: LORA_TARGETS };
  const flat = new Float32Array(loraSize(config, spec));
  random.fillNormal(flat, 0.1);
  const files = (folder: string, all: Record<string, string | Uint8Array>): void => {
    mkdirSync(folder, { recursive: true });
    for (const [name, content] of Object.entries(all)) writeFileSync(join(folder, name), content);
  };
  files(policy, {
    'config.json': JSON.stringify(CONFIGS[family]),
    'tokenizer.json': JSON.stringify(tokenizer(config.vocabSize)),
    'tokenizer_config.json': JSON.stringify({ eos_token: '<|end|>' }),
    'model.safetensors': writeWeights(weights, 'F32'),
  });
  const peft = writePeft(config, spec, flat, family);
  files(adapter, Object.fromEntries(peft.map(({ name, bytes }) => [name, bytes])));
  return { policy, adapter };
}

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parsePolicyConfig } from '../../../src/policy/checkpoint/config.ts';
import { initWeights, writeWeights } from '../../../src/policy/checkpoint/weights.ts';

/** Whole checkpoints with random weights: a tokenizer that can write text, its chat template, a shape. */

const chat = join(import.meta.dirname, '../../fixtures/chat');

const SHAPE = {
  hidden_size: 32,
  intermediate_size: 48,
  num_hidden_layers: 2,
  num_attention_heads: 4,
  num_key_value_heads: 2,
  max_position_embeddings: 32_768,
  rms_norm_eps: 1e-6,
  hidden_act: 'silu',
};

/** As `save_pretrained` writes them, by the family of their tokenizer and template. */
const CONFIGS = {
  qwen: {
    ...SHAPE,
    architectures: ['Qwen2ForCausalLM'],
    model_type: 'qwen2',
    vocab_size: 480,
    rope_theta: 1e6,
    tie_word_embeddings: true,
  },
  llama3: {
    ...SHAPE,
    architectures: ['LlamaForCausalLM'],
    model_type: 'llama',
    vocab_size: 488,
    rope_theta: 5e5,
    rope_scaling: {
      rope_type: 'llama3',
      factor: 8,
      low_freq_factor: 1,
      high_freq_factor: 4,
      original_max_position_embeddings: 8192,
    },
    tie_word_embeddings: false,
  },
} as const;

/**
 * Writes a checkpoint into `folder`; the same each time.
 * @param shape fields of `config.json` that differ
 */
export function writeRandomCheckpoint(
  folder: string,
  family: keyof typeof CONFIGS,
  shape: Record<string, number> = {},
): void {
  const config = { ...CONFIGS[family], ...shape };
  mkdirSync(folder, { recursive: true });
  const copy = (name: string): void =>
    writeFileSync(join(folder, name), readFileSync(join(chat, family, name)));
  copy('tokenizer.json');
  copy('tokenizer_config.json');
  if (family === 'llama3') ['chat_template.jinja', 'generation_config.json'].forEach(copy);
  writeFileSync(join(folder, 'config.json'), JSON.stringify(config));
  const weights = initWeights(parsePolicyConfig(config), 7);
  writeFileSync(join(folder, 'model.safetensors'), writeWeights(weights, 'F16'));
}

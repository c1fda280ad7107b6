/** Published shapes by which engines are compared; what `config.json` says and no more. */
export const SHAPES = {
  'qwen2-0.5b': {
    model_type: 'qwen2',
    vocab_size: 151_936,
    hidden_size: 896,
    num_hidden_layers: 24,
    num_attention_heads: 14,
    num_key_value_heads: 2,
    intermediate_size: 4864,
    max_position_embeddings: 32_768,
    rope_theta: 1_000_000,
    tie_word_embeddings: true,
  },
  'qwen2-1.5b': {
    model_type: 'qwen2',
    vocab_size: 151_936,
    hidden_size: 1536,
    num_hidden_layers: 28,
    num_attention_heads: 12,
    num_key_value_heads: 2,
    intermediate_size: 8960,
    max_position_embeddings: 32_768,
    rope_theta: 1_000_000,
    tie_word_embeddings: true,
  },
  'qwen2-3b': {
    model_type: 'qwen2',
    vocab_size: 151_936,
    hidden_size: 2048,
    num_hidden_layers: 36,
    num_attention_heads: 16,
    num_key_value_heads: 2,
    intermediate_size: 11_008,
    max_position_embeddings: 32_768,
    rope_theta: 1_000_000,
    tie_word_embeddings: true,
  },
} as const;

export type ShapeName = keyof typeof SHAPES;

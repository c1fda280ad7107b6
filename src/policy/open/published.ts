/** Checkpoints that others published and that are computed here, smallest first. */

export interface PublishedCheckpoint {
  /** Its name on the hub. */
  repository: string;
  /** `model`: follows instructions; `policy`: trained by reinforcement learning to search. */
  kind: 'model' | 'policy';
  /** What it is, or whose. */
  about: string;
  /** The hub gives it to those alone who accepted its licence there. */
  gated?: true;
  /**
   * What decides its size, as its `config.json` says it, or that of the model which it was trained from.
   * Without `torch_dtype` where its authors do not say what its weights are stored in.
   */
  config: Readonly<Record<string, unknown>>;
}

const STORED = { torch_dtype: 'bfloat16' };

const smol = (hidden: number, layers: number, heads: number, kvHeads: number, inner: number) => ({
  model_type: 'llama',
  vocab_size: 49_152,
  hidden_size: hidden,
  num_hidden_layers: layers,
  num_attention_heads: heads,
  num_key_value_heads: kvHeads,
  intermediate_size: inner,
  max_position_embeddings: 8192,
  tie_word_embeddings: true,
});

const qwen = (hidden: number, layers: number, heads: number, kvHeads: number, inner: number) => ({
  model_type: 'qwen2',
  vocab_size: 151_936,
  hidden_size: hidden,
  num_hidden_layers: layers,
  num_attention_heads: heads,
  num_key_value_heads: kvHeads,
  intermediate_size: inner,
  max_position_embeddings: 32_768,
  tie_word_embeddings: true,
});

const llama = (hidden: number, layers: number, heads: number, inner: number) => ({
  model_type: 'llama',
  vocab_size: 128_256,
  hidden_size: hidden,
  num_hidden_layers: layers,
  num_attention_heads: heads,
  num_key_value_heads: 8,
  intermediate_size: inner,
  max_position_embeddings: 131_072,
  tie_word_embeddings: true,
});

const QWEN_05B = qwen(896, 24, 14, 2, 4864);
const QWEN_15B = qwen(1536, 28, 12, 2, 8960);
const QWEN_3B = qwen(2048, 36, 16, 2, 11_008);
const QWEN_7B = {
  ...qwen(3584, 28, 28, 4, 18_944),
  vocab_size: 152_064,
  tie_word_embeddings: false,
};
const LLAMA_1B = { ...llama(2048, 16, 32, 8192), head_dim: 64 };
const LLAMA_3B = { ...llama(3072, 28, 24, 8192), head_dim: 128 };
const LLAMA_8B = { ...llama(4096, 32, 32, 14_336), tie_word_embeddings: false };

const model = (
  repository: string,
  about: string,
  config: Readonly<Record<string, unknown>>,
): PublishedCheckpoint => ({
  repository,
  kind: 'model',
  about,
  config: { ...config, ...STORED },
});

const policy = (
  repository: string,
  about: string,
  config: Readonly<Record<string, unknown>>,
): PublishedCheckpoint => ({ repository, kind: 'policy', about, config });

const SEARCH_R1 = 'PeterJinGo/SearchR1-nq_hotpotqa_train';

export const PUBLISHED: readonly PublishedCheckpoint[] = [
  model('HuggingFaceTB/SmolLM2-135M-Instruct', 'SmolLM2', smol(576, 30, 9, 3, 1536)),
  model('HuggingFaceTB/SmolLM2-360M-Instruct', 'SmolLM2', smol(960, 32, 15, 5, 2560)),
  model('Qwen/Qwen2-0.5B-Instruct', 'Qwen2', QWEN_05B),
  model('Qwen/Qwen2.5-0.5B-Instruct', 'Qwen2.5', QWEN_05B),
  { ...model('meta-llama/Llama-3.2-1B-Instruct', 'Llama 3.2', LLAMA_1B), gated: true },
  model('Qwen/Qwen2-1.5B-Instruct', 'Qwen2', QWEN_15B),
  model('Qwen/Qwen2.5-1.5B-Instruct', 'Qwen2.5', QWEN_15B),
  model('HuggingFaceTB/SmolLM2-1.7B-Instruct', 'SmolLM2', smol(2048, 24, 32, 32, 8192)),
  model('Qwen/Qwen2.5-3B-Instruct', 'Qwen2.5', QWEN_3B),
  { ...model('meta-llama/Llama-3.2-3B-Instruct', 'Llama 3.2', LLAMA_3B), gated: true },
  policy(`${SEARCH_R1}-qwen2.5-3b-em-ppo`, 'Search-R1 by PPO, from Qwen2.5-3B', QWEN_3B),
  policy(`${SEARCH_R1}-qwen2.5-3b-em-grpo`, 'Search-R1 by GRPO, from Qwen2.5-3B', QWEN_3B),
  policy(`${SEARCH_R1}-qwen2.5-7b-em-ppo`, 'Search-R1 by PPO, from Qwen2.5-7B', QWEN_7B),
  policy('XXsongLALA/Qwen-2.5-7B-base-RAG-RL', 'R1-Searcher, from Qwen2.5-7B', QWEN_7B),
  policy(
    'XXsongLALA/Llama-3.1-8B-instruct-RAG-RL',
    'R1-Searcher, from Llama-3.1-8B-Instruct',
    LLAMA_8B,
  ),
];

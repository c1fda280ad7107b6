import type { CheckpointFacts } from '../../contract/checkpoints.ts';
import { textSettings } from '../../../policy/checkpoint/config.ts';
import { z } from 'zod';

const size = z.int().positive().max(1e9).nullish().catch(null);
const text = z.string().max(80).nullish().catch(null);
const flag = z.boolean().nullish().catch(null);

const shape = z.looseObject({
  model_type: text,
  architectures: z.array(z.string().max(80)).nullish().catch(null),
  num_hidden_layers: size,
  hidden_size: size,
  num_attention_heads: size,
  num_key_value_heads: size,
  head_dim: size,
  intermediate_size: size,
  vocab_size: size,
  max_position_embeddings: size,
  tie_word_embeddings: flag,
  attention_bias: flag,
  torch_dtype: text,
  dtype: text,
});

type Shape = z.infer<typeof shape>;

/** Biases of the query, key and value projections: always in Qwen2, else as `attention_bias` says. */
const hasBias = ({ model_type, attention_bias }: Shape): boolean =>
  model_type === 'qwen2' || attention_bias === true;

function countParameters(config: Shape): number | null {
  const {
    num_hidden_layers: layers,
    hidden_size: hidden,
    intermediate_size: inner,
    vocab_size: vocab,
    num_attention_heads: heads,
  } = config;
  if (!layers || !hidden || !inner || !vocab || !heads) return null;
  const headDim = config.head_dim ?? hidden / heads;
  const queries = heads * headDim;
  const keys = (config.num_key_value_heads ?? heads) * headDim;
  const attention = hidden * (queries + 2 * keys) + queries * hidden;
  const biases = hasBias(config) ? queries + 2 * keys : 0;
  const gemma = config.model_type === 'gemma3_text';
  const headNorms = config.model_type === 'qwen3' || gemma ? 2 * headDim : 0;
  const norms = (gemma ? 4 : 2) * hidden;
  const layer = attention + biases + headNorms + 3 * hidden * inner + norms;
  const matrices = config.tie_word_embeddings === true ? 1 : 2;
  return layers * layer + matrices * vocab * hidden + hidden;
}

export function factsOf(config: Readonly<Record<string, unknown>>): CheckpointFacts {
  const read = shape.parse(textSettings(config));
  return {
    family: read.model_type ?? null,
    architecture: read.architectures?.[0] ?? null,
    layers: read.num_hidden_layers ?? null,
    hidden: read.hidden_size ?? null,
    heads: read.num_attention_heads ?? null,
    kvHeads: read.num_key_value_heads ?? read.num_attention_heads ?? null,
    vocab: read.vocab_size ?? null,
    context: read.max_position_embeddings ?? null,
    dtype: read.torch_dtype ?? read.dtype ?? null,
    parameters: countParameters(read),
  };
}

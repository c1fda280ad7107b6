import { z } from 'zod';

/** Shape of a Qwen3 decoder, as the Hugging Face `config.json` gives it. */
export interface PolicyConfig {
  readonly vocabSize: number;
  readonly hiddenSize: number;
  readonly layers: number;
  readonly heads: number;
  /** Key and value heads; each serves `heads / kvHeads` query heads. */
  readonly kvHeads: number;
  readonly headDim: number;
  readonly intermediateSize: number;
  readonly rmsNormEps: number;
  readonly ropeTheta: number;
  /** Whether the output projection is the embedding matrix. */
  readonly tieWordEmbeddings: boolean;
  readonly maxPositions: number;
}

const size = z.number().int().positive();

const schema = z.object({
  architectures: z.array(z.string()).optional(),
  model_type: z.string().optional(),
  vocab_size: size,
  hidden_size: size,
  num_hidden_layers: size,
  num_attention_heads: size,
  num_key_value_heads: size.optional(),
  head_dim: size.optional(),
  intermediate_size: size,
  rms_norm_eps: z.number().positive().default(1e-6),
  rope_theta: z.number().positive().optional(),
  rope_parameters: z
    .object({ rope_theta: z.number().positive().optional(), rope_type: z.string().optional() })
    .nullish(),
  rope_scaling: z.object({ rope_type: z.string().optional() }).nullish(),
  attention_bias: z.boolean().default(false),
  use_sliding_window: z.boolean().default(false),
  hidden_act: z.string().default('silu'),
  tie_word_embeddings: z.boolean().default(false),
  max_position_embeddings: size.default(1024),
});

type RawConfig = z.infer<typeof schema>;

/** What a checkpoint asks for that this transformer does not compute. */
function unsupported(raw: RawConfig): string[] {
  const faults: string[] = [];
  if (raw.model_type !== undefined && raw.model_type !== 'qwen3')
    faults.push(`model_type is "${raw.model_type}"; only "qwen3" is supported`);
  if (raw.hidden_act !== 'silu')
    faults.push(`hidden_act is "${raw.hidden_act}"; only "silu" is supported`);
  if (raw.attention_bias) faults.push('attention_bias is true; attention must have no bias');
  if (raw.use_sliding_window) faults.push('use_sliding_window is true; attention must be full');
  const rope = raw.rope_parameters?.rope_type ?? raw.rope_scaling?.rope_type ?? 'default';
  if (rope !== 'default') faults.push(`rope_type is "${rope}"; only "default" is supported`);
  return faults;
}

function inconsistent(config: PolicyConfig): string[] {
  const faults: string[] = [];
  if (config.heads % config.kvHeads !== 0)
    faults.push(
      `num_attention_heads (${config.heads}) is not a multiple of num_key_value_heads (${config.kvHeads})`,
    );
  if (config.headDim % 2 !== 0)
    faults.push(`head_dim (${config.headDim}) is odd; rotary positions turn pairs`);
  return faults;
}

/**
 * Reads a parsed `config.json` of a Qwen3ForCausalLM checkpoint.
 * @throws Error that names every field at fault.
 */
export function parsePolicyConfig(json: unknown): PolicyConfig {
  const parsed = schema.safeParse(json);
  if (!parsed.success) {
    const faults = parsed.error.issues.map((i) => `${i.path.join('.') || 'file'}: ${i.message}`);
    throw new Error(`config.json: ${faults.join('; ')}`);
  }
  const raw = parsed.data;
  const config: PolicyConfig = {
    vocabSize: raw.vocab_size,
    hiddenSize: raw.hidden_size,
    layers: raw.num_hidden_layers,
    heads: raw.num_attention_heads,
    kvHeads: raw.num_key_value_heads ?? raw.num_attention_heads,
    headDim: raw.head_dim ?? raw.hidden_size / raw.num_attention_heads,
    intermediateSize: raw.intermediate_size,
    rmsNormEps: raw.rms_norm_eps,
    ropeTheta: raw.rope_theta ?? raw.rope_parameters?.rope_theta ?? 10_000,
    tieWordEmbeddings: raw.tie_word_embeddings,
    maxPositions: raw.max_position_embeddings,
  };
  const faults = [...unsupported(raw), ...inconsistent(config)];
  if (!Number.isInteger(config.headDim)) faults.push('head_dim is missing and not integral');
  if (faults.length > 0) throw new Error(`config.json: ${faults.join('; ')}`);
  return config;
}

/** The `config.json` that transformers reads for this shape; `dtype` is that of the weights file. */
export function toHuggingFaceConfig(
  config: PolicyConfig,
  dtype: 'float32' | 'float16' = 'float16',
  endOfTextId = 0,
  padId = 1,
): Record<string, unknown> {
  return {
    architectures: ['Qwen3ForCausalLM'],
    model_type: 'qwen3',
    vocab_size: config.vocabSize,
    hidden_size: config.hiddenSize,
    num_hidden_layers: config.layers,
    num_attention_heads: config.heads,
    num_key_value_heads: config.kvHeads,
    head_dim: config.headDim,
    intermediate_size: config.intermediateSize,
    hidden_act: 'silu',
    rms_norm_eps: config.rmsNormEps,
    rope_theta: config.ropeTheta,
    tie_word_embeddings: config.tieWordEmbeddings,
    max_position_embeddings: config.maxPositions,
    attention_bias: false,
    attention_dropout: 0,
    use_sliding_window: false,
    bos_token_id: null,
    eos_token_id: endOfTextId,
    pad_token_id: padId,
    torch_dtype: dtype,
  };
}

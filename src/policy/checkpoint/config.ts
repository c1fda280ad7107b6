import { z } from 'zod';
import type { RopeScaling } from './rope.ts';
import { parseRope, ropeSchema } from './rope-config.ts';
import { placeOf, wordsOf } from '../../base/errors.ts';

/** Families of decoders that are computed, by `model_type`. */
const FAMILIES = ['llama', 'qwen2', 'qwen3', 'smollm3'] as const;
type Family = (typeof FAMILIES)[number];

/** In what a decoder's layers differ from those of a plain Qwen3. */
export interface PolicyVariant {
  readonly family: Family;
  /** Whether each head's queries and keys are RMS-normalised and weighted. */
  readonly qkNorm: boolean;
  /** Whether q, k and v; o; and gate, up and down have biases. */
  readonly qkvBias: boolean;
  readonly oBias: boolean;
  readonly mlpBias: boolean;
  readonly rope: RopeScaling;
  /** Layers without rotary positions (NoPE: Kazemnejad et al., 2023). */
  readonly unturnedLayers: readonly number[];
}

/** Shape of a decoder, as the Hugging Face `config.json` gives it. */
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
  /** Absent: a plain Qwen3, which has QK-norm, no bias, and rotary positions as they are. */
  readonly variant?: PolicyVariant;
}

const PLAIN: PolicyVariant = {
  family: 'qwen3',
  qkNorm: true,
  qkvBias: false,
  oBias: false,
  mlpBias: false,
  rope: { type: 'default' },
  unturnedLayers: [],
};

export const variantOf = (config: PolicyConfig): PolicyVariant => config.variant ?? PLAIN;

/** Far above every published decoder: what is larger is a damaged or hostile file. */
const MOST = { size: 2 ** 24, layers: 1024 };

const size = z.number().int().positive().max(MOST.size);
const flag = (otherwise: boolean) =>
  z
    .boolean()
    .nullish()
    .transform((value) => value ?? otherwise);

const schema = z.object({
  architectures: z.array(z.string()).nullish(),
  model_type: z.string().optional(),
  vocab_size: size,
  hidden_size: size,
  num_hidden_layers: size.max(MOST.layers),
  num_attention_heads: size,
  num_key_value_heads: size.nullish(),
  head_dim: size.nullish(),
  intermediate_size: size,
  rms_norm_eps: z.number().positive().default(1e-6),
  rope_theta: z.number().positive().nullish(),
  rope_parameters: ropeSchema,
  rope_scaling: ropeSchema,
  original_max_position_embeddings: size.nullish(),
  partial_rotary_factor: z.number().nullish(),
  attention_bias: flag(false),
  mlp_bias: flag(false),
  no_rope_layers: z.array(z.number()).max(MOST.layers).nullish(),
  no_rope_layer_interval: z.number().int().positive().nullish(),
  use_sliding_window: flag(false),
  sliding_window: z.number().nullish(),
  layer_types: z.array(z.string()).max(MOST.layers).nullish(),
  hidden_act: z.string().default('silu'),
  tie_word_embeddings: z.boolean().nullish(),
  max_position_embeddings: size.default(1024),
  quantization_config: z.unknown().optional(),
});

type RawConfig = z.infer<typeof schema>;

const ARCHITECTURES: Record<Family, string> = {
  llama: 'LlamaForCausalLM',
  qwen2: 'Qwen2ForCausalLM',
  qwen3: 'Qwen3ForCausalLM',
  smollm3: 'SmolLM3ForCausalLM',
};

const isFamily = (name: string): name is Family => FAMILIES.some((family) => family === name);

/** @returns null where neither field names a family that is computed */
function familyOf({ model_type: type, architectures }: RawConfig): Family | null {
  if (type !== undefined) return isFamily(type) ? type : null;
  const named = architectures?.[0];
  if (named === undefined) return 'qwen3';
  return FAMILIES.find((family) => ARCHITECTURES[family] === named) ?? null;
}

/** What a checkpoint asks for that this transformer does not compute. */
function unsupported(raw: RawConfig, positions: number): string[] {
  const faults: string[] = [];
  if (familyOf(raw) === null)
    faults.push(
      raw.model_type === undefined
        ? `architectures is "${raw.architectures?.[0]}"; ${Object.values(ARCHITECTURES).join(', ')} are supported`
        : `model_type is "${raw.model_type}"; ${FAMILIES.join(', ')} are supported`,
    );
  if (raw.hidden_act !== 'silu')
    faults.push(`hidden_act is "${raw.hidden_act}"; only "silu" is supported`);
  if (raw.partial_rotary_factor !== undefined && (raw.partial_rotary_factor ?? 1) !== 1)
    faults.push(`partial_rotary_factor is ${raw.partial_rotary_factor}; only 1 is supported`);
  if (raw.quantization_config !== undefined && raw.quantization_config !== null)
    faults.push(
      'quantization_config is given; weights must be stored as they are, in f32, f16 or bf16',
    );
  const kind = raw.layer_types?.find((t) => t !== 'full_attention' && t !== 'sliding_attention');
  if (kind !== undefined)
    faults.push(`layer_types has "${kind}"; only "full_attention" is supported`);
  const slides = raw.use_sliding_window || raw.layer_types?.includes('sliding_attention');
  if (slides && (raw.sliding_window ?? 0) < positions)
    faults.push(
      `use_sliding_window is true with sliding_window ${raw.sliding_window ?? 'missing'}, less than the ${positions} positions of a context; attention must be full`,
    );
  return faults;
}

function inconsistent(config: PolicyConfig): string[] {
  const faults: string[] = [];
  if (!Number.isInteger(config.headDim))
    return ['head_dim is missing and hidden_size is not a multiple of num_attention_heads'];
  if (config.heads % config.kvHeads !== 0)
    faults.push(
      `num_attention_heads (${config.heads}) is not a multiple of num_key_value_heads (${config.kvHeads})`,
    );
  if (config.headDim % 2 !== 0)
    faults.push(`head_dim (${config.headDim}) is odd; rotary positions turn pairs`);
  return faults;
}

/** Layers without rotary positions; in `no_rope_layers`, 1 means that a layer has them. */
function unturnedLayers(raw: RawConfig, faults: string[]): number[] {
  const layers = Array.from({ length: raw.num_hidden_layers }, (_, layer) => layer);
  const given = raw.no_rope_layers;
  if (given && given.length !== layers.length) {
    faults.push(
      `no_rope_layers has ${given.length} entries, num_hidden_layers is ${layers.length}`,
    );
    return [];
  }
  const every = raw.no_rope_layer_interval ?? 4;
  return layers.filter((l) => (given ? given[l] === 0 : (l + 1) % every === 0));
}

function parseVariant(raw: RawConfig, family: Family, rope: RopeScaling, faults: string[]) {
  const variant: PolicyVariant = {
    family,
    qkNorm: family === 'qwen3',
    qkvBias: family === 'qwen2' || raw.attention_bias,
    oBias: family !== 'qwen2' && raw.attention_bias,
    mlpBias: (family === 'llama' || family === 'smollm3') && raw.mlp_bias,
    rope,
    unturnedLayers: family === 'smollm3' ? unturnedLayers(raw, faults) : [],
  };
  return family === 'qwen3' && !variant.qkvBias && rope.type === 'default' ? {} : { variant };
}

/**
 * Reads a parsed `config.json` of a Llama, Qwen2, Qwen3 or SmolLM3 decoder for causal language
 * modelling. Fields that these families know and this transformer does not compute are refused.
 *
 * @param maxContext limits a context to fewer positions than the checkpoint has
 * @throws Error that names every field at fault, with its value
 */
export function parsePolicyConfig(json: unknown, maxContext?: number): PolicyConfig {
  const parsed = schema.safeParse(json);
  if (!parsed.success) {
    const issues = parsed.error.issues.slice(0, 20);
    const faults = issues.map((i) => `${placeOf(i) || 'file'}: ${wordsOf(i)}`);
    throw new Error(`config.json: ${faults.join('; ')}`);
  }
  const raw = parsed.data;
  const family = familyOf(raw) ?? 'llama';
  const given = raw.rope_parameters ?? raw.rope_scaling;
  const original = raw.original_max_position_embeddings;
  const settings =
    given && original ? { ...given, original_max_position_embeddings: original } : given;
  const ropeTheta =
    raw.rope_parameters?.rope_theta ??
    raw.rope_theta ??
    raw.rope_scaling?.rope_theta ??
    (family === 'smollm3' ? 2_000_000 : 10_000);
  const rope = parseRope(settings, ropeTheta, raw.max_position_embeddings);
  const maxPositions = Math.min(
    raw.max_position_embeddings,
    maxContext ?? Infinity,
    rope.limit ?? Infinity,
  );
  const faults = [...unsupported(raw, maxPositions), ...rope.faults];
  const config: PolicyConfig = {
    vocabSize: raw.vocab_size,
    hiddenSize: raw.hidden_size,
    layers: raw.num_hidden_layers,
    heads: raw.num_attention_heads,
    kvHeads: raw.num_key_value_heads ?? raw.num_attention_heads,
    headDim: raw.head_dim ?? raw.hidden_size / raw.num_attention_heads,
    intermediateSize: raw.intermediate_size,
    rmsNormEps: raw.rms_norm_eps,
    ropeTheta,
    tieWordEmbeddings: raw.tie_word_embeddings ?? family === 'smollm3',
    maxPositions,
    ...parseVariant(raw, family, rope.scaling, faults),
  };
  faults.push(...inconsistent(config));
  if (faults.length > 0) throw new Error(`config.json: ${faults.join('; ')}`);
  return config;
}

/**
 * The `config.json` that transformers reads for a plain Qwen3; `dtype` is that of the weights file.
 * @throws Error for another family: its own `config.json` says more than a shape does
 */
export function toHuggingFaceConfig(
  config: PolicyConfig,
  dtype: 'float32' | 'float16' = 'float16',
  endOfTextId = 0,
  padId = 1,
): Record<string, unknown> {
  if (config.variant)
    throw new Error(
      `config.json of a ${config.variant.family} decoder is not written; keep the one of its checkpoint`,
    );
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

import { z } from 'zod';
import type { RopeScaling } from './rope.ts';
import { parseRope, ropeSchema } from './rope-config.ts';
import { placeOf, wordsOf } from '../../base/errors.ts';
import { fromFloat16Bits, toFloat16Bits } from '../../base/float16.ts';
import { isObject } from '../../base/objects.ts';

/** Families of decoders that are computed, by `model_type`. */
const FAMILIES = ['llama', 'qwen2', 'qwen3', 'smollm3', 'gemma3_text'] as const;
type Family = (typeof FAMILIES)[number];

/** The gate of the feed-forward layer: silu(x), or gelu(x) in its tanh form (Hendrycks and Gimpel, 2016). */
export type Gate = 'silu' | 'gelu';

/** Layers in which a token attends only to the last positions, with rotary frequencies of their own. */
interface SlidingWindow {
  /** Most positions that a token attends to, its own included. */
  readonly positions: number;
  readonly layers: readonly number[];
  readonly ropeTheta: number;
  readonly rope: RopeScaling;
}

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
  readonly gate: Gate;
  /** Whether the outputs of attention and of the feed-forward layer are RMS-normalised before they are added. */
  readonly outputNorms: boolean;
  /** What is added to the stored weights of all norms: Gemma stores them minus 1. */
  readonly normOffset: 0 | 1;
  /** Factor of the embeddings where they enter the first layer. */
  readonly embedScale: number;
  /** Factor of the queries beside 1/√headDim; other than 1 only where they are normalised. */
  readonly queryScale: number;
  readonly window: SlidingWindow | null;
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
  gate: 'silu',
  outputNorms: false,
  normOffset: 0,
  embedScale: 1,
  queryScale: 1,
  window: null,
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
  sliding_window_pattern: z.number().int().positive().nullish(),
  local_rope_parameters: ropeSchema,
  rope_local_base_freq: z.number().positive().nullish(),
  query_pre_attn_scalar: z.number().positive().nullish(),
  attn_logit_softcapping: z.number().nullish(),
  final_logit_softcapping: z.number().nullish(),
  use_bidirectional_attention: z.unknown().optional(),
  hidden_act: z.string().nullish(),
  hidden_activation: z.string().nullish(),
  dtype: z.string().nullish(),
  torch_dtype: z.string().nullish(),
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
  gemma3_text: 'Gemma3ForCausalLM',
};

const isFamily = (name: string): name is Family => FAMILIES.some((family) => family === name);

/** @returns null where neither field names a family that is computed */
function familyOf({ model_type: type, architectures }: RawConfig): Family | null {
  if (type !== undefined) return isFamily(type) ? type : null;
  const named = architectures?.[0];
  if (named === undefined) return 'qwen3';
  return FAMILIES.find((family) => ARCHITECTURES[family] === named) ?? null;
}

/** Gemma names its gate in a field of its own. */
function unsupportedGate(raw: RawConfig): string[] {
  const [name, wanted] =
    familyOf(raw) === 'gemma3_text'
      ? (['hidden_activation', 'gelu_pytorch_tanh'] as const)
      : (['hidden_act', 'silu'] as const);
  const given = raw[name] ?? wanted;
  return given === wanted ? [] : [`${name} is "${given}"; only "${wanted}" is supported`];
}

function unsupportedOfGemma(raw: RawConfig): string[] {
  const faults: string[] = [];
  for (const name of ['attn_logit_softcapping', 'final_logit_softcapping'] as const)
    if (typeof raw[name] === 'number')
      faults.push(`${name} is ${raw[name]}; only null is supported`);
  if (raw.use_bidirectional_attention)
    faults.push(
      `use_bidirectional_attention is ${JSON.stringify(raw.use_bidirectional_attention)}; attention must be causal`,
    );
  const window = raw.sliding_window;
  if (typeof window !== 'number' || !Number.isInteger(window) || window < 1)
    faults.push(`sliding_window is ${window ?? 'missing'}; a positive whole number is needed`);
  return faults;
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
  faults.push(...unsupportedGate(raw));
  if (raw.partial_rotary_factor !== undefined && (raw.partial_rotary_factor ?? 1) !== 1)
    faults.push(`partial_rotary_factor is ${raw.partial_rotary_factor}; only 1 is supported`);
  if (raw.quantization_config !== undefined && raw.quantization_config !== null)
    faults.push(
      'quantization_config is given; weights must be stored as they are, in f32, f16 or bf16',
    );
  const gemma = familyOf(raw) === 'gemma3_text';
  const kind = raw.layer_types?.find((t) => t !== 'full_attention' && t !== 'sliding_attention');
  if (kind !== undefined)
    faults.push(
      `layer_types has "${kind}"; only "full_attention"${gemma ? ' and "sliding_attention" are' : ' is'} supported`,
    );
  if (gemma) return [...faults, ...unsupportedOfGemma(raw)];
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
  const gemma = family === 'gemma3_text';
  const headDim = raw.head_dim ?? raw.hidden_size / raw.num_attention_heads;
  const variant: PolicyVariant = {
    family,
    qkNorm: family === 'qwen3' || gemma,
    qkvBias: family === 'qwen2' || raw.attention_bias,
    oBias: family !== 'qwen2' && raw.attention_bias,
    mlpBias: (family === 'llama' || family === 'smollm3') && raw.mlp_bias,
    rope,
    unturnedLayers: family === 'smollm3' ? unturnedLayers(raw, faults) : [],
    gate: gemma ? 'gelu' : 'silu',
    outputNorms: gemma,
    normOffset: gemma ? 1 : 0,
    embedScale: gemma ? embedScale(raw) : 1,
    queryScale: gemma ? Math.sqrt(headDim / (raw.query_pre_attn_scalar ?? 256)) : 1,
    window: gemma ? slidingWindow(raw, faults) : null,
  };
  return family === 'qwen3' && !variant.qkvBias && rope.type === 'default' ? {} : { variant };
}

/** Base of the rotary frequencies where the config states none; 10,000 in the other families. */
const DEFAULT_THETA: Partial<Record<Family, number>> = {
  smollm3: 2_000_000,
  gemma3_text: 1_000_000,
};

const bits = new DataView(new ArrayBuffer(4));

/** To nearest, ties to even, as bfloat16 holds it. */
function toBfloat16(value: number): number {
  bits.setFloat32(0, value);
  const word = bits.getUint32(0);
  bits.setUint32(0, (word + 0x7fff + ((word >>> 16) & 1)) & 0xffff0000);
  return bits.getFloat32(0);
}

/** √hidden in the type of the weights, as transformers rounds it: 25.25 for 640 in bfloat16, not 25.298. */
function embedScale({ hidden_size: hidden, dtype, torch_dtype }: RawConfig): number {
  const scale = Math.fround(Math.sqrt(hidden));
  const type = dtype ?? torch_dtype;
  if (type === 'bfloat16') return toBfloat16(scale);
  return type === 'float16' ? fromFloat16Bits(toFloat16Bits(scale)) : scale;
}

/** Layers that slide: those of `layer_types`, else all but every sixth. */
function slidingWindow(raw: RawConfig, faults: string[]): SlidingWindow {
  const layers = Array.from({ length: raw.num_hidden_layers }, (_, layer) => layer);
  const types = raw.layer_types;
  if (types && types.length !== layers.length)
    faults.push(`layer_types has ${types.length} entries, num_hidden_layers is ${layers.length}`);
  const every = raw.sliding_window_pattern ?? 6;
  const local = raw.local_rope_parameters;
  const ropeTheta = local?.rope_theta ?? raw.rope_local_base_freq ?? 10_000;
  const rope = parseRope(local, ropeTheta, raw.max_position_embeddings);
  faults.push(...rope.faults);
  return {
    positions: raw.sliding_window ?? 1,
    layers: layers.filter((l) =>
      types ? types[l] === 'sliding_attention' : (l + 1) % every !== 0,
    ),
    ropeTheta,
    rope: rope.scaling,
  };
}

/** What `config.json` of a Gemma 3 leaves out where it is what transformers assumes. */
const GEMMA_DEFAULTS = {
  vocab_size: 262_208,
  hidden_size: 2304,
  intermediate_size: 9216,
  num_hidden_layers: 26,
  num_attention_heads: 8,
  num_key_value_heads: 4,
  head_dim: 256,
  max_position_embeddings: 131_072,
  query_pre_attn_scalar: 256,
  sliding_window: 4096,
  tie_word_embeddings: true,
};

/**
 * The settings of the text model: of a Gemma 3 with images those under `text_config`; with what Gemma's config
 * leaves out, and rotary settings by kind of layer apart.
 */
export function textSettings(json: unknown): unknown {
  if (!isObject(json)) return json;
  const { model_type: type, architectures: named } = json;
  const architecture: unknown = Array.isArray(named) ? named[0] : undefined;
  const is = (model: string, whole: string): boolean =>
    type === undefined ? architecture === whole : type === model;
  if (is('gemma3_text', ARCHITECTURES.gemma3_text))
    return { ...GEMMA_DEFAULTS, ...json, ...ropeByKind(json['rope_parameters']) };
  const text = json['text_config'];
  if (!is('gemma3', 'Gemma3ForConditionalGeneration') || !isObject(text)) return json;
  return {
    ...GEMMA_DEFAULTS,
    dtype: json['dtype'] ?? json['torch_dtype'],
    quantization_config: json['quantization_config'],
    ...text,
    ...ropeByKind(text['rope_parameters']),
    model_type: 'gemma3_text',
  };
}

/** As transformers 5 writes them, under the two kinds of layers. */
const ropeByKind = (rope: unknown): object =>
  isObject(rope) && ('full_attention' in rope || 'sliding_attention' in rope)
    ? { rope_parameters: rope['full_attention'], local_rope_parameters: rope['sliding_attention'] }
    : {};

/**
 * Reads a parsed `config.json` of a Llama, Qwen2, Qwen3, SmolLM3 or Gemma 3 decoder for causal language
 * modelling; of a Gemma 3 with images its text part. Fields that these families know and this transformer does not compute are refused.
 *
 * @param maxContext limits a context to fewer positions than the checkpoint has
 * @throws Error that names every field at fault, with its value
 */
export function parsePolicyConfig(json: unknown, maxContext?: number): PolicyConfig {
  const parsed = schema.safeParse(textSettings(json));
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
    DEFAULT_THETA[family] ??
    10_000;
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

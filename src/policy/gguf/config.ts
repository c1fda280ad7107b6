import { CheckpointError } from '../checkpoint/checkpoint-error.ts';
import { ropeFrequencies } from '../checkpoint/rope.ts';
import type { GgufTensor } from './header.ts';
import type { GgufMetadata } from './metadata.ts';
import { GGUF_ARCHITECTURES, isGgufArchitecture, type GgufArchitecture } from './names.ts';

/** What `config.json` calls each architecture. */
const MODELS: Record<GgufArchitecture, { type: string; class: string }> = {
  llama: { type: 'llama', class: 'LlamaForCausalLM' },
  qwen2: { type: 'qwen2', class: 'Qwen2ForCausalLM' },
  qwen3: { type: 'qwen3', class: 'Qwen3ForCausalLM' },
  smollm3: { type: 'smollm3', class: 'SmolLM3ForCausalLM' },
  gemma3: { type: 'gemma3_text', class: 'Gemma3ForCausalLM' },
};

const OTHER_MODEL = `Use a model of the architectures ${GGUF_ARCHITECTURES.join(', ')}`;
const DAMAGED = 'Convert the model again, or use another GGUF file of it';

/** @throws CheckpointError for one that is not computed here */
export function architectureOf(file: string, metadata: GgufMetadata): GgufArchitecture {
  const name = metadata.text('general.architecture');
  if (isGgufArchitecture(name)) return name;
  throw new CheckpointError(
    file,
    name === undefined
      ? 'metadata key general.architecture is missing'
      : `its architecture is "${name}", which Forage does not compute`,
    OTHER_MODEL,
  );
}

/** Numbers are stored as float32; the decimal number that was meant is the shortest one near it. */
const decimal = (value: number): number => Number(value.toPrecision(7));

/** Settings of an architecture: keys `llama.context_length` and so on. */
class Settings {
  readonly #file: string;
  readonly #metadata: GgufMetadata;
  readonly #architecture: GgufArchitecture;

  constructor(file: string, metadata: GgufMetadata, architecture: GgufArchitecture) {
    [this.#file, this.#metadata, this.#architecture] = [file, metadata, architecture];
  }

  fault(problem: string, remedy = DAMAGED): CheckpointError {
    return new CheckpointError(this.#file, problem, remedy);
  }

  key(name: string): string {
    return `${this.#architecture}.${name}`;
  }

  /** A number; of a list with one number per layer, the number that all layers have. */
  number(name: string): number | undefined {
    const key = this.key(name);
    const list = this.#isList(key) ? this.#metadata.numbers(key) : undefined;
    if (!list) {
      const value = this.#metadata.number(key);
      return value === undefined ? undefined : decimal(value);
    }
    const values = [...new Set(Array.from(list))];
    if (values.length === 1) return values[0];
    throw this.fault(
      `metadata key ${key} differs between layers; Forage needs equal layers`,
      OTHER_MODEL,
    );
  }

  needed(name: string): number {
    const value = this.number(name);
    if (value !== undefined) return value;
    throw this.fault(`metadata key ${this.key(name)} is missing`);
  }

  text(name: string): string | undefined {
    return this.#metadata.text(this.key(name));
  }

  #isList(key: string): boolean {
    return this.#metadata.isList(key);
  }
}

/** `rope_parameters` as transformers writes them. */
type Rope = Record<string, unknown>;

/** Training lengths: the one of Llama 3 first, as several may give the same divisors. */
const ORIGINAL_POSITIONS = [8192, ...Array.from({ length: 13 }, (_, i) => 32 * 2 ** i)];

/** Llama 3's rotary scaling. @param divisors `rope_freqs.weight` [headDim / 2], all that a GGUF file holds of it */
function llama3Rope(
  settings: Settings,
  divisors: Float32Array,
  headDim: number,
  theta: number,
): Rope {
  const unlike = settings.fault(
    'rope_freqs.weight holds divisors that are not those of the rotary scaling of Llama 3',
    'Use the safetensors of this model',
  );
  if (divisors.length !== headDim / 2) throw unlike;
  const factor = decimal(divisors.reduce((a, b) => Math.max(a, b), 0));
  const plain = ropeFrequencies(headDim, theta, { type: 'default' });
  for (const originalPositions of ORIGINAL_POSITIONS) {
    const scaling = {
      type: 'llama3',
      factor,
      lowFrequencyFactor: 1,
      highFrequencyFactor: 4,
      originalPositions,
    } as const;
    const scaled = ropeFrequencies(headDim, theta, scaling);
    const near = divisors.every((divisor, i) => {
      const wanted = (plain[i] ?? 0) / (scaled[i] ?? 1);
      return Math.abs(divisor - wanted) <= 1e-4 * wanted;
    });
    if (near)
      return {
        rope_type: 'llama3',
        factor,
        low_freq_factor: 1,
        high_freq_factor: 4,
        original_max_position_embeddings: originalPositions,
      };
  }
  throw unlike;
}

function ropeOf(
  settings: Settings,
  divisors: Float32Array | null,
  headDim: number,
  theta: number,
): Rope {
  const type = settings.text('rope.scaling.type') ?? 'none';
  const factor = settings.number('rope.scaling.factor') ?? settings.number('rope.scale_linear');
  const all = { rope_theta: theta };
  if (divisors && divisors.some((divisor) => divisor !== 1))
    return { ...all, ...llama3Rope(settings, divisors, headDim, theta) };
  const original = settings.number('rope.scaling.original_context_length');
  if (type === 'yarn') {
    const attention = settings.number('rope.scaling.attn_factor');
    const [fast, slow] = ['fast', 'slow'].map((end) =>
      settings.number(`rope.scaling.yarn_beta_${end}`),
    );
    return {
      ...all,
      rope_type: 'yarn',
      factor,
      ...(original !== undefined && { original_max_position_embeddings: original }),
      ...(attention !== undefined && { attention_factor: attention }),
      ...(fast !== undefined && { beta_fast: fast }),
      ...(slow !== undefined && { beta_slow: slow }),
    };
  }
  if (type !== 'none' && type !== 'linear')
    throw settings.fault(
      `metadata key ${settings.key('rope.scaling.type')} is "${type}"; none, linear and yarn are computed`,
      'Use the safetensors of this model',
    );
  if (factor !== undefined && factor !== 1 && factor !== 0)
    return { ...all, rope_type: 'linear', factor };
  return { ...all, rope_type: 'default' };
}

const MOST_LAYERS = 1024;

function layersOf(settings: Settings): number {
  const layers = settings.needed('block_count');
  if (Number.isInteger(layers) && layers > 0 && layers <= MOST_LAYERS) return layers;
  throw settings.fault(
    `metadata key ${settings.key('block_count')} is ${layers}; 1 to ${MOST_LAYERS} layers are possible`,
  );
}

/** Every sixth layer of Gemma 3 sees the whole context; the others slide. */
const GEMMA_PATTERN = 6;
/** Base of the rotary positions of sliding layers. */
const GEMMA_LOCAL_THETA = 10_000;
/** Gemma 3 27B divides queries by other than the root of its head size. */
const GEMMA_27B = { layers: 62, scalar: 168 };

function gemmaFields(settings: Settings, theta: number, headDim: number): Rope {
  const layers = layersOf(settings);
  const local = settings.number('rope.freq_base_swa') ?? GEMMA_LOCAL_THETA;
  const linear = settings.number('rope.scaling.factor');
  return {
    hidden_activation: 'gelu_pytorch_tanh',
    rope_theta: theta,
    rope_local_base_freq: local,
    ...(linear !== undefined &&
      linear !== 1 && {
        rope_scaling: { rope_type: 'linear', factor: linear },
      }),
    query_pre_attn_scalar: layers === GEMMA_27B.layers ? GEMMA_27B.scalar : headDim,
    sliding_window: settings.needed('attention.sliding_window'),
    layer_types: Array.from({ length: layers }, (_, layer) =>
      (layer + 1) % GEMMA_PATTERN === 0 ? 'full_attention' : 'sliding_attention',
    ),
    attn_logit_softcapping: null,
    final_logit_softcapping: null,
  };
}

/**
 * The `config.json` that a GGUF file's metadata and tensors say, in Hugging Face's words.
 * @param divisors values of `rope_freqs.weight`, where the file has it
 * @throws CheckpointError that names the key at fault
 */
export function ggufConfig(
  file: string,
  metadata: GgufMetadata,
  tensors: readonly Pick<GgufTensor, 'name' | 'shape'>[],
  divisors: Float32Array | null,
): Record<string, unknown> {
  const architecture = architectureOf(file, metadata);
  const settings = new Settings(file, metadata, architecture);
  const shapes = new Map(tensors.map(({ name, shape }) => [name, shape]));
  const experts = settings.number('expert_count') ?? 0;
  if (experts > 0)
    throw settings.fault(
      `it is a mixture of ${experts} experts; Forage computes dense models`,
      OTHER_MODEL,
    );
  const [heads, hidden] = [
    settings.needed('attention.head_count'),
    settings.needed('embedding_length'),
  ];
  const headDim = settings.number('attention.key_length') ?? hidden / heads;
  const valueDim = settings.number('attention.value_length') ?? headDim;
  if (valueDim !== headDim)
    throw settings.fault(
      `keys have ${headDim} values per head and values ${valueDim}; Forage needs them equal`,
      OTHER_MODEL,
    );
  const turned = settings.number('rope.dimension_count') ?? headDim;
  if (turned !== headDim)
    throw settings.fault(
      `rotary positions turn ${turned} of ${headDim} values per head; Forage turns all`,
      OTHER_MODEL,
    );
  const vocabulary = shapes.get('token_embd.weight')?.[0];
  if (vocabulary === undefined) throw settings.fault('tensor token_embd.weight is missing');
  const theta = settings.number('rope.freq_base') ?? (architecture === 'gemma3' ? 1e6 : 10_000);
  const id = (name: string): number | null => metadata.number(`tokenizer.ggml.${name}`) ?? null;
  return {
    architectures: [MODELS[architecture].class],
    model_type: MODELS[architecture].type,
    vocab_size: vocabulary,
    hidden_size: hidden,
    num_hidden_layers: layersOf(settings),
    num_attention_heads: heads,
    num_key_value_heads: settings.number('attention.head_count_kv') ?? heads,
    head_dim: headDim,
    intermediate_size: settings.needed('feed_forward_length'),
    rms_norm_eps: settings.needed('attention.layer_norm_rms_epsilon'),
    max_position_embeddings: settings.needed('context_length'),
    tie_word_embeddings: !shapes.has('output.weight'),
    ...(architecture === 'gemma3'
      ? gemmaFields(settings, theta, headDim)
      : { hidden_act: 'silu', rope_parameters: ropeOf(settings, divisors, headDim, theta) }),
    ...(architecture !== 'qwen2' && { attention_bias: shapes.has('blk.0.attn_q.bias') }),
    mlp_bias: shapes.has('blk.0.ffn_gate.bias'),
    bos_token_id: id('bos_token_id'),
    eos_token_id: id('eos_token_id'),
    pad_token_id: id('padding_token_id'),
  };
}

/**
 * Names of tensors in GGUF files and in Hugging Face checkpoints, as llama.cpp's `convert_hf_to_gguf.py` maps them.
 * The one table serves both ways: opening a file and writing one.
 */

/** Values of `general.architecture` that are computed here. */
export const GGUF_ARCHITECTURES = ['llama', 'qwen2', 'qwen3', 'smollm3', 'gemma3'] as const;
export type GgufArchitecture = (typeof GGUF_ARCHITECTURES)[number];

export const isGgufArchitecture = (name: unknown): name is GgufArchitecture =>
  GGUF_ARCHITECTURES.some((known) => known === name);

type Names = readonly (readonly [huggingFace: string, gguf: string])[];

/** Tensors that are there once. */
const ENDS: Names = [
  ['model.embed_tokens', 'token_embd'],
  ['model.norm', 'output_norm'],
  ['lm_head', 'output'],
];

/** Tensors of a layer: `model.layers.0.<left>.weight` is `blk.0.<right>.weight`. */
const PARTS: Names = [
  ['input_layernorm', 'attn_norm'],
  ['self_attn.q_proj', 'attn_q'],
  ['self_attn.k_proj', 'attn_k'],
  ['self_attn.v_proj', 'attn_v'],
  ['self_attn.o_proj', 'attn_output'],
  ['self_attn.q_norm', 'attn_q_norm'],
  ['self_attn.k_norm', 'attn_k_norm'],
  ['mlp.gate_proj', 'ffn_gate'],
  ['mlp.up_proj', 'ffn_up'],
  ['mlp.down_proj', 'ffn_down'],
];

/** Norms around the feed-forward layer; Gemma 3 also has one after attention and one after it. */
const NORMS: Record<'gemma3' | 'others', Names> = {
  others: [['post_attention_layernorm', 'ffn_norm']],
  gemma3: [
    ['post_attention_layernorm', 'post_attention_norm'],
    ['pre_feedforward_layernorm', 'ffn_norm'],
    ['post_feedforward_layernorm', 'post_ffw_norm'],
  ],
};

const partsOf = (architecture: GgufArchitecture): Names => [
  ...PARTS,
  ...NORMS[architecture === 'gemma3' ? 'gemma3' : 'others'],
];

/** @param own 0 or 1: which side of the table `name` is of */
function translated(
  architecture: GgufArchitecture,
  name: string,
  own: 0 | 1,
  layers: readonly [RegExp, string],
): string | null {
  const end = /\.(?:weight|bias)$/.exec(name)?.[0];
  if (end === undefined) return null;
  const stem = name.slice(0, -end.length);
  const find = (names: Names, wanted: string): string | undefined =>
    names.find((pair) => pair[own] === wanted)?.[own === 0 ? 1 : 0];
  const [pattern, prefix] = layers;
  const layer = pattern.exec(stem);
  if (!layer) {
    const found = find(ENDS, stem);
    return found === undefined ? null : found + end;
  }
  const part = find(partsOf(architecture), layer[2] ?? '');
  return part === undefined ? null : `${prefix}.${layer[1]}.${part}${end}`;
}

/** The GGUF name of a Hugging Face tensor, such as `blk.0.attn_q.weight`; null where it has none. */
export const ggufName = (architecture: GgufArchitecture, name: string): string | null =>
  translated(architecture, name, 0, [/^model\.layers\.(\d+)\.(.+)$/, 'blk']);

/** The Hugging Face name of a GGUF tensor; null where it has none. */
export const huggingFaceName = (architecture: GgufArchitecture, name: string): string | null =>
  translated(architecture, name, 1, [/^blk\.(\d+)\.(.+)$/, 'model.layers']);

/**
 * Which heads of a tensor have their rows in another order in the file. llama.cpp turns neighbouring rows of q and k
 * together (interleaved RoPE) in these architectures, Hugging Face turns row i with row i + headDim/2; the converter
 * reorders rows of weights and biases. Null: the rows are in the same order.
 */
export function interleavedHeads(
  architecture: GgufArchitecture,
  huggingFace: string,
): 'heads' | 'kvHeads' | null {
  if (architecture !== 'llama' && architecture !== 'smollm3') return null;
  if (/\.q_proj\.(?:weight|bias)$/.test(huggingFace)) return 'heads';
  return /\.k_proj\.(?:weight|bias)$/.test(huggingFace) ? 'kvHeads' : null;
}

/** The row of an interleaved GGUF tensor that is row `row` of the Hugging Face tensor. */
export function interleavedRow(row: number, headDim: number): number {
  const within = row % headDim;
  const half = headDim / 2;
  return row - within + (within < half ? 2 * within : 2 * (within - half) + 1);
}

/**
 * Whether a vector is stored with 1 added: Gemma's norms multiply by 1 + weight, and the converter writes the sum.
 * @param huggingFace name of the tensor in the checkpoint
 */
export const storedPlusOne = (architecture: GgufArchitecture, huggingFace: string): boolean =>
  architecture === 'gemma3' && huggingFace.endsWith('norm.weight');

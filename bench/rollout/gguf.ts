import type { PolicyWeights } from '../../src/policy/checkpoint/weights.ts';

type Value =
  | { type: 'u32'; value: number }
  | { type: 'f32'; value: number }
  | { type: 'string'; value: string }
  | { type: 'strings'; value: readonly string[] }
  | { type: 'i32s'; value: readonly number[] };

const TYPE = { u32: 4, i32: 5, f32: 6, string: 8, array: 9 } as const;
const ALIGNMENT = 32;
const GGML_F32 = 0;
const GGML_F16 = 1;

/** Appends little-endian values to a growing buffer. */
class Writer {
  #bytes = new Uint8Array(1 << 20);
  length = 0;

  #view(size: number): DataView {
    if (this.length + size > this.#bytes.length) {
      const larger = new Uint8Array(Math.max(2 * this.#bytes.length, this.length + size));
      larger.set(this.#bytes);
      this.#bytes = larger;
    }
    const view = new DataView(this.#bytes.buffer, this.length, size);
    this.length += size;
    return view;
  }

  u32(value: number): void {
    this.#view(4).setUint32(0, value, true);
  }
  u64(value: number): void {
    this.#view(8).setBigUint64(0, BigInt(value), true);
  }
  f32(value: number): void {
    this.#view(4).setFloat32(0, value, true);
  }
  bytes(values: Uint8Array): void {
    const view = this.#view(values.length);
    new Uint8Array(view.buffer, view.byteOffset, values.length).set(values);
  }
  string(value: string): void {
    const bytes = new TextEncoder().encode(value);
    this.u64(bytes.length);
    this.bytes(bytes);
  }
  align(): void {
    this.#view((ALIGNMENT - (this.length % ALIGNMENT)) % ALIGNMENT);
  }
  finish(): Uint8Array<ArrayBuffer> {
    return this.#bytes.slice(0, this.length);
  }
}

function writeValue(out: Writer, v: Value): void {
  if (v.type === 'strings' || v.type === 'i32s') {
    out.u32(TYPE.array);
    out.u32(v.type === 'strings' ? TYPE.string : TYPE.i32);
    out.u64(v.value.length);
    for (const item of v.value) {
      if (typeof item === 'string') out.string(item);
      else out.u32(item);
    }
    return;
  }
  out.u32(TYPE[v.type]);
  if (v.type === 'string') out.string(v.value);
  else if (v.type === 'u32') out.u32(v.value);
  else out.f32(v.value);
}

/** GPT-2's printable stand-ins of the ASCII bytes. */
function asciiTokens(): string[] {
  let next = 256;
  return Array.from({ length: 128 }, (_, b) =>
    String.fromCodePoint(b >= 33 && b <= 126 ? b : next++),
  );
}

/**
 * Letters and words. No merges lead to the words, so that a prompt of n letters has n tokens; and
 * all is ASCII, since the peer fails on random bytes that are no UTF-8.
 */
function vocabulary(size: number): string[] {
  const letters = asciiTokens();
  return [...letters, ...Array.from({ length: size - letters.length }, (_, i) => `word${i}`)];
}

/** How llama.cpp names the tensors. */
function tensorName(name: string): string {
  const layer = /^model\.layers\.(\d+)\.(.+)\.weight$/.exec(name);
  const parts: Record<string, string> = {
    input_layernorm: 'attn_norm',
    'self_attn.q_proj': 'attn_q',
    'self_attn.k_proj': 'attn_k',
    'self_attn.v_proj': 'attn_v',
    'self_attn.q_norm': 'attn_q_norm',
    'self_attn.k_norm': 'attn_k_norm',
    'self_attn.o_proj': 'attn_output',
    post_attention_layernorm: 'ffn_norm',
    'mlp.gate_proj': 'ffn_gate',
    'mlp.up_proj': 'ffn_up',
    'mlp.down_proj': 'ffn_down',
  };
  if (layer) return `blk.${layer[1]}.${parts[layer[2]!]}.weight`;
  if (name === 'model.embed_tokens.weight') return 'token_embd.weight';
  return name === 'model.norm.weight' ? 'output_norm.weight' : 'output.weight';
}

function metadata({ config: c }: PolicyWeights): [string, Value][] {
  const u32 = (value: number): Value => ({ type: 'u32', value });
  const f32 = (value: number): Value => ({ type: 'f32', value });
  const string = (value: string): Value => ({ type: 'string', value });
  const tokens = vocabulary(c.vocabSize);
  return [
    ['general.architecture', string('qwen3')],
    ['general.name', string('random')],
    ['general.alignment', u32(ALIGNMENT)],
    ['qwen3.block_count', u32(c.layers)],
    ['qwen3.context_length', u32(c.maxPositions)],
    ['qwen3.embedding_length', u32(c.hiddenSize)],
    ['qwen3.feed_forward_length', u32(c.intermediateSize)],
    ['qwen3.attention.head_count', u32(c.heads)],
    ['qwen3.attention.head_count_kv', u32(c.kvHeads)],
    ['qwen3.attention.key_length', u32(c.headDim)],
    ['qwen3.attention.value_length', u32(c.headDim)],
    ['qwen3.attention.layer_norm_rms_epsilon', f32(c.rmsNormEps)],
    ['qwen3.rope.freq_base', f32(c.ropeTheta)],
    ['qwen3.rope.dimension_count', u32(c.headDim)],
    ['tokenizer.ggml.model', string('gpt2')],
    ['tokenizer.ggml.pre', string('qwen2')],
    ['tokenizer.ggml.tokens', { type: 'strings', value: tokens }],
    [
      'tokenizer.ggml.token_type',
      { type: 'i32s', value: tokens.map((_, i) => (i === c.vocabSize - 1 ? 3 : 1)) },
    ],
    ['tokenizer.ggml.merges', { type: 'strings', value: ['Ġ Ġ'] }],
    ['tokenizer.ggml.eos_token_id', u32(c.vocabSize - 1)],
    ['tokenizer.ggml.padding_token_id', u32(c.vocabSize - 1)],
  ];
}

/**
 * A GGUF file (version 3) of a Qwen3-shaped model for llama.cpp, with a byte vocabulary.
 * @param toHalf rounds matrices to f16 bits; without it they stay f32. Norms are f32 always.
 */
export function writeGguf(
  weights: PolicyWeights,
  toHalf?: (value: number) => number,
): Uint8Array<ArrayBuffer> {
  const out = new Writer();
  const entries = metadata(weights);
  out.u32(0x46554747);
  out.u32(3);
  out.u64(weights.slots.length);
  out.u64(entries.length);
  for (const [key, value] of entries) {
    out.string(key);
    writeValue(out, value);
  }
  const half = (shape: readonly number[]): boolean => toHalf !== undefined && shape.length > 1;
  let offset = 0;
  for (const { name, shape, length } of weights.slots) {
    out.string(tensorName(name));
    out.u32(shape.length);
    for (const size of [...shape].reverse()) out.u64(size);
    out.u32(half(shape) ? GGML_F16 : GGML_F32);
    out.u64(offset);
    offset += Math.ceil((length * (half(shape) ? 2 : 4)) / ALIGNMENT) * ALIGNMENT;
  }
  for (const { shape, offset: from, length } of weights.slots) {
    out.align();
    const values = weights.flat.subarray(from, from + length);
    const stored = half(shape) ? Uint16Array.from(values, toHalf) : Float32Array.from(values);
    out.bytes(new Uint8Array(stored.buffer));
  }
  out.align();
  return out.finish();
}

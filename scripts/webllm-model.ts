/**
 * Writes a WebLLM model folder with random weights for a compiled library, so that the whole way from
 * download to rollout can be tried without a hub: npx tsx scripts/webllm-model.ts LIBRARY.wasm FOLDER
 *
 * The library names its parameters and their shapes; FOLDER gets them in shards, a config, and a
 * tokenizer of bytes and made-up words. What such a model writes means nothing.
 */
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { instructionText } from '../src/agent/transcript/instruction.ts';
import { getRecipe } from '../src/systems/index.ts';

const metadataSchema = z.object({
  context_window_size: z.number(),
  prefill_chunk_size: z.number(),
  params: z.array(
    z.object({
      name: z.string(),
      shape: z.array(z.number()),
      dtype: z.enum(['uint32', 'float32']),
    }),
  ),
});

/** The JSON object that begins at `start`; braces inside strings do not occur in it. */
function objectAt(text: string, start: number): unknown {
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    if (text[at] === '{') depth += 1;
    if (text[at] === '}' && --depth === 0) return JSON.parse(text.slice(start, at + 1));
  }
  throw new Error('the library ends inside its metadata');
}

function readMetadata(library: Uint8Array) {
  const text = Buffer.from(library).toString('latin1');
  const start = text.indexOf('{"model_type"');
  if (start < 0) throw new Error('this library has no metadata; is it a WebLLM model library?');
  return metadataSchema.parse(objectAt(text, start));
}

/** xorshift32: the same folder every time. */
function randomBits(seed: number): () => number {
  let state = seed;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state >>> 0;
  };
}

type Parameter = z.infer<typeof metadataSchema>['params'][number];

const sizeOf = ({ shape }: Parameter): number => shape.reduce((product, side) => product * side, 1);

/** Quantized weights are any bits; scales keep activations near one; norms are ones, biases zeros. */
function valuesOf(parameter: Parameter, bits: () => number): Uint8Array {
  const length = sizeOf(parameter);
  if (parameter.dtype === 'uint32')
    return new Uint8Array(Uint32Array.from({ length }, bits).buffer);
  const values = new Float32Array(length);
  if (parameter.name.endsWith('q_scale')) values.fill(0.008);
  else if (parameter.name.endsWith('norm.weight')) values.fill(1);
  return new Uint8Array(values.buffer);
}

/** Bytes as the GPT-2 tokenizers spell them. */
function byteSpellings(): string[] {
  const printable = (byte: number): boolean =>
    (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || byte >= 174;
  let next = 256;
  return Array.from({ length: 256 }, (_, byte) =>
    String.fromCharCode(printable(byte) ? byte : next++),
  );
}

const SPECIAL = ['<|endoftext|>', '<|im_start|>', '<|im_end|>'];

/** Words of what the agent tells a policy: known whole, so that a prompt is tens of tokens long. */
const promptWords = (): string[] => {
  const text = instructionText(getRecipe('naive-generation').settings);
  return [...new Set(text.match(/[ <\\]?[\p{L}_]{2,}/gu))];
};

function tokenizer(vocabulary: number) {
  const spelt = byteSpellings();
  const added = [...promptWords(), ...SPECIAL];
  const words = Array.from(
    { length: vocabulary - spelt.length - added.length },
    (_, i) => `Ġw${i}`,
  );
  const tokens = [...spelt, ...words];
  return {
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: added.map((content, i) => ({
      id: tokens.length + i,
      content,
      single_word: false,
      lstrip: false,
      rstrip: false,
      normalized: false,
      special: SPECIAL.includes(content),
    })),
    normalizer: null,
    pre_tokenizer: {
      type: 'ByteLevel',
      add_prefix_space: false,
      trim_offsets: false,
      use_regex: true,
    },
    post_processor: null,
    decoder: { type: 'ByteLevel', add_prefix_space: false, trim_offsets: false, use_regex: true },
    model: {
      type: 'BPE',
      dropout: null,
      unk_token: null,
      continuing_subword_prefix: '',
      end_of_word_suffix: '',
      fuse_unk: false,
      byte_fallback: false,
      vocab: Object.fromEntries(tokens.map((token, id) => [token, id])),
      merges: [],
    },
  };
}

function chatConfig(vocabulary: number, metadata: z.infer<typeof metadataSchema>) {
  const end = vocabulary - 1;
  return {
    version: '0.1.0',
    model_type: 'qwen2',
    vocab_size: vocabulary,
    context_window_size: metadata.context_window_size,
    sliding_window_size: -1,
    prefill_chunk_size: metadata.prefill_chunk_size,
    attention_sink_size: -1,
    tensor_parallel_shards: 1,
    temperature: 1,
    top_p: 1,
    repetition_penalty: 1,
    presence_penalty: 0,
    frequency_penalty: 0,
    pad_token_id: vocabulary - 3,
    bos_token_id: vocabulary - 3,
    eos_token_id: [end],
    tokenizer_files: ['tokenizer.json'],
    tokenizer_info: {
      token_postproc_method: 'byte_level',
      prepend_space_in_encode: false,
      strip_space_in_decode: false,
    },
    conv_template: {
      name: 'chatml',
      system_template: '<|im_start|>system\n{system_message}<|im_end|>\n',
      system_message: 'You answer questions.',
      system_prefix_token_ids: null,
      add_role_after_system_message: true,
      roles: { user: '<|im_start|>user', assistant: '<|im_start|>assistant' },
      role_templates: {
        user: '{user_message}',
        assistant: '{assistant_message}',
        tool: '{tool_message}',
      },
      messages: [],
      seps: ['<|im_end|>\n'],
      role_content_sep: '\n',
      role_empty_sep: '\n',
      stop_str: ['<|im_end|>'],
      stop_token_ids: [end],
      function_string: '',
      use_function_calling: false,
    },
  };
}

const SHARD_BYTES = 32 * 2 ** 20;

function main(library: string, folder: string): void {
  const metadata = readMetadata(readFileSync(library));
  mkdirSync(folder, { recursive: true });
  const bits = randomBits(20_250_506);
  const shards: object[] = [];
  let parts: Uint8Array[] = [];
  let records: object[] = [];
  let bytes = 0;
  const close = (): void => {
    if (parts.length === 0) return;
    const dataPath = `params_shard_${shards.length}.bin`;
    writeFileSync(join(folder, dataPath), Buffer.concat(parts));
    shards.push({ dataPath, format: 'raw-shard', nbytes: bytes, records });
    parts = [];
    records = [];
    bytes = 0;
  };
  for (const parameter of metadata.params) {
    const values = valuesOf(parameter, bits);
    if (bytes + values.length > SHARD_BYTES) close();
    const { name, shape, dtype } = parameter;
    const place = { nbytes: values.length, byteOffset: bytes };
    records.push({ name, shape, dtype, format: 'raw', ...place });
    parts.push(values);
    bytes += values.length;
  }
  close();
  const json = (name: string, value: unknown): void =>
    writeFileSync(join(folder, name), JSON.stringify(value));
  const vocabulary = metadata.params[0]?.shape[0] ?? 0;
  json('ndarray-cache.json', { metadata: { ParamSize: metadata.params.length }, records: shards });
  json('mlc-chat-config.json', chatConfig(vocabulary, metadata));
  json('tokenizer.json', tokenizer(vocabulary));
  copyFileSync(library, join(folder, 'library.wasm'));
  console.log(`${metadata.params.length} parameters in ${shards.length} shards, in ${folder}`);
}

const [library, folder] = process.argv.slice(2);
if (library === undefined || folder === undefined) {
  console.error('npx tsx scripts/webllm-model.ts LIBRARY.wasm FOLDER');
  process.exit(2);
}
main(library, folder);

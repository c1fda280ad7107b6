import { isObject } from '../../base/objects.ts';
import { parsed, parseJson } from '../checkpoint/checkpoint-error.ts';
import type { CheckpointFiles } from '../checkpoint/checkpoint-files.ts';
import {
  openCheckpoint,
  readOptionalFile,
  readSmallFile,
  WEIGHTS,
  WEIGHTS_INDEX,
} from '../checkpoint/checkpoint.ts';
import { parsePolicyConfig, variantOf, type PolicyConfig } from '../checkpoint/config.ts';
import { encodeHeader } from '../checkpoint/safetensors.ts';
import { readLayerValues, type TensorSource } from '../checkpoint/tensor-source.ts';
import { EMBED, FINAL_NORM, HEAD, parameterSlots, viewLayer } from '../checkpoint/weights.ts';
import { checkedSlots, checkMergeable } from '../lora/check.ts';
import { mergeLayer } from '../lora/merge.ts';
import type { LoraValues } from '../policy.ts';

/** A file of a folder, in pieces: weights need never be in memory as a whole. */
export interface PiecedFile {
  name: string;
  bytes: number;
  pieces: () => AsyncIterable<Uint8Array<ArrayBuffer>>;
}

const CONFIG = 'config.json';
/** Values of one piece, 64 MB. */
const PIECE = 2 ** 24;

const bytesOf = (values: Float32Array): Uint8Array<ArrayBuffer> =>
  new Uint8Array(new Float32Array(values).buffer);

async function* tensorPieces(source: TensorSource, name: string) {
  const length = parameterSlots(source.config).find((slot) => slot.name === name)?.length ?? 0;
  for (let at = 0; at < length; at += PIECE)
    yield bytesOf(await source.read(name, at, Math.min(at + PIECE, length)));
}

/** The values in the order of `parameterSlots`, one layer in memory at a time. */
async function* weightPieces(source: TensorSource, { spec, flat }: LoraValues) {
  const { config } = source;
  yield encodeHeader(parameterSlots(config), 'F32');
  yield* tensorPieces(source, EMBED);
  for (let layer = 0; layer < config.layers; layer++) {
    const values = await readLayerValues(source, layer);
    mergeLayer(config, viewLayer(config, values), layer, spec, flat);
    yield bytesOf(values);
  }
  yield* tensorPieces(source, FINAL_NORM);
  if (!config.tieWordEmbeddings) yield* tensorPieces(source, HEAD);
}

/**
 * The checkpoint's own config.json, with the stored type of the weights and whether the head is tied; of a Gemma 3
 * with images that of its text part.
 */
async function configBytes(
  files: CheckpointFiles,
  config: PolicyConfig,
): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = await readSmallFile(files, CONFIG);
  const whole: Record<string, unknown> = { ...parsed(CONFIG, () => parseJson(bytes)) };
  const { text_config: text } = whole;
  const json: Record<string, unknown> = isObject(text)
    ? {
        dtype: whole['dtype'] ?? whole['torch_dtype'],
        ...text,
        architectures: ['Gemma3ForCausalLM'],
      }
    : whole;
  const { embedScale } = variantOf(config);
  // The scale of Gemma's embeddings is rounded to this type: it says what was trained.
  if (embedScale === 1)
    for (const name of ['dtype', 'torch_dtype']) if (name in json) json[name] = 'float32';
  // A head that differs from the embedding stays a tensor, which transformers would otherwise tie or warn of.
  if (!config.tieWordEmbeddings && parsePolicyConfig(json).tieWordEmbeddings)
    json['tie_word_embeddings'] = false;
  return new TextEncoder().encode(`${JSON.stringify(json, null, 2)}\n`);
}

const whole = (name: string, bytes: Uint8Array): PiecedFile => ({
  name,
  bytes: bytes.length,
  async *pieces() {
    yield new Uint8Array(bytes);
  },
});

/**
 * A checkpoint with an adapter folded in, as a folder that transformers loads: its own config.json,
 * tokenizer, generation settings and chat template, and float32 weights in one model.safetensors
 * (`W + (alpha / rank) B A`; Hu et al., 2021, section 4.1).
 *
 * @param names files to keep where the checkpoint has them; those that hold weights are left out
 * @param onNote is given what the user should know of the checkpoint's files
 * @throws CheckpointError that names the file at fault; RangeError for an adapter of another shape
 */
export async function mergedFiles(
  files: CheckpointFiles,
  names: readonly string[],
  adapter: LoraValues,
  onNote: (note: string) => void = () => undefined,
): Promise<PiecedFile[]> {
  // All positions that the config states: a context that was shortened here is not the checkpoint's.
  const source = await openCheckpoint(files);
  checkedSlots(source.config, adapter.spec, adapter.flat);
  checkMergeable(adapter.spec);
  source.notes.forEach(onNote);
  const side: PiecedFile[] = [];
  for (const name of names) {
    if (name === CONFIG || name === WEIGHTS_INDEX || name.endsWith('.safetensors')) continue;
    const bytes = await readOptionalFile(files, name);
    if (bytes) side.push(whole(name, bytes));
  }
  const slots = parameterSlots(source.config);
  const values = slots.reduce((sum, { length }) => sum + length, 0);
  return [
    whole(CONFIG, await configBytes(files, source.config)),
    ...side,
    {
      name: WEIGHTS,
      bytes: encodeHeader(slots, 'F32').length + 4 * values,
      pieces: () => weightPieces(source, adapter),
    },
  ];
}

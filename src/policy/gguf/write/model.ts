import type { CheckpointFiles } from '../../checkpoint/checkpoint-files.ts';
import { openCheckpoint } from '../../checkpoint/checkpoint.ts';
import type { PolicyConfig } from '../../checkpoint/config.ts';
import { readLayerValues, type TensorSource } from '../../checkpoint/tensor-source.ts';
import {
  EMBED,
  FINAL_NORM,
  HEAD,
  layerSlots,
  parameterSlots,
  viewLayer,
} from '../../checkpoint/weights.ts';
import { checkedSlots, checkMergeable } from '../../lora/check.ts';
import { mergeLayer } from '../../lora/merge.ts';
import type { PiecedFile } from '../../open/merged-files.ts';
import type { LoraValues } from '../../policy.ts';
import { architectureMetadata, architectureOf, ropeFactors } from './architecture.ts';
import type { GgufMetadata, GgufValue, WrittenType } from './encode.ts';
import { ggufFile } from './file.ts';
import { tensorOf, writtenValues } from './tensors.ts';
import { tokenizerMetadata } from './tokenizer.ts';

/** llama.cpp's number (`general.file_type`) for what most matrices are stored as. */
const FILE_TYPE = { F32: 0, F16: 1, Q8_0: 7 } as const;

const ROPE_FACTORS = 'rope_freqs.weight';

/** Values of one piece: 16 MB, whole blocks. */
const PIECE = 2 ** 22;

async function* matrixPieces(source: TensorSource, name: string) {
  const length = parameterSlots(source.config).find((slot) => slot.name === name)?.length ?? 0;
  for (let at = 0; at < length; at += PIECE)
    yield await source.read(name, at, Math.min(at + PIECE, length));
}

/** The values of all tensors in the order of `parameterSlots`, one layer in memory at a time. */
async function* mergedValues(source: TensorSource, adapter: LoraValues | null) {
  const { config } = source;
  const architecture = architectureOf(config);
  const written = (slot: { name: string; shape: readonly number[] }, values: Float32Array) =>
    writtenValues(architecture, config, slot, values);
  const embed = { name: EMBED, shape: [config.vocabSize, config.hiddenSize] };
  for await (const values of matrixPieces(source, EMBED)) yield written(embed, values);
  for (let layer = 0; layer < config.layers; layer++) {
    const values = await readLayerValues(source, layer);
    if (adapter) mergeLayer(config, viewLayer(config, values), layer, adapter.spec, adapter.flat);
    for (const slot of layerSlots(config, layer))
      yield written(slot, values.subarray(slot.offset, slot.offset + slot.length));
  }
  yield written({ name: FINAL_NORM, shape: [config.hiddenSize] }, await source.read(FINAL_NORM));
  if (!config.tieWordEmbeddings) yield* matrixPieces(source, HEAD);
}

/**
 * A model with its metadata as one GGUF file.
 * @param metadata that of architecture and tokenizer
 * @param type what matrices are stored as; vectors stay F32
 */
export function ggufOfSource(
  fileName: string,
  source: TensorSource,
  metadata: GgufMetadata,
  type: WrittenType,
  adapter: LoraValues | null = null,
): PiecedFile {
  const architecture = architectureOf(source.config);
  const tensors = parameterSlots(source.config).map((slot) => tensorOf(architecture, slot, type));
  const factors = ropeFactors(source.config);
  return ggufFile(fileName, {
    metadata: new Map<string, GgufValue>([
      ...metadata,
      ['general.file_type', { type: 'u32', value: FILE_TYPE[type] }],
      ['general.quantization_version', { type: 'u32', value: 2 }],
    ]),
    tensors: factors
      ? [...tensors, { name: ROPE_FACTORS, shape: [factors.length], type: 'F32' }]
      : tensors,
    values: async function* () {
      yield* mergedValues(source, adapter);
      if (factors) yield factors;
    },
  });
}

/** Of another file's metadata, what is not so of one that is written here: what its tensors are stored as, and where. */
const NOT_CARRIED =
  /^(?:general\.(?:alignment|file_type|quantization_version)$|split\.|quantize\.)/;

/** The metadata that the checkpoint's own GGUF file has, else that of its Hugging Face folder. */
async function metadataOf(
  files: CheckpointFiles,
  config: PolicyConfig,
  id: string,
): Promise<GgufMetadata> {
  const own = architectureMetadata(config, id);
  const given = await files.ggufMetadata?.();
  if (!given) return new Map([...own, ...(await tokenizerMetadata(files, config.vocabSize))]);
  const carried = [...given].filter(([key]) => !NOT_CARRIED.test(key));
  return new Map<string, GgufValue>([
    ...carried.map(([key, bytes]) => [key, { type: 'encoded', bytes }] as const),
    ['general.name', { type: 'string', value: id }],
  ]);
}

/**
 * A checkpoint with an adapter folded in (`W + (alpha / rank) B A`; Hu et al., 2021, section 4.1) as one GGUF file for
 * llama.cpp and what is built on it: vectors in F32, matrices in `type`, tokenizer and chat template.
 *
 * @param id name of the model in the file
 * @param onNote is given what the user should know of the checkpoint's files
 * @throws CheckpointError that names the file at fault; RangeError for an adapter of another shape; Error for what
 *   llama.cpp does not compute
 */
export async function mergedGguf(
  files: CheckpointFiles,
  id: string,
  fileName: string,
  type: 'F16' | 'Q8_0',
  adapter: LoraValues,
  onNote: (note: string) => void = () => undefined,
): Promise<PiecedFile> {
  const source = await openCheckpoint(files);
  checkedSlots(source.config, adapter.spec, adapter.flat);
  checkMergeable(adapter.spec);
  source.notes.forEach(onNote);
  const metadata = await metadataOf(files, source.config, id);
  return ggufOfSource(fileName, source, metadata, type, adapter);
}

import { CheckpointError } from '../checkpoint/checkpoint-error.ts';
import type { CheckpointFiles } from '../checkpoint/checkpoint-files.ts';
import { messageOf } from '../../base/errors.ts';
import { parsePolicyConfig } from '../checkpoint/config.ts';
import { architectureOf, ggufConfig } from './config.ts';
import { readBytes, readGgufHeader, type GgufBytes, type GgufHeader } from './header.ts';
import type { GgufMetadata } from './metadata.ts';
import type { GgufArchitecture } from './names.ts';
import { dequantiseBlocks } from './blocks.ts';
import { ggufSource, type FiledTensor } from './source.ts';
import { tokenizerOfGguf } from './tokenizer.ts';

/** A model in a GGUF file, or in the parts of one. */
export interface GgufModel {
  readonly architecture: GgufArchitecture;
  readonly metadata: GgufMetadata;
  /** `config.json`, as Hugging Face writes it. */
  readonly config: Readonly<Record<string, unknown>>;
  /** Names of all files: those of a Hugging Face folder, made of the metadata, and the GGUF files themselves. */
  readonly names: readonly string[];
  /** These files; the weights are read from the GGUF files. */
  readonly files: CheckpointFiles;
}

interface Part {
  readonly file: GgufBytes;
  readonly header: GgufHeader;
}

/** @throws CheckpointError where parts are missing, or of different models */
function checkParts(parts: readonly Part[]): void {
  const [first] = parts;
  if (!first) throw new Error('gguf: no file');
  const { file, header } = first;
  const count = header.metadata.number('split.count') ?? 1;
  if (count !== parts.length)
    throw new CheckpointError(
      file.name,
      `it is one of ${count} parts, and ${parts.length} ${parts.length === 1 ? 'is' : 'are'} here`,
      `Put all ${count} parts side by side, under their own names (…-00001-of-${String(count).padStart(5, '0')}.gguf)`,
    );
  for (const [i, part] of parts.entries()) {
    const number = part.header.metadata.number('split.no') ?? 0;
    if (number !== i)
      throw new CheckpointError(
        part.file.name,
        `it is part ${number + 1}, not part ${i + 1}`,
        'Give the parts their own names again',
      );
  }
}

/** @throws CheckpointError where two parts have the same tensor, or one is missing */
function tensorsOf(parts: readonly Part[]): Map<string, FiledTensor> {
  const tensors = new Map<string, FiledTensor>();
  for (const { file, header } of parts)
    for (const tensor of header.tensors) {
      if (tensors.has(tensor.name))
        throw new CheckpointError(
          file.name,
          `tensor ${tensor.name} is in another part too`,
          'Use parts of one model',
        );
      tensors.set(tensor.name, { ...tensor, file });
    }
  const wanted = parts[0]?.header.metadata.number('split.tensors.count');
  if (wanted !== undefined && wanted !== tensors.size)
    throw new CheckpointError(
      parts[0]?.file.name ?? '',
      `the parts hold ${tensors.size} tensors, and should hold ${wanted}`,
      'Use parts of one model',
    );
  return tensors;
}

async function rotaryDivisors(tensors: ReadonlyMap<string, FiledTensor>) {
  const tensor = tensors.get('rope_freqs.weight');
  if (!tensor || tensor.type !== 'F32') return null;
  const bytes = await readBytes(tensor.file, tensor.begin, tensor.end);
  return dequantiseBlocks(tensor.type, bytes, tensor.count);
}

/** @throws CheckpointError where the metadata gives a model that is not computed here */
function checkConfig(file: string, config: object): void {
  try {
    parsePolicyConfig(config);
  } catch (error) {
    throw new CheckpointError(
      file,
      `its metadata is not that of a model Forage computes: ${messageOf(error).replace(/^config\.json: /, '')}`,
      'Use another GGUF file of this model, or another model',
    );
  }
}

const json = (value: object): Uint8Array => new TextEncoder().encode(JSON.stringify(value));

/** The files of a Hugging Face folder that the metadata says, each made when it is first wanted. */
function filesOf(
  metadata: GgufMetadata,
  name: string,
  config: object,
): ReadonlyMap<string, () => Uint8Array> {
  const once = <T>(make: () => T): (() => T) => {
    let made: { value: T } | null = null;
    return () => (made ??= { value: make() }).value;
  };
  const tokenizer = once(() => tokenizerOfGguf(metadata, name));
  return new Map([
    ['config.json', once(() => json(config))],
    ['tokenizer.json', once(() => json(tokenizer().tokenizer))],
    ['tokenizer_config.json', once(() => json(tokenizer().config))],
    ['generation_config.json', once(() => json(tokenizer().generation))],
  ]);
}

async function encodedMetadata({ file, header }: Part): Promise<Map<string, Uint8Array>> {
  const bytes = await readBytes(file, 0, header.dataStart);
  return new Map(
    [...header.places].map(([key, { begin, end }]) => [key, bytes.subarray(begin, end)]),
  );
}

/**
 * Opens a GGUF file, or the parts of one in their order, as a checkpoint: headers are read and checked, values are not.
 * @throws CheckpointError that says what is wrong with which file
 */
export async function openGguf(files: readonly GgufBytes[]): Promise<GgufModel> {
  const parts: Part[] = [];
  for (const file of files) parts.push({ file, header: await readGgufHeader(file) });
  checkParts(parts);
  const tensors = tensorsOf(parts);
  const { file, header } = parts[0]!;
  const { metadata } = header;
  const architecture = architectureOf(file.name, metadata);
  const divisors = await rotaryDivisors(tensors);
  const config = ggufConfig(file.name, metadata, [...tensors.values()], divisors);
  checkConfig(file.name, config);
  const made = filesOf(metadata, file.name, config);
  const stored = new Map(files.map((one) => [one.name, one]));
  const bytesOf = (name: string): Uint8Array | undefined => made.get(name)?.();
  return {
    architecture,
    metadata,
    config,
    names: [...made.keys(), ...stored.keys()],
    files: {
      main: file.name,
      size: async (name) => bytesOf(name)?.length ?? stored.get(name)?.size ?? null,
      readRange: async (name, start, end) => {
        const bytes = bytesOf(name);
        if (bytes) return bytes.subarray(start, end);
        const there = stored.get(name);
        if (!there) throw new Error(`no file ${name}`);
        return there.read(start, end);
      },
      weights: (asked) => ggufSource(asked, architecture, tensors, files),
      ggufMetadata: () => encodedMetadata(parts[0]!),
    },
  };
}

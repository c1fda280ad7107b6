import { z } from 'zod';
import { messageOf, issueOf } from '../../base/errors.ts';
import { AGAIN, CheckpointError, oneLine, parsed, parseJson } from './checkpoint-error.ts';
import type { CheckpointFiles, CheckpointSource } from './checkpoint-files.ts';
import { parsePolicyConfig, type PolicyConfig } from './config.ts';
import {
  asFloat,
  bytesOf,
  HEADER_PREFIX_BYTES,
  headerLength,
  readEntries,
  widen,
  type FloatEntry,
  type TensorEntry,
} from './safetensors.ts';
import { EMBED, HEAD, LAYER, parameterSlots, type ParameterSlot } from './weights.ts';

export const WEIGHTS = 'model.safetensors';
export const WEIGHTS_INDEX = 'model.safetensors.index.json';

/**
 * A real header has some 150 bytes a tensor, and a decoder at most 15,000 tensors (1,024 layers). JSON of a
 * hostile one becomes some 30 times larger in memory.
 */
export const MAX_HEADER_BYTES = 2 * 2 ** 20;
/** Tokenizers with 200,000 tokens are below this. */
const MAX_TOKENIZER_BYTES = 64 * 2 ** 20;
/** The other files, an index of all tensors included. */
const MAX_JSON_BYTES = 2 * 2 ** 20;
const MAX_SHARDS = 1000;

/** Bytes of a small file. @throws CheckpointError where it is missing or too long */
export async function readSmallFile(files: CheckpointFiles, name: string): Promise<Uint8Array> {
  const bytes = await readOptionalFile(files, name);
  if (bytes) return bytes;
  throw new CheckpointError(
    name,
    'is missing',
    'A checkpoint is a folder with config.json, tokenizer.json and model.safetensors',
  );
}

/** Bytes of a small file, or null where there is none. @throws CheckpointError where it is too long */
export async function readOptionalFile(
  files: CheckpointFiles,
  name: string,
): Promise<Uint8Array | null> {
  const size = await files.size(name);
  if (size === null) return null;
  const most = name === 'tokenizer.json' ? MAX_TOKENIZER_BYTES : MAX_JSON_BYTES;
  if (size > most)
    throw new CheckpointError(name, `has ${size} bytes; at most ${most} are read`, AGAIN);
  return readRange(files, name, 0, size);
}

async function readRange(
  files: CheckpointFiles,
  name: string,
  start: number,
  end: number,
): Promise<Uint8Array> {
  let bytes: Uint8Array;
  try {
    bytes = await files.readRange(name, start, end);
  } catch (error) {
    throw new CheckpointError(name, `cannot be read (${messageOf(error)})`, AGAIN);
  }
  if (bytes.byteLength !== end - start)
    throw new CheckpointError(
      name,
      `gave ${bytes.byteLength} bytes where ${end - start} were asked for`,
      AGAIN,
    );
  return bytes;
}

/** Shard by tensor, of `model.safetensors.index.json`; names are plain file names. */
const indexSchema = z.object({
  weight_map: z.record(z.string(), z.string().regex(/^[\w.-]{1,200}\.safetensors$/)),
});

interface Shard {
  readonly name: string;
  readonly dataStart: number;
  readonly entries: readonly TensorEntry[];
}

async function openShard(files: CheckpointFiles, name: string): Promise<Shard> {
  const size = await files.size(name);
  if (size === null)
    throw new CheckpointError(name, 'is missing', 'Download the missing part of the checkpoint');
  const prefix = await readRange(files, name, 0, Math.min(size, HEADER_PREFIX_BYTES));
  const length = parsed(name, () => headerLength(prefix, size, MAX_HEADER_BYTES));
  const dataStart = HEADER_PREFIX_BYTES + length;
  const header = await readRange(files, name, HEADER_PREFIX_BYTES, dataStart);
  return { name, dataStart, entries: parsed(name, () => readEntries(header, size - dataStart)) };
}

/** The shards, and of the tensors that the index names, the shard of each. */
async function openShards(
  files: CheckpointFiles,
): Promise<{ shards: Shard[]; index: ReadonlyMap<string, string> | null }> {
  if ((await files.size(WEIGHTS)) !== null)
    return { shards: [await openShard(files, WEIGHTS)], index: null };
  const bytes = await readOptionalFile(files, WEIGHTS_INDEX);
  if (!bytes)
    throw new CheckpointError(
      WEIGHTS,
      `is missing, and so is ${WEIGHTS_INDEX}`,
      'Weights must be safetensors; convert pytorch_model.bin with save_pretrained first',
    );
  const index = parsed(WEIGHTS_INDEX, () => {
    const { data, error } = indexSchema.safeParse(parseJson(bytes));
    if (data) return new Map(Object.entries(data.weight_map));
    throw new Error(issueOf(error, 'file'));
  });
  const names = [...new Set(index.values())].toSorted();
  if (names.length === 0 || names.length > MAX_SHARDS)
    throw new CheckpointError(WEIGHTS_INDEX, `names ${names.length} files`, AGAIN);
  const shards: Shard[] = [];
  for (const name of names) shards.push(await openShard(files, name));
  return { shards, index };
}

const OTHER_CHECKPOINT = 'The files belong to different checkpoints; use files of one';

type Place = FloatEntry & { readonly shard: Shard };

/** Every tensor by name, with its shard; twice is an error, unless the index chooses. */
function byName(
  shards: readonly Shard[],
  index: ReadonlyMap<string, string> | null,
): Map<string, { entry: TensorEntry; shard: Shard }> {
  const found = new Map<string, { entry: TensorEntry; shard: Shard }>();
  for (const shard of shards)
    for (const entry of shard.entries) {
      if (index && index.get(entry.name) !== shard.name) continue;
      found.set(entry.name, { entry, shard });
    }
  for (const [name, file] of index ?? [])
    if (!found.has(name))
      throw new CheckpointError(
        WEIGHTS_INDEX,
        `says that tensor "${name}" lies in ${file}, which has none`,
        OTHER_CHECKPOINT,
      );
  return found;
}

type Found = ReturnType<typeof byName>;

/** Names in a Gemma 3 with images of what a Gemma 3 without them has: as transformers 4 wrote them, and as 5 does. */
const textName = (name: string): string =>
  name
    .replace(/^language_model\.(?=model\.|lm_head\.)/, '')
    .replace(/^model\.language_model\./, 'model.');

const textTensors = (found: Found): Found =>
  new Map([...found].map(([name, place]) => [textName(name), place]));

/** Takes the tensors of a config out of those that were found. */
function takePlaces(
  slots: readonly Pick<ParameterSlot, 'name' | 'shape'>[],
  found: Found,
  fallback: string,
): Map<string, Place> {
  const places = new Map<string, Place>();
  for (const { name, shape } of slots) {
    const there = found.get(name);
    if (!there)
      throw new CheckpointError(
        fallback,
        `tensor "${name}" is missing, which config.json asks for`,
        OTHER_CHECKPOINT,
      );
    const { entry, shard } = there;
    if (entry.shape.join() !== shape.join())
      throw new CheckpointError(
        shard.name,
        `tensor "${name}" has shape [${entry.shape.join(', ')}], config.json asks for [${shape.join(', ')}]`,
        OTHER_CHECKPOINT,
      );
    places.set(name, { ...parsed(shard.name, () => asFloat(entry)), shard });
    found.delete(name);
  }
  return places;
}

/** Refuses layers that the config does not count: the model would end before them. */
function refuseFurtherLayers({ layers }: PolicyConfig, found: Found): void {
  for (const [name, { shard }] of found) {
    const layer = LAYER.exec(name)?.[1];
    if (layer !== undefined && Number(layer) >= layers)
      throw new CheckpointError(
        shard.name,
        `tensor "${name}" is of layer ${layer}, but config.json says num_hidden_layers = ${layers} (layers 0 to ${layers - 1})`,
        OTHER_CHECKPOINT,
      );
  }
}

/** Most names in a note. */
const NAMED = 5;

function unusedNote(names: readonly string[]): string[] {
  // Rotary frequencies, which early Llama checkpoints hold, follow from the config.
  const unused = names.filter((name) => !name.endsWith('.rotary_emb.inv_freq'));
  if (unused.length === 0) return [];
  const more = unused.length > NAMED ? `, and ${unused.length - NAMED} more` : '';
  const tensors = unused.length === 1 ? '1 tensor' : `${unused.length} tensors`;
  return [
    `The weights hold ${tensors} that config.json does not ask for; they are not used: ${unused.slice(0, NAMED).map(oneLine).join(', ')}${more}.`,
  ];
}

const NAMES = { F32: 'f32', F16: 'f16', BF16: 'bf16' } as const;

function mostStored(places: Iterable<Place>): CheckpointSource['dtype'] {
  const values = { F32: 0, F16: 0, BF16: 0 };
  for (const { dtype, count } of places) values[dtype] += count;
  const types = ['F32', 'F16', 'BF16'] as const;
  return NAMES[types.reduce((a, b) => (values[b] > values[a] ? b : a))];
}

const UNTIED =
  'config.json says that the output matrix is the embedding (tie_word_embeddings), but lm_head.weight differs from ' +
  'model.embed_tokens.weight: both are used, as transformers does. Set tie_word_embeddings to false in config.json.';

/** Values that are compared at a time. */
const COMPARED = 2 ** 20;

/** Whether two tensors of one shape hold other values; what is equal in every bit is equal. */
async function differ(
  a: Place,
  b: Place,
  bytesBetween: (place: Place, from: number, to: number) => Promise<Uint8Array>,
): Promise<boolean> {
  for (let from = 0; from < a.count; from += COMPARED) {
    const to = Math.min(from + COMPARED, a.count);
    const [left, right] = [await bytesBetween(a, from, to), await bytesBetween(b, from, to)];
    const of = (place: Place, bytes: Uint8Array): Uint8Array | Float32Array =>
      a.dtype === b.dtype ? bytes : widen(place.dtype, bytes, to - from);
    const [these, those] = [of(a, left), of(b, right)];
    for (let i = 0; i < these.length; i++) if (these[i] !== those[i]) return true;
  }
  return false;
}

/**
 * Opens the weights of a checkpoint, whole or sharded. Headers are read and checked: every tensor
 * that the config asks for is there, with its shape, inside its file. Values are read only of a head beside an
 * embedding that the config ties: where the two differ, the source's config is untied.
 *
 * @throws CheckpointError that names the file at fault
 */
async function openWeights(files: CheckpointFiles, given: PolicyConfig): Promise<CheckpointSource> {
  const { shards, index } = await openShards(files);
  const found = textTensors(byName(shards, index));
  const fallback = shards.length === 1 ? shards[0]!.name : WEIGHTS_INDEX;
  const places = takePlaces(parameterSlots(given), found, fallback);
  refuseFurtherLayers(given, found);
  const bytesBetween = ({ shard, begin, dtype }: Place, from: number, to: number) => {
    const first = shard.dataStart + begin;
    const width = bytesOf(dtype);
    return readRange(files, shard.name, first + from * width, first + to * width);
  };
  let config = given;
  const notes: string[] = [];
  if (given.tieWordEmbeddings && found.has(HEAD)) {
    const untied = { ...given, tieWordEmbeddings: false };
    const slot = parameterSlots(untied).filter(({ name }) => name === HEAD);
    const [head, embed] = [takePlaces(slot, found, fallback).get(HEAD)!, places.get(EMBED)!];
    if (await differ(head, embed, bytesBetween)) {
      config = untied;
      places.set(HEAD, head);
      notes.push(UNTIED);
    }
  }
  notes.push(...unusedNote([...found.keys()]));
  const placeOf = (name: string): Place => {
    const place = places.get(name);
    if (!place) throw new Error(`weights: there is no parameter "${name}"`);
    return place;
  };
  const lengths = shards.map(
    ({ dataStart, entries }) => dataStart + Math.max(0, ...entries.map(({ end }) => end)),
  );
  return {
    config,
    dtype: mostStored(places.values()),
    bytes: lengths.reduce((a, b) => a + b, 0),
    files: shards.map(({ name }) => name),
    notes,
    read: async (name, from = 0, to) => {
      const place = placeOf(name);
      const last = to ?? place.count;
      return widen(place.dtype, await bytesBetween(place, from, last), last - from);
    },
  };
}

/**
 * Reads `config.json` and opens the weights.
 * @param maxContext limits a context to fewer positions than the checkpoint has
 * @throws CheckpointError that names the file at fault
 */
export async function openCheckpoint(
  files: CheckpointFiles,
  maxContext?: number,
): Promise<CheckpointSource> {
  const bytes = await readSmallFile(files, 'config.json');
  const config = parsed('config.json', () => parsePolicyConfig(parseJson(bytes), maxContext));
  return files.weights ? files.weights(config) : openWeights(files, config);
}

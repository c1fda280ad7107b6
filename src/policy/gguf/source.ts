import { CheckpointError, oneLine } from '../checkpoint/checkpoint-error.ts';
import type { CheckpointSource } from '../checkpoint/checkpoint-files.ts';
import type { PolicyConfig } from '../checkpoint/config.ts';
import type { PackedRows } from '../checkpoint/packed-rows.ts';
import type { PackedSource } from '../checkpoint/tensor-source.ts';
import type { MatrixType, PackedType } from '../checkpoint/weight-type.ts';
import { parameterSlots, type ParameterSlot } from '../checkpoint/weights.ts';
import { groupsOf } from '../ops/quantise.ts';
import {
  blocksAround,
  dequantiseBlocks,
  isAffine,
  isSymmetric,
  packedBlocks,
  roundedBlocks,
} from './blocks.ts';
import { readBytes, type GgufBytes, type GgufTensor } from './header.ts';
import {
  ggufName,
  huggingFaceName,
  interleavedHeads,
  interleavedRow,
  storedPlusOne,
  type GgufArchitecture,
} from './names.ts';
import { bytesOfValues, type GgufType } from './types.ts';

/** A tensor and the file that it is in: a model may be split into several. */
export interface FiledTensor extends GgufTensor {
  readonly file: GgufBytes;
}

/**
 * What a matrix of each type is held in. A half or a level times a scale is held as it is stored; the types with a
 * minimum, or with a scale per 16 values, are rounded to int8.
 */
const HELD: Record<GgufType, MatrixType> = {
  F32: 'f32',
  F16: 'f16',
  BF16: 'f32',
  Q8_0: 'int8',
  Q5_0: 'int8',
  IQ4_NL: 'int8',
  Q4_0: 'int4',
  Q4_1: 'int8',
  Q5_1: 'int8',
  Q2_K: 'int8',
  Q3_K: 'int8',
  Q4_K: 'int8',
  Q5_K: 'int8',
  Q6_K: 'int8',
  IQ4_XS: 'int8',
};

interface Place {
  readonly tensor: FiledTensor;
  readonly columns: number;
  /** Rows of a head, where rows of a head are interleaved; 0 where they are in order. */
  readonly interleaved: number;
  readonly plusOne: boolean;
}

const OTHER_FILE = 'Download the file again, or use another GGUF file of this model';

/** The tensors that a config asks for. @throws CheckpointError for one that is missing or of another shape */
function placesOf(
  config: PolicyConfig,
  architecture: GgufArchitecture,
  tensors: ReadonlyMap<string, FiledTensor>,
  main: string,
): Map<string, Place> {
  const place = ({ name, shape }: ParameterSlot): Place => {
    const stored = ggufName(architecture, name);
    const tensor = stored === null ? undefined : tensors.get(stored);
    if (!tensor) throw new CheckpointError(main, `tensor ${stored ?? name} is missing`, OTHER_FILE);
    if (tensor.shape.join() !== shape.join())
      throw new CheckpointError(
        tensor.file.name,
        `tensor ${stored} has shape [${tensor.shape.join(', ')}], its metadata asks for [${shape.join(', ')}]`,
        OTHER_FILE,
      );
    const columns = shape.length > 1 ? (shape.at(-1) ?? 1) : 1;
    return {
      tensor,
      columns,
      interleaved: interleavedHeads(architecture, name) ? config.headDim : 0,
      plusOne: storedPlusOne(architecture, name),
    };
  };
  return new Map(parameterSlots(config).map((slot) => [slot.name, place(slot)]));
}

/** Puts the rows of whole heads in Hugging Face's order; a row is `size` items of `rows`. */
function inOrder<T extends Float32Array | Uint8Array | Uint16Array>(
  rows: T,
  size: number,
  headDim: number,
): T {
  const out = rows.slice();
  for (let row = 0; row * size < rows.length; row++) {
    const from = interleavedRow(row, headDim) * size;
    out.set(rows.subarray(from, from + size), row * size);
  }
  return out as T;
}

/** Most names in a note. */
const NAMED = 5;

/** Rotary divisors are read with the config. */
const KNOWN = new Set(['rope_freqs.weight']);

function unusedNote(
  architecture: GgufArchitecture,
  names: Iterable<string>,
  used: ReadonlyMap<string, Place>,
): string[] {
  const unused = [...names].filter(
    (name) => !KNOWN.has(name) && !used.has(huggingFaceName(architecture, name) ?? ''),
  );
  if (unused.length === 0) return [];
  const more = unused.length > NAMED ? `, and ${unused.length - NAMED} more` : '';
  const tensors = unused.length === 1 ? '1 tensor' : `${unused.length} tensors`;
  return [
    `The file holds ${tensors} that Forage does not use: ${unused.slice(0, NAMED).map(oneLine).join(', ')}${more}.`,
  ];
}

/** A layer that the metadata does not count: the model would end before it. @throws CheckpointError */
function refuseFurtherLayers({ layers }: PolicyConfig, tensors: Iterable<FiledTensor>): void {
  for (const { name, file } of tensors) {
    const layer = /^blk\.(\d+)\./.exec(name)?.[1];
    if (layer !== undefined && Number(layer) >= layers)
      throw new CheckpointError(
        file.name,
        `tensor ${name} is of layer ${layer}, but its metadata counts ${layers} layers`,
        OTHER_FILE,
      );
  }
}

/** `F32`, `F16` and `BF16` as the engine names them. */
const STORED = { F32: 'f32', F16: 'f16', BF16: 'bf16' } as const;

/** What most values are stored in; f32 where that is a quantised type. */
function mostStored(places: Iterable<Place>): CheckpointSource['dtype'] {
  const values = new Map<GgufType, number>();
  for (const { tensor } of places)
    values.set(tensor.type, (values.get(tensor.type) ?? 0) + tensor.count);
  const [most] = [...values].toSorted((a, b) => b[1] - a[1])[0] ?? ['F32'];
  return most === 'F32' || most === 'F16' || most === 'BF16' ? STORED[most] : 'f32';
}

/**
 * The weights of a GGUF file, or of the parts of one, under the names and in the row order of Hugging Face. Tensors are
 * read when they are wanted, by range; a wanted range is widened to whole blocks, and to whole heads where rows of a
 * head are interleaved.
 * @param main file named where a tensor is missing
 * @throws CheckpointError where the tensors are not those of the config
 */
export function ggufSource(
  config: PolicyConfig,
  architecture: GgufArchitecture,
  tensors: ReadonlyMap<string, FiledTensor>,
  files: readonly GgufBytes[],
): CheckpointSource {
  const main = files[0]?.name ?? '';
  const places = placesOf(config, architecture, tensors, main);
  refuseFurtherLayers(config, tensors.values());
  const placeOf = (name: string): Place => {
    const place = places.get(name);
    if (!place) throw new Error(`weights: there is no parameter "${name}"`);
    return place;
  };
  /** The rows around values [from, to) that must be read together. */
  const around = ({ columns, interleaved, tensor }: Place, from: number, to: number) => {
    const unit = interleaved * columns;
    if (unit === 0) return [from, to] as const;
    const end = Math.min(tensor.count, Math.ceil(to / unit) * unit);
    return [Math.floor(from / unit) * unit, end] as const;
  };
  const read = async (name: string, from = 0, to?: number): Promise<Float32Array> => {
    const place = placeOf(name);
    const { tensor, columns, interleaved, plusOne } = place;
    const last = to ?? tensor.count;
    const [first, end] = around(place, from, last);
    const blocks = blocksAround(tensor.type, first, end);
    const bytes = await readBytes(
      tensor.file,
      tensor.begin + blocks.begin,
      tensor.begin + blocks.end,
    );
    const values = dequantiseBlocks(tensor.type, bytes, blocks.count);
    const whole = values.subarray(blocks.before, blocks.before + end - first);
    const ordered = interleaved > 0 ? inOrder(whole, columns, interleaved) : whole;
    const wanted = ordered.subarray(from - first, last - first);
    return plusOne ? wanted.map((value) => value - 1) : wanted;
  };
  const rows = async (
    name: string,
    as: PackedType,
    from: number,
    to: number,
  ): Promise<PackedRows | null> => {
    const place = placeOf(name);
    const { tensor, columns, interleaved } = place;
    const { type, begin, file } = tensor;
    const exact = isSymmetric(type) && (as === 'int8' || type === 'Q4_0');
    if (!exact && !(isAffine(type) && as === 'int8')) return null;
    const [first, end] = around(place, from * columns, to * columns);
    const bytes = await readBytes(
      file,
      begin + bytesOfValues(type, first),
      begin + bytesOfValues(type, end),
    );
    const packed: PackedRows | null = isSymmetric(type)
      ? packedBlocks(type, bytes, end - first, as)
      : isAffine(type)
        ? roundedBlocks(type, bytes, end - first)
        : null;
    if (!packed) return null;
    const groups = groupsOf(columns);
    const size = (packed.codes.length / packed.scales.length) * groups;
    const [codes, scales] =
      interleaved > 0
        ? [inOrder(packed.codes, size, interleaved), inOrder(packed.scales, groups, interleaved)]
        : [packed.codes, packed.scales];
    const [low, high] = [from - first / columns, to - first / columns];
    return {
      codes: codes.subarray(low * size, high * size),
      scales: scales.subarray(low * groups, high * groups),
      ...(packed.rounded && { rounded: packed.rounded }),
    };
  };
  const packing: PackedSource = {
    held: Object.fromEntries(
      [...places].flatMap(([name, { tensor }]) =>
        tensor.shape.length > 1 ? [[name, HELD[tensor.type]]] : [],
      ),
    ),
    storedAs: (name) => placeOf(name).tensor.type,
    rows,
  };
  return {
    config,
    dtype: mostStored(places.values()),
    bytes: files.reduce((sum, { size }) => sum + size, 0),
    files: files.map(({ name }) => name),
    notes: unusedNote(architecture, tensors.keys(), places),
    read,
    packing,
  };
}

import { messageOf } from '../../base/errors.ts';
import { AGAIN, CheckpointError, oneLine } from '../checkpoint/checkpoint-error.ts';
import { GgufMetadata, type GgufArray, type GgufValue } from './metadata.ts';
import { bytesOfValues, nameOfId, typeOfId, typeShape, type GgufType } from './types.ts';

/** A file that is read by byte range. */
export interface GgufBytes {
  /** Named in errors. */
  readonly name: string;
  readonly size: number;
  /** Bytes [start, end). */
  read(start: number, end: number): Promise<Uint8Array>;
}

/** Where a tensor is in its file. */
export interface GgufTensor {
  readonly name: string;
  readonly type: GgufType;
  /** Rows first, as Hugging Face writes shapes: [out, in]. */
  readonly shape: readonly number[];
  /** Number of values. */
  readonly count: number;
  /** Bytes [begin, end) of the file. */
  readonly begin: number;
  readonly end: number;
}

export interface GgufHeader {
  readonly version: number;
  readonly metadata: GgufMetadata;
  /** Bytes [begin, end) of each key's value, its type first. */
  readonly places: ReadonlyMap<string, { readonly begin: number; readonly end: number }>;
  readonly tensors: readonly GgufTensor[];
  /** Where the values of tensors begin. */
  readonly dataStart: number;
}

/**
 * Limits far above those of published models, so that a damaged or hostile header ends in an error: a header of
 * Gemma 3 (262,144 tokens) has 7 MB; the largest models have some thousand tensors.
 */
const MOST = {
  headerBytes: 64 * 2 ** 20,
  pairs: 2 ** 16,
  tensors: 2 ** 16,
  textBytes: 4 * 2 ** 20,
  items: 2 ** 21,
  nameBytes: 2 ** 10,
  depth: 2,
  alignment: 2 ** 16,
};

const ALIGNMENT = 32;
const MAX_DIMENSIONS = 4;
/** Bytes that are fetched at a time. */
const WINDOW = 2 ** 20;

/** A token may begin with a byte order mark, which belongs to it. */
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** Reads a header front to back through a window, so that only what was parsed is in memory. */
class HeaderReader {
  readonly #file: GgufBytes;
  #view: DataView = new DataView(new ArrayBuffer(0));
  /** Offset in the file of the window's first byte. */
  #start = 0;
  at = 0;

  constructor(file: GgufBytes) {
    this.#file = file;
  }

  fault(problem: string, remedy: string = AGAIN): CheckpointError {
    return new CheckpointError(this.#file.name, problem, remedy);
  }

  /** Whether `bytes` from here are in the window. */
  #has(bytes: number): boolean {
    return this.at + bytes <= this.#start + this.#view.byteLength;
  }

  /** Makes certain that the next `bytes` are in the window. @throws CheckpointError where the file ends before */
  async need(bytes: number, what: string): Promise<void> {
    if (this.#has(bytes)) return;
    const end = this.at + bytes;
    if (end > this.#file.size)
      throw this.fault(
        `the file ends at byte ${this.#file.size}, inside ${what}`,
        'It is not complete: download it again',
      );
    if (end > MOST.headerBytes)
      throw this.fault(
        `the header is longer than the ${MOST.headerBytes / 2 ** 20} MB that are read`,
      );
    const last = Math.min(this.#file.size, Math.max(end, this.at + WINDOW));
    const read = await readBytes(this.#file, this.at, last);
    this.#view = new DataView(read.buffer, read.byteOffset, read.byteLength);
    this.#start = this.at;
  }

  #take(bytes: number): number {
    const offset = this.at - this.#start;
    this.at += bytes;
    return offset;
  }

  u32(): number {
    return this.#view.getUint32(this.#take(4), true);
  }

  u64(): bigint {
    return this.#view.getBigUint64(this.#take(8), true);
  }

  bytes(count: number): Uint8Array {
    return new Uint8Array(this.#view.buffer, this.#view.byteOffset + this.#take(count), count);
  }

  /** A count or an offset: 64 bits, at most `most`. */
  async size(what: string, most: number): Promise<number> {
    await this.need(8, what);
    const value = this.u64();
    if (value > BigInt(most))
      throw this.fault(`${what} is ${value}; at most ${most} is possible here`);
    return Number(value);
  }

  async text(what: string, most: number): Promise<string> {
    const length = await this.size(`the length of ${what}`, most);
    await this.need(length, what);
    // A copy: browsers refuse to decode from shared memory.
    return decoder.decode(this.bytes(length).slice());
  }

  /** Bytes of the file from here on. */
  get left(): number {
    return this.#file.size - this.at;
  }
}

/** @throws CheckpointError where they cannot be read */
export async function readBytes(file: GgufBytes, start: number, end: number): Promise<Uint8Array> {
  let bytes: Uint8Array;
  try {
    bytes = await file.read(start, end);
  } catch (error) {
    throw new CheckpointError(file.name, `cannot be read (${messageOf(error)})`, AGAIN);
  }
  if (bytes.byteLength === end - start) return bytes;
  throw new CheckpointError(
    file.name,
    `gave ${bytes.byteLength} bytes where ${end - start} were asked for`,
    AGAIN,
  );
}

/** Bytes of each kind of number, by its number in the format. */
const NUMBERS: Readonly<
  Record<
    number,
    { bytes: number; list: (buffer: ArrayBuffer) => Extract<GgufArray, ArrayBufferView> }
  >
> = {
  0: { bytes: 1, list: (b) => new Uint8Array(b) },
  1: { bytes: 1, list: (b) => new Int8Array(b) },
  2: { bytes: 2, list: (b) => new Uint16Array(b) },
  3: { bytes: 2, list: (b) => new Int16Array(b) },
  4: { bytes: 4, list: (b) => new Uint32Array(b) },
  5: { bytes: 4, list: (b) => new Int32Array(b) },
  6: { bytes: 4, list: (b) => new Float32Array(b) },
  10: { bytes: 8, list: (b) => new BigUint64Array(b) },
  11: { bytes: 8, list: (b) => new BigInt64Array(b) },
  12: { bytes: 8, list: (b) => new Float64Array(b) },
};
const BOOL = 7;
const STRING = 8;
const ARRAY = 9;

/** Least bytes that an item of a list has in the file. */
const leastBytes = (type: number): number => {
  if (type === BOOL) return 1;
  if (type === STRING) return 8;
  return type === ARRAY ? 12 : (NUMBERS[type]?.bytes ?? 1);
};

async function numbers(r: HeaderReader, type: number, count: number, what: string) {
  const kind = NUMBERS[type];
  if (!kind) throw r.fault(`${what} has value type ${type}, which GGUF does not define`);
  const bytes = count * kind.bytes;
  await r.need(bytes, what);
  return kind.list(r.bytes(bytes).slice().buffer);
}

async function flag(r: HeaderReader, what: string): Promise<boolean> {
  await r.need(1, what);
  return r.bytes(1)[0] !== 0;
}

async function list(r: HeaderReader, what: string, depth: number): Promise<GgufArray> {
  if (depth > MOST.depth) throw r.fault(`${what} is a list in a list in a list`);
  await r.need(4, what);
  const type = r.u32();
  const count = await r.size(`the length of ${what}`, MOST.items);
  if (count * leastBytes(type) > r.left)
    throw r.fault(
      `${what} claims ${count} items; the file has ${r.left} bytes after it`,
      'It is incomplete or damaged: download it again',
    );
  if (type === STRING) return items(count, () => r.text(what, MOST.textBytes));
  if (type === BOOL) return items(count, () => flag(r, what));
  if (type === ARRAY) return items(count, () => list(r, what, depth + 1));
  return numbers(r, type, count, what);
}

async function items<T>(count: number, read: () => Promise<T>): Promise<T[]> {
  const all: T[] = [];
  for (let i = 0; i < count; i++) all.push(await read());
  return all;
}

async function value(r: HeaderReader, what: string): Promise<GgufValue> {
  await r.need(4, what);
  const type = r.u32();
  if (type === STRING) return r.text(what, MOST.textBytes);
  if (type === BOOL) return flag(r, what);
  if (type === ARRAY) return list(r, what, 1);
  return (await numbers(r, type, 1, what))[0] ?? 0;
}

async function pairs(r: HeaderReader, count: number) {
  const values = new Map<string, GgufValue>();
  const places = new Map<string, { begin: number; end: number }>();
  for (let i = 0; i < count; i++) {
    const key = await r.text('the name of a metadata key', MOST.nameBytes);
    const begin = r.at;
    values.set(key, await value(r, `metadata key ${oneLine(key)}`));
    places.set(key, { begin, end: r.at });
  }
  return { values, places };
}

interface RawTensor {
  readonly name: string;
  readonly shape: readonly number[];
  readonly type: number;
  readonly offset: number;
}

async function rawTensor(r: HeaderReader): Promise<RawTensor> {
  const name = await r.text('the name of a tensor', MOST.nameBytes);
  const what = `tensor ${oneLine(name)}`;
  await r.need(4, what);
  const dimensions = r.u32();
  if (dimensions > MAX_DIMENSIONS)
    throw r.fault(`${what} has ${dimensions} dimensions; GGUF has at most ${MAX_DIMENSIONS}`);
  const shape = await items(dimensions, () => r.size(`a dimension of ${what}`, 2 ** 32));
  await r.need(4, what);
  const type = r.u32();
  const offset = await r.size(`the offset of ${what}`, Number.MAX_SAFE_INTEGER);
  // The file says columns first.
  return { name, shape: shape.toReversed(), type, offset };
}

function placed(r: HeaderReader, raw: RawTensor, dataStart: number, size: number): GgufTensor {
  const { name, shape, offset } = raw;
  const what = `tensor ${oneLine(name)}`;
  const type = typeOfId(raw.type);
  if (type === null)
    throw r.fault(
      `${what} has type ${nameOfId(raw.type)}, which Forage does not read`,
      'Use a file quantised as Q4_0, Q4_K_M, Q5_K_M, Q6_K, Q8_0, F16 or BF16',
    );
  const count = shape.reduce((a, b) => a * b, 1);
  const columns = shape.at(-1) ?? 1;
  if (columns % typeShape(type).values !== 0)
    throw r.fault(
      `${what} has rows of ${columns} values, which are not whole blocks of ${typeShape(type).values} (${type})`,
    );
  const begin = dataStart + offset;
  const end = begin + bytesOfValues(type, count);
  if (!(end <= size))
    throw r.fault(
      `${what} is at bytes ${begin} to ${end}, but the file has ${size} bytes`,
      'It is not complete: download it again',
    );
  return { name, type, shape, count, begin, end };
}

function alignmentOf(r: HeaderReader, metadata: GgufMetadata): number {
  const alignment = metadata.number('general.alignment') ?? ALIGNMENT;
  if (Number.isInteger(alignment) && alignment > 0 && alignment <= MOST.alignment) return alignment;
  throw r.fault(`general.alignment is ${alignment}; it must be a whole number above 0`);
}

/** "GGUF" as a little-endian number. */
const MAGIC = 0x46554747;

async function versionOf(r: HeaderReader): Promise<number> {
  await r.need(8, 'its first bytes');
  if (r.u32() !== MAGIC)
    throw r.fault(
      'it is not a GGUF file: its first four bytes are not "GGUF"',
      'Choose another file',
    );
  const version = r.u32();
  if (version === 2 || version === 3) return version;
  if (version === 1)
    throw r.fault(
      'it is GGUF version 1, of 2023; versions 2 and 3 are read',
      'Convert the model again with a current llama.cpp',
    );
  // The bytes of a small number from a big-endian machine.
  if (version % 2 ** 16 === 0)
    throw r.fault('it is a big-endian GGUF file', 'Use the little-endian file of this model');
  throw r.fault(`it is GGUF version ${version}; versions 2 and 3 are read`, AGAIN);
}

/**
 * Reads the header of a GGUF file (version 2 or 3): metadata, and where the tensors are. The file is read front to
 * back by pieces of 1 MB, only as far as the header goes; every count is checked against the bytes that are left.
 * @throws CheckpointError that says what is wrong with the file
 */
export async function readGgufHeader(file: GgufBytes): Promise<GgufHeader> {
  const r = new HeaderReader(file);
  const version = await versionOf(r);
  const tensorCount = await r.size('the number of tensors', MOST.tensors);
  const pairCount = await r.size('the number of metadata keys', MOST.pairs);
  const { values, places } = await pairs(r, pairCount);
  const metadata = new GgufMetadata(file.name, values);
  const raw = await items(tensorCount, () => rawTensor(r));
  const alignment = alignmentOf(r, metadata);
  const dataStart = Math.ceil(r.at / alignment) * alignment;
  const names = new Set<string>();
  for (const { name } of raw) {
    if (names.has(name)) throw r.fault(`tensor ${oneLine(name)} is named twice`);
    names.add(name);
  }
  const tensors = raw.map((one) => placed(r, one, dataStart, file.size));
  return { version, metadata, places, tensors, dataStart };
}

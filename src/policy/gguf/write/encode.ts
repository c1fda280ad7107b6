/**
 * The beginning of a GGUF file (version 3): metadata and the list of tensors, little-endian.
 * As in the GGUF specification of https://github.com/ggml-org/ggml.
 */
import { bytesOfValues, typeShape } from '../types.ts';

/** Numbers by which the format names types of values. */
const VALUE_TYPE = {
  u8: 0,
  i8: 1,
  u16: 2,
  i16: 3,
  u32: 4,
  i32: 5,
  f32: 6,
  bool: 7,
  string: 8,
  array: 9,
  u64: 10,
  i64: 11,
  f64: 12,
} as const;
type NumberType = Exclude<keyof typeof VALUE_TYPE, 'bool' | 'string' | 'array'>;
const NUMBER_BYTES: Readonly<Record<NumberType | 'bool', number>> = {
  u8: 1,
  i8: 1,
  bool: 1,
  u16: 2,
  i16: 2,
  u32: 4,
  i32: 4,
  f32: 4,
  u64: 8,
  i64: 8,
  f64: 8,
};
type ItemType = Exclude<keyof typeof VALUE_TYPE, 'array'>;
type Item = number | bigint | boolean | string;

/** A value of the metadata with its type. */
export type GgufValue =
  | { readonly type: NumberType; readonly value: number | bigint }
  | { readonly type: 'bool'; readonly value: boolean }
  | { readonly type: 'string'; readonly value: string }
  | { readonly type: 'array'; readonly of: ItemType; readonly value: readonly Item[] }
  /** Type and value as another file has them. */
  | { readonly type: 'encoded'; readonly bytes: Uint8Array };
/** Keys and values, in the order in which they are written. */
export type GgufMetadata = ReadonlyMap<string, GgufValue>;

/** Types of tensors that are written. */
export type WrittenType = 'F32' | 'F16' | 'Q8_0';

/** A tensor; `shape` is row-major, rows first, as in safetensors. The file lists it reversed. */
export interface WrittenTensor {
  readonly name: string;
  readonly shape: readonly number[];
  readonly type: WrittenType;
}

const ALIGNMENT = 32;

export const tensorValues = ({ shape }: WrittenTensor): number => shape.reduce((a, b) => a * b, 1);
export const tensorBytes = (tensor: WrittenTensor): number =>
  bytesOfValues(tensor.type, tensorValues(tensor));
/** Bytes of zeros after `bytes`, so that what follows is aligned. */
export const paddingAfter = (bytes: number): number =>
  (ALIGNMENT - (bytes % ALIGNMENT)) % ALIGNMENT;

/** Appends little-endian values to a growing buffer. */
class Writer {
  #bytes = new Uint8Array(1 << 16);
  #view = new DataView(this.#bytes.buffer);
  length = 0;

  /** @returns where the next `size` bytes begin */
  #room(size: number): number {
    if (this.length + size > this.#bytes.length) {
      const larger = new Uint8Array(Math.max(2 * this.#bytes.length, this.length + size));
      larger.set(this.#bytes);
      this.#bytes = larger;
      this.#view = new DataView(larger.buffer);
    }
    const at = this.length;
    this.length += size;
    return at;
  }

  number(type: NumberType | 'bool', value: number | bigint): void {
    // The room is made first: it may replace the view.
    const at = this.#room(NUMBER_BYTES[type]);
    const view = this.#view;
    switch (type) {
      case 'u8':
      case 'bool':
        return view.setUint8(at, Number(value));
      case 'i8':
        return view.setInt8(at, Number(value));
      case 'u16':
        return view.setUint16(at, Number(value), true);
      case 'i16':
        return view.setInt16(at, Number(value), true);
      case 'u32':
        return view.setUint32(at, Number(value), true);
      case 'i32':
        return view.setInt32(at, Number(value), true);
      case 'f32':
        return view.setFloat32(at, Number(value), true);
      case 'u64':
        return view.setBigUint64(at, BigInt(value), true);
      case 'i64':
        return view.setBigInt64(at, BigInt(value), true);
      case 'f64':
        return view.setFloat64(at, Number(value), true);
    }
  }

  string(value: string): void {
    const bytes = new TextEncoder().encode(value);
    this.number('u64', bytes.length);
    this.bytes(bytes);
  }

  item(type: ItemType, value: Item): void {
    if (type === 'string') this.string(String(value));
    else this.number(type, typeof value === 'bigint' ? value : Number(value));
  }

  bytes(bytes: Uint8Array): void {
    const at = this.#room(bytes.length);
    this.#bytes.set(bytes, at);
  }

  value(given: GgufValue): void {
    if (given.type === 'encoded') return this.bytes(given.bytes);
    this.number('u32', VALUE_TYPE[given.type]);
    if (given.type !== 'array') return this.item(given.type, given.value);
    this.number('u32', VALUE_TYPE[given.of]);
    this.number('u64', given.value.length);
    for (const item of given.value) this.item(given.of, item);
  }

  finish(): Uint8Array<ArrayBuffer> {
    this.#room(paddingAfter(this.length));
    return this.#bytes.slice(0, this.length);
  }
}

/**
 * Everything before the values of the tensors, which follow in the same order, each padded with `paddingAfter`.
 * @throws RangeError for a tensor whose rows do not fill whole blocks of its type
 */
export function encodeGgufHeader(
  metadata: GgufMetadata,
  tensors: readonly WrittenTensor[],
): Uint8Array<ArrayBuffer> {
  const out = new Writer();
  out.number('u32', 0x46554747);
  out.number('u32', 3);
  out.number('u64', tensors.length);
  out.number('u64', metadata.size);
  for (const [key, value] of metadata) {
    out.string(key);
    out.value(value);
  }
  let offset = 0;
  for (const tensor of tensors) {
    const { name, shape, type } = tensor;
    if ((shape.at(-1) ?? 1) % typeShape(type).values !== 0)
      throw new RangeError(`gguf: rows of ${name} ([${shape.join(', ')}]) do not fit ${type}`);
    out.string(name);
    out.number('u32', shape.length);
    for (const size of shape.toReversed()) out.number('u64', size);
    out.number('u32', typeShape(type).id);
    out.number('u64', offset);
    const bytes = tensorBytes(tensor);
    offset += bytes + paddingAfter(bytes);
  }
  return out.finish();
}

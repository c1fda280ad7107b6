import { z } from 'zod';
import { fromFloat16, toFloat16Bits } from '../../base/float16.ts';
import { issueOf } from '../../base/errors.ts';

/** A tensor of a safetensors file, widened to float32. */
export interface Tensor {
  shape: number[];
  data: Float32Array;
}

export const HEADER_PREFIX_BYTES = 8;
/** The limit of the reference implementation; a longer header is a damaged or hostile file. */
const MAX_HEADER_BYTES = 100_000_000;
const BYTES = { F32: 4, F16: 2, BF16: 2 } as const;
export type FloatType = keyof typeof BYTES;
/** Bytes of a stored value. */
export const bytesOf = (dtype: FloatType): number => BYTES[dtype];

const entrySchema = z.object({
  dtype: z.string(),
  shape: z.array(z.number().int().nonnegative()).max(16),
  data_offsets: z.tuple([z.number().int().nonnegative(), z.number().int().nonnegative()]),
});

const fault = (message: string): Error => new Error(`safetensors: ${message}`);

/**
 * Length of the JSON header that follows the first eight bytes.
 * @param fileBytes length of the whole file
 * @param most bytes that a header may have
 */
export function headerLength(
  prefix: Uint8Array,
  fileBytes: number,
  most = MAX_HEADER_BYTES,
): number {
  if (fileBytes < HEADER_PREFIX_BYTES || prefix.byteLength < HEADER_PREFIX_BYTES)
    throw fault(`the file has ${fileBytes} bytes, fewer than its length prefix`);
  const view = new DataView(prefix.buffer, prefix.byteOffset, prefix.byteLength);
  const length = view.getBigUint64(0, true);
  const room = fileBytes - HEADER_PREFIX_BYTES;
  if (length > BigInt(room))
    throw fault(`the header claims ${length} bytes; the file has ${room} after the prefix`);
  if (length > BigInt(most))
    throw fault(`the header claims ${length} bytes; at most ${most} are read`);
  return Number(length);
}

function parseHeader(bytes: Uint8Array): Record<string, unknown> {
  const text = decodeUtf8(bytes);
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw fault('the header is not JSON');
  }
  const header = z.record(z.string(), z.unknown()).safeParse(json);
  if (!header.success) throw fault('the header is not a JSON object');
  return header.data;
}

function decodeUtf8(bytes: Uint8Array): string {
  try {
    // A copy: browsers refuse to decode from shared memory.
    return new TextDecoder('utf-8', { fatal: true }).decode(new Uint8Array(bytes));
  } catch {
    throw fault('the header is not UTF-8');
  }
}

function isFloatType(dtype: string): dtype is FloatType {
  return Object.hasOwn(BYTES, dtype);
}

/** `count` stored values in f32. */
export function widen(
  dtype: FloatType,
  bytes: Uint8Array,
  count: number,
): Float32Array<ArrayBuffer> {
  if (dtype === 'F32') {
    const out = new Float32Array(count);
    new Uint8Array(out.buffer).set(bytes.subarray(0, 4 * count));
    return out;
  }
  // Files may place values at odd bytes, where no 16-bit view can lie.
  const aligned = bytes.byteOffset % 2 === 0 ? bytes : new Uint8Array(bytes.subarray(0, 2 * count));
  const halves = new Uint16Array(aligned.buffer, aligned.byteOffset, count);
  if (dtype === 'F16') return fromFloat16(halves);
  const out = new Float32Array(count);
  const bits = new Uint32Array(out.buffer);
  for (let i = 0; i < count; i++) bits[i] = (halves[i] ?? 0) << 16;
  return out;
}

/** Where a tensor lies in its file. */
export interface TensorEntry {
  readonly name: string;
  /** As the file names it: F32, F16, BF16, and others that are not read. */
  readonly dtype: string;
  readonly shape: readonly number[];
  readonly count: number;
  /** Bytes [begin, end) after the header. */
  readonly begin: number;
  readonly end: number;
}

export type FloatEntry = TensorEntry & { readonly dtype: FloatType };

/** @throws Error where values of the tensor cannot be read */
export function asFloat(entry: TensorEntry): FloatEntry {
  const { name, dtype, shape, count, begin, end } = entry;
  if (!isFloatType(dtype))
    throw fault(`tensor "${name}" has dtype ${dtype}; F32, F16 and BF16 are supported`);
  if (end - begin !== count * BYTES[dtype])
    throw fault(
      `tensor "${name}" of shape [${shape.join(', ')}] needs ${count * BYTES[dtype]} bytes, has ${end - begin}`,
    );
  return { ...entry, dtype };
}

function parseEntry(name: string, value: unknown, dataBytes: number): TensorEntry {
  const parsed = entrySchema.safeParse(value);
  if (!parsed.success) throw fault(`tensor "${name}": ${issueOf(parsed.error)}`);
  const { dtype, shape, data_offsets } = parsed.data;
  const [begin, end] = data_offsets;
  const count = shape.reduce((a, b) => a * b, 1);
  if (begin > end || end > dataBytes)
    throw fault(`tensor "${name}" lies at [${begin}, ${end}) of ${dataBytes} data bytes`);
  return { name, dtype, shape, count, begin, end };
}

/** Tensors must lie end to end without holes or overlaps, as the format asks. */
function checkLayout(entries: readonly TensorEntry[], dataBytes: number): void {
  let at = 0;
  for (const entry of [...entries].sort((a, b) => a.begin - b.begin || a.end - b.end)) {
    if (entry.begin !== at)
      throw fault(`tensor "${entry.name}" begins at ${entry.begin}, expected ${at}`);
    at = entry.end;
  }
  if (at !== dataBytes) throw fault(`${dataBytes - at} bytes after the last tensor`);
}

/**
 * Reads a JSON header.
 * @param bytes only the header
 * @param dataBytes bytes of the file after it
 * @throws Error naming the header field or the tensor at fault; types are left to `asFloat`
 */
export function readEntries(bytes: Uint8Array, dataBytes: number): TensorEntry[] {
  const entries = Object.entries(parseHeader(bytes))
    .filter(([name]) => name !== '__metadata__')
    .map(([name, value]) => parseEntry(name, value, dataBytes));
  checkLayout(entries, dataBytes);
  return entries;
}

/**
 * Reads a whole safetensors file. F16 and BF16 are widened to float32.
 * @throws Error naming the header field or the tensor at fault.
 */
export function readSafetensors(bytes: Uint8Array): Map<string, Tensor> {
  const dataStart = HEADER_PREFIX_BYTES + headerLength(bytes, bytes.byteLength);
  const data = bytes.subarray(dataStart);
  const header = bytes.subarray(HEADER_PREFIX_BYTES, dataStart);
  const entries = readEntries(header, data.byteLength).map(asFloat);
  return new Map(
    entries.map((e) => [
      e.name,
      { shape: [...e.shape], data: widen(e.dtype, data.subarray(e.begin, e.end), e.count) },
    ]),
  );
}

/**
 * The beginning of a safetensors file, up to the first value; the values of the tensors follow it, end to
 * end, in the same order.
 */
export function encodeHeader(
  tensors: readonly { name: string; shape: readonly number[] }[],
  dtype: 'F32' | 'F16',
): Uint8Array<ArrayBuffer> {
  const header: Record<string, unknown> = { __metadata__: { format: 'pt' } };
  let at = 0;
  for (const { name, shape } of tensors) {
    const count = shape.reduce((a, b) => a * b, 1);
    header[name] = { dtype, shape, data_offsets: [at, (at += count * BYTES[dtype])] };
  }
  const json = JSON.stringify(header);
  // Data starts 8-aligned so that readers may map it; the padding is spaces.
  const text = new TextEncoder().encode(json.padEnd(Math.ceil(json.length / 8) * 8, ' '));
  const out = new Uint8Array(HEADER_PREFIX_BYTES + text.length);
  new DataView(out.buffer).setBigUint64(0, BigInt(text.length), true);
  out.set(text, HEADER_PREFIX_BYTES);
  return out;
}

/** Serialises tensors in the order of the map; float32 values are rounded to nearest even for F16. */
export function writeSafetensors(
  tensors: ReadonlyMap<string, { shape: readonly number[]; data: Float32Array }>,
  dtype: 'F32' | 'F16' = 'F32',
): Uint8Array<ArrayBuffer> {
  let values = 0;
  for (const [name, { shape, data }] of tensors) {
    if (shape.reduce((a, b) => a * b, 1) !== data.length)
      throw fault(`tensor "${name}" of shape [${shape.join(', ')}] has ${data.length} values`);
    values += data.length;
  }
  const header = encodeHeader(
    [...tensors].map(([name, { shape }]) => ({ name, shape })),
    dtype,
  );
  const out = new Uint8Array(header.length + values * BYTES[dtype]);
  out.set(header);
  const view = new DataView(out.buffer);
  let to = header.length;
  for (const { data } of tensors.values()) {
    for (let i = 0; i < data.length; i++, to += BYTES[dtype]) {
      if (dtype === 'F32') view.setFloat32(to, data[i] ?? 0, true);
      else view.setUint16(to, toFloat16Bits(data[i] ?? 0), true);
    }
  }
  return out;
}

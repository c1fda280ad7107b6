import { z } from 'zod';
import { fromFloat16Bits, toFloat16Bits } from '../data/float16.ts';

/** A tensor of a safetensors file, widened to float32. */
export interface Tensor {
  shape: number[];
  data: Float32Array;
}

const HEADER_PREFIX_BYTES = 8;
/** The limit of the reference implementation; a longer header is a damaged or hostile file. */
const MAX_HEADER_BYTES = 100_000_000;
const BYTES = { F32: 4, F16: 2, BF16: 2 } as const;
type FloatType = keyof typeof BYTES;

const entrySchema = z.object({
  dtype: z.string(),
  shape: z.array(z.number().int().nonnegative()),
  data_offsets: z.tuple([z.number().int().nonnegative(), z.number().int().nonnegative()]),
});

const fault = (message: string): Error => new Error(`safetensors: ${message}`);

/** Parses the JSON header; returns it with the offset of the first data byte. */
function readHeader(bytes: Uint8Array): { header: Record<string, unknown>; dataStart: number } {
  if (bytes.byteLength < HEADER_PREFIX_BYTES)
    throw fault(`the file has ${bytes.byteLength} bytes, fewer than its length prefix`);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const length = view.getBigUint64(0, true);
  const room = bytes.byteLength - HEADER_PREFIX_BYTES;
  if (length > BigInt(MAX_HEADER_BYTES) || length > BigInt(room))
    throw fault(`the header claims ${length} bytes; the file has ${room} after the prefix`);
  const dataStart = HEADER_PREFIX_BYTES + Number(length);
  const text = decodeUtf8(bytes.subarray(HEADER_PREFIX_BYTES, dataStart));
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw fault('the header is not JSON');
  }
  const header = z.record(z.string(), z.unknown()).safeParse(json);
  if (!header.success) throw fault('the header is not a JSON object');
  return { header: header.data, dataStart };
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

function widen(dtype: FloatType, bytes: Uint8Array, count: number): Float32Array {
  const out = new Float32Array(count);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (dtype === 'F32') for (let i = 0; i < count; i++) out[i] = view.getFloat32(i * 4, true);
  else if (dtype === 'F16')
    for (let i = 0; i < count; i++) out[i] = fromFloat16Bits(view.getUint16(i * 2, true));
  else {
    const bits = new Uint32Array(out.buffer);
    for (let i = 0; i < count; i++) bits[i] = view.getUint16(i * 2, true) << 16;
  }
  return out;
}

interface Entry {
  name: string;
  dtype: FloatType;
  shape: number[];
  count: number;
  begin: number;
  end: number;
}

function parseEntry(name: string, value: unknown, dataBytes: number): Entry {
  const parsed = entrySchema.safeParse(value);
  if (!parsed.success) throw fault(`tensor "${name}": ${parsed.error.issues[0]?.message}`);
  const { dtype, shape, data_offsets } = parsed.data;
  if (!isFloatType(dtype))
    throw fault(`tensor "${name}" has dtype ${dtype}; F32, F16 and BF16 are supported`);
  const [begin, end] = data_offsets;
  const count = shape.reduce((a, b) => a * b, 1);
  if (begin > end || end > dataBytes)
    throw fault(`tensor "${name}" lies at [${begin}, ${end}) of ${dataBytes} data bytes`);
  if (end - begin !== count * BYTES[dtype])
    throw fault(
      `tensor "${name}" of shape [${shape.join(', ')}] needs ${count * BYTES[dtype]} bytes, has ${end - begin}`,
    );
  return { name, dtype, shape, count, begin, end };
}

/** Tensors must lie end to end without holes or overlaps, as the format asks. */
function checkLayout(entries: readonly Entry[], dataBytes: number): void {
  let at = 0;
  for (const entry of [...entries].sort((a, b) => a.begin - b.begin || a.end - b.end)) {
    if (entry.begin !== at)
      throw fault(`tensor "${entry.name}" begins at ${entry.begin}, expected ${at}`);
    at = entry.end;
  }
  if (at !== dataBytes) throw fault(`${dataBytes - at} bytes after the last tensor`);
}

/**
 * Reads a whole safetensors file. F16 and BF16 are widened to float32.
 * @throws Error naming the header field or the tensor at fault.
 */
export function readSafetensors(bytes: Uint8Array): Map<string, Tensor> {
  const { header, dataStart } = readHeader(bytes);
  const data = bytes.subarray(dataStart);
  const entries = Object.entries(header)
    .filter(([name]) => name !== '__metadata__')
    .map(([name, value]) => parseEntry(name, value, data.byteLength));
  checkLayout(entries, data.byteLength);
  return new Map(
    entries.map((e) => [
      e.name,
      { shape: e.shape, data: widen(e.dtype, data.subarray(e.begin, e.end), e.count) },
    ]),
  );
}

/** Serialises tensors in the order of the map; float32 values are rounded to nearest even for F16. */
export function writeSafetensors(
  tensors: ReadonlyMap<string, { shape: readonly number[]; data: Float32Array }>,
  dtype: 'F32' | 'F16' = 'F32',
): Uint8Array<ArrayBuffer> {
  const header: Record<string, unknown> = { __metadata__: { format: 'pt' } };
  let at = 0;
  for (const [name, { shape, data }] of tensors) {
    if (shape.reduce((a, b) => a * b, 1) !== data.length)
      throw fault(`tensor "${name}" of shape [${shape.join(', ')}] has ${data.length} values`);
    header[name] = { dtype, shape, data_offsets: [at, (at += data.length * BYTES[dtype])] };
  }
  const json = JSON.stringify(header);
  // Data starts 8-aligned so that readers may map it; the padding is spaces.
  const text = new TextEncoder().encode(json.padEnd(Math.ceil(json.length / 8) * 8, ' '));
  const out = new Uint8Array(HEADER_PREFIX_BYTES + text.length + at);
  const view = new DataView(out.buffer);
  view.setBigUint64(0, BigInt(text.length), true);
  out.set(text, HEADER_PREFIX_BYTES);
  let to = HEADER_PREFIX_BYTES + text.length;
  for (const { data } of tensors.values()) {
    for (let i = 0; i < data.length; i++, to += BYTES[dtype]) {
      if (dtype === 'F32') view.setFloat32(to, data[i]!, true);
      else view.setUint16(to, toFloat16Bits(data[i]!), true);
    }
  }
  return out;
}

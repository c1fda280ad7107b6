import { compareCodeUnits } from '../lexical/text.ts';
import { z } from 'zod';
import type { VectorTable } from '../dense/dense.ts';
import { issueOf } from '../../base/errors.ts';
import { parseJson } from '../../base/fetch-file.ts';
import { itemAt, lastOf } from '../../base/items.ts';
import { sha256 } from '../../base/hash.ts';
import type { ClusterParts } from './build.ts';
import type { BuildOptions } from './options.ts';
import { ProductQuantizer } from './partition/product-quantizer.ts';
import { Refinement } from './partition/refinement.ts';

/**
 * An index of clusters as bytes, `forage.clusters/1`: the length of a header (32-bit, little endian),
 * the header (JSON, padded by spaces so that what follows begins at a multiple of eight), then
 * centroids, codebooks, refinement scales (float32), rows, offsets (int32), codes and refinement codes
 * (bytes). A cache: it is only taken for the vectors and settings that it names.
 */
const FORMAT = 'forage.clusters/1';
/** Changes where the same vectors and settings would give another index. */
const BUILDER = 1;

const count = z.int().nonnegative();
const headerSchema = z.strictObject({
  format: z.literal(FORMAT),
  identity: z.string(),
  size: z.int().positive(),
  dimensions: z.int().positive(),
  clusters: z.int().positive(),
  dissolved: count,
  subspaces: z.int().positive(),
  refineBits: z.union([z.literal(0), z.literal(4), z.literal(8)]),
  choice: z
    .strictObject({
      clusters: z.int().positive(),
      scores: z.array(
        z.strictObject({
          clusters: z.int().positive(),
          inertia: z.number(),
          elbow: z.number(),
          silhouette: z.number(),
          score: z.number(),
        }),
      ),
    })
    .nullable(),
});

/** Names an index: a hash of the vectors and of all that it is built with. */
export async function clusterIdentity(
  { values, dimensions }: VectorTable,
  options: Partial<BuildOptions>,
): Promise<string> {
  const bytes = new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
  const settings = JSON.stringify(
    Object.entries(options).sort(([a], [b]) => compareCodeUnits(a, b)),
  );
  const about = `${BUILDER}\n${dimensions}\n${settings}\n${await sha256(bytes)}`;
  return sha256(new TextEncoder().encode(about));
}

export function encodeClusters(parts: ClusterParts, identity: string): Uint8Array {
  const { centroids, quantizer, refinement } = parts;
  const header: z.infer<typeof headerSchema> = {
    format: FORMAT,
    identity,
    size: parts.rows.length,
    dimensions: parts.dimensions,
    clusters: parts.offsets.length - 1,
    dissolved: parts.dissolved,
    subspaces: quantizer.subspaces,
    refineBits: refinement?.bits ?? 0,
    choice: parts.choice,
  };
  const text = new TextEncoder().encode(JSON.stringify(header));
  const start = Math.ceil((4 + text.length) / 8) * 8;
  const arrays = [
    centroids.values,
    quantizer.centroids,
    ...(refinement ? [refinement.scales] : []),
    parts.rows,
    parts.offsets,
    parts.codes,
    ...(refinement ? [refinement.codes] : []),
  ];
  const total = arrays.reduce((sum, { byteLength }) => sum + byteLength, start);
  const bytes = new Uint8Array(total).fill(0x20, 0, start);
  new DataView(bytes.buffer).setUint32(0, start - 4, true);
  bytes.set(text, 4);
  let at = start;
  for (const { buffer, byteOffset, byteLength } of arrays) {
    bytes.set(new Uint8Array(buffer, byteOffset, byteLength), at);
    at += byteLength;
  }
  return bytes;
}

/** @throws Error if the bytes are not an index, are truncated, or belong to other vectors or settings */
export function decodeClusters(bytes: Uint8Array, identity: string): ClusterParts {
  const name = 'stored clusters';
  if (bytes.length < 4) throw new Error(`${name}: ${bytes.length} bytes are no index`);
  const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
  if (length > bytes.length - 4) throw new Error(`${name}: cut short`);
  const parsed = headerSchema.safeParse(parseJson(bytes.subarray(4, 4 + length), name));
  if (!parsed.success) throw new Error(`${name}: ${issueOf(parsed.error)}`);
  const { size, dimensions, clusters, subspaces, refineBits, ...header } = parsed.data;
  if (header.identity !== identity)
    throw new Error(`${name}: belong to other vectors or settings; build them again`);
  const reader = new ArrayReader(bytes, 4 + length, name);
  const centroids = reader.floats(clusters * dimensions);
  const codebooks = reader.floats(256 * dimensions);
  const refinement = refineBits === 0 ? null : new Refinement(refineBits, dimensions, size);
  if (refinement) refinement.scales.set(reader.floats(size));
  const [rows, offsets] = [reader.ints(size), reader.ints(clusters + 1)];
  const codes = reader.bytes(size * subspaces);
  refinement?.codes.set(new Int8Array(reader.bytes(refinement.codes.length).buffer));
  reader.end();
  checkLists(rows, offsets, name);
  return {
    dimensions,
    centroids: { values: centroids, dimensions },
    rows,
    offsets,
    dissolved: header.dissolved,
    quantizer: new ProductQuantizer(dimensions, subspaces, codebooks),
    codes,
    refinement,
    choice: header.choice,
  };
}

/** Every row once, clusters one after another. */
function checkLists(rows: Int32Array, offsets: Int32Array, name: string): void {
  const seen = new Uint8Array(rows.length);
  for (const row of rows) {
    if (!(row >= 0 && row < rows.length) || seen[row]) throw new Error(`${name}: damaged lists`);
    seen[row] = 1;
  }
  const rising = offsets.subarray(1).every((at, i) => at >= itemAt(offsets, i));
  if (!rising || offsets[0] !== 0 || lastOf(offsets) !== rows.length)
    throw new Error(`${name}: damaged lists`);
}

/** Reads arrays one after another, copied. */
class ArrayReader {
  readonly #bytes: Uint8Array;
  readonly #name: string;
  #at: number;

  constructor(bytes: Uint8Array, start: number, name: string) {
    this.#bytes = bytes;
    this.#name = name;
    this.#at = start;
  }

  bytes(length: number): Uint8Array<ArrayBuffer> {
    const end = this.#at + length;
    if (end > this.#bytes.length) throw new Error(`${this.#name}: cut short`);
    const part = new Uint8Array(this.#bytes.subarray(this.#at, end));
    this.#at = end;
    return part;
  }

  floats(length: number): Float32Array {
    return new Float32Array(this.bytes(4 * length).buffer);
  }

  ints(length: number): Int32Array {
    return new Int32Array(this.bytes(4 * length).buffer);
  }

  end(): void {
    if (this.#at !== this.#bytes.length) throw new Error(`${this.#name}: more than an index`);
  }
}

import type { ClusterParts } from '../../retrieval/cluster/build.ts';
import { itemAt } from '../../base/items.ts';

/**
 * The cluster index as FAISS stores an `IndexIVFPQ`: inverted lists over an `IndexFlatIP` of the
 * centroids, residuals in one byte a subspace, inner products throughout. The score of a row is the
 * inner product of the query with centroid plus decoded residual, the same number here and there.
 *
 * The layout is that of faiss/impl/index_write.cpp (FAISS 1.7 to 1.15): fields follow one another
 * without padding, little endian; a vector is its length (64-bit) and its values. A four-letter code
 * names what follows.
 */

/** FAISS writes this twice where an index once stored two numbers; readers skip it. */
const UNUSED = 2 ** 20;
const INNER_PRODUCT = 0;
/** Codes are bytes: 256 centroids a subspace. */
const BITS = 8;
/** Direct map: none is kept. */
const NO_MAP = 0;

/** Fields one after another, in the byte order of this machine, which is little endian wherever this runs. */
class Fields {
  readonly #parts: Uint8Array[] = [];

  code(name: string): this {
    return this.#add(Uint8Array.from(name, (letter) => letter.charCodeAt(0)));
  }

  byte(value: number): this {
    return this.#add(Uint8Array.of(value));
  }

  int32(value: number): this {
    const view = new DataView(new ArrayBuffer(4));
    view.setInt32(0, value, true);
    return this.#add(new Uint8Array(view.buffer));
  }

  int64(...values: number[]): this {
    return this.int64s(values);
  }

  int64s(values: ArrayLike<number>): this {
    const all = BigInt64Array.from(values, BigInt);
    return this.#add(new Uint8Array(all.buffer));
  }

  /** A vector of numbers of four bytes. */
  floats(values: Float32Array): this {
    this.int64(values.length);
    return this.#add(new Uint8Array(values.buffer, values.byteOffset, values.byteLength));
  }

  bytes(): Uint8Array {
    const out = new Uint8Array(this.#parts.reduce((sum, { length }) => sum + length, 0));
    let at = 0;
    for (const part of this.#parts) {
      out.set(part, at);
      at += part.length;
    }
    return out;
  }

  #add(bytes: Uint8Array): this {
    this.#parts.push(bytes);
    return this;
  }
}

/** What every index begins with: dimensions, rows, whether it is trained, the metric. */
const indexHeader = (fields: Fields, dimensions: number, rows: number): Fields =>
  fields.int32(dimensions).int64(rows, UNUSED, UNUSED).byte(1).int32(INNER_PRODUCT);

/**
 * The bytes of the index file in pieces: what is before the lists, then one piece a list. Ids are
 * the rows of the passages.
 * @param probes lists that a search visits unless it says otherwise (`nprobe`)
 * @throws RangeError where the index has a second stage, which FAISS has no counterpart of: its codes
 * are scaled row by row
 */
export function* faissIndex(parts: ClusterParts, probes: number): Generator<Uint8Array> {
  const { dimensions, centroids, rows, offsets, quantizer, codes, refinement } = parts;
  if (refinement)
    throw new RangeError(
      `the index refines its codes by ${refinement.bits} bits per dimension, which FAISS does not support; build it with refineBits 0`,
    );
  const lists = offsets.length - 1;
  const width = quantizer.subspaces;
  const size = (list: number): number => itemAt(offsets, list + 1) - itemAt(offsets, list);

  const head = indexHeader(new Fields().code('IwPQ'), dimensions, rows.length);
  head.int64(lists, Math.min(Math.max(1, probes), lists));
  indexHeader(head.code('IxFI'), dimensions, lists).floats(centroids.values);
  head.byte(NO_MAP).int64(0);
  // By residual: codes stand for the vector less its centroid.
  head.byte(1).int64(width);
  head.int64(dimensions, width, BITS).floats(quantizer.centroids);
  head.code('ilar').int64(lists, width).code('full');
  head.int64(lists).int64s(Array.from({ length: lists }, (_, list) => size(list)));
  yield head.bytes();

  for (let list = 0; list < lists; list++) {
    const [from, to] = [itemAt(offsets, list), itemAt(offsets, list + 1)];
    if (from === to) continue;
    yield codes.subarray(from * width, to * width);
    yield new Fields().int64s(rows.subarray(from, to)).bytes();
  }
}

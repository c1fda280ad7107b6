import { itemAt } from '../../base/items.ts';
import { BestK } from './best-k.ts';

/** Nearest neighbours among unit vectors. */

export interface Neighbour {
  /** Row of the vector. */
  index: number;
  /** Cosine similarity, −1 to 1. */
  similarity: number;
}

export interface DenseIndex {
  readonly size: number;
  readonly dimensions: number;
  /** The k most similar rows, best first; the exact scan breaks ties by row. */
  search(query: Float32Array, k: number): Neighbour[];
  /** Cosine similarity of the query with one row. */
  similarity(query: Float32Array, row: number): number;
}

/** Row-major unit vectors, `size × dimensions`. */
export interface VectorTable {
  dimensions: number;
  values: Float32Array;
}

/**
 * Dot product of `a` with the row of a table: a double-precision sum in one fixed order, so that it
 * has the same bits on every machine.
 */
export function dotRow(a: Float32Array, { dimensions, values }: VectorTable, row: number): number {
  const start = row * dimensions;
  let sum = 0;
  for (let i = 0; i < dimensions; i++) sum += (a[i] ?? NaN) * (values[start + i] ?? NaN);
  return sum;
}

/** Rows whose sums are under way together: a processor waits for one sum as long as for four. */
const TOGETHER = 4;

/** Dot products of `a` with all rows, each with the bits of `dotRow`; `rows` values. */
function dotRows(a: Float32Array, table: VectorTable, rows: number): Float64Array {
  const { dimensions, values } = table;
  const sums = new Float64Array(rows);
  let row = 0;
  for (; row + TOGETHER <= rows; row += TOGETHER) {
    const first = row * dimensions;
    const [second, third, fourth] = [
      first + dimensions,
      first + 2 * dimensions,
      first + 3 * dimensions,
    ];
    let [s0, s1, s2, s3] = [0, 0, 0, 0];
    for (let i = 0; i < dimensions; i++) {
      const x = a[i] ?? NaN;
      s0 += x * (values[first + i] ?? NaN);
      s1 += x * (values[second + i] ?? NaN);
      s2 += x * (values[third + i] ?? NaN);
      s3 += x * (values[fourth + i] ?? NaN);
    }
    sums[row] = s0;
    sums[row + 1] = s1;
    sums[row + 2] = s2;
    sums[row + 3] = s3;
  }
  for (; row < rows; row++) sums[row] = dotRow(a, table, row);
  return sums;
}

/** Lists up to this length are kept by insertion. */
const INSERTED = 512;

/** Compares the query with every vector. The oracle of every other index, and the default one. */
export class ExactIndex implements DenseIndex {
  readonly size: number;
  readonly dimensions: number;
  readonly #table: VectorTable;

  constructor(table: VectorTable) {
    const { dimensions, values } = table;
    if (values.length % dimensions !== 0) {
      throw new Error(`${values.length} values do not fill rows of ${dimensions}`);
    }
    this.size = values.length / dimensions;
    this.dimensions = dimensions;
    this.#table = table;
  }

  search(query: Float32Array, k: number): Neighbour[] {
    if (query.length !== this.dimensions) {
      throw new Error(`the query has ${query.length} dimensions, the index ${this.dimensions}`);
    }
    const most = Math.min(k, this.size);
    if (most > INSERTED) return this.#sorted(query, most);
    const best = new BestK(Math.max(0, most));
    dotRows(query, this.#table, this.size).forEach((score, row) => best.offer(row, score));
    return best.list();
  }

  similarity(query: Float32Array, row: number): number {
    return dotRow(query, this.#table, row);
  }

  /** Bytes of the vectors. */
  get bytes(): number {
    return this.#table.values.byteLength;
  }

  /** As `search`, by sorting all rows: for lists so long that insertion would take longer. */
  #sorted(query: Float32Array, k: number): Neighbour[] {
    const scores = dotRows(query, this.#table, this.size);
    const rows = Int32Array.from(scores, (_, row) => row);
    rows.sort((a, b) => (scores[b] ?? NaN) - (scores[a] ?? NaN) || a - b);
    return Array.from(rows.subarray(0, k), (index) => ({
      index,
      similarity: itemAt(scores, index),
    }));
  }
}

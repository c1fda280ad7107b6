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
}

/** Row-major unit vectors, `size × dimensions`. */
export interface VectorTable {
  dimensions: number;
  values: Float32Array;
}

/** Compares the query with every vector. The oracle of every other index, and the default one. */
export class ExactIndex implements DenseIndex {
  readonly size: number;
  readonly dimensions: number;
  readonly #values: Float32Array;

  constructor({ dimensions, values }: VectorTable) {
    if (values.length % dimensions !== 0) {
      throw new Error(`${values.length} values do not fill rows of ${dimensions}`);
    }
    this.size = values.length / dimensions;
    this.dimensions = dimensions;
    this.#values = values;
  }

  search(query: Float32Array, k: number): Neighbour[] {
    if (query.length !== this.dimensions) {
      throw new Error(`the query has ${query.length} dimensions, the index ${this.dimensions}`);
    }
    return Array.from({ length: this.size }, (_, index) => ({
      index,
      similarity: this.#dot(query, index),
    }))
      .sort((a, b) => b.similarity - a.similarity || a.index - b.index)
      .slice(0, k);
  }

  /** Double-precision sum in one fixed order: the same bits on every machine. */
  #dot(query: Float32Array, row: number): number {
    const start = row * this.dimensions;
    let sum = 0;
    for (let i = 0; i < this.dimensions; i++) {
      sum += (query[i] ?? 0) * (this.#values[start + i] ?? 0);
    }
    return sum;
  }
}

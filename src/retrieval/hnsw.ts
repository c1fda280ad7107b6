import type { HierarchicalNSW } from 'hnswlib-wasm';
import { withoutEval, withoutEvalAsync } from './embind.ts';
import { dotRow, type DenseIndex, type Neighbour, type VectorTable } from './dense.ts';

export interface HnswOptions {
  /** Edges of a node. */
  m: number;
  /** Width of the search for edges while the graph is built. */
  efConstruction: number;
  /** Width of the search for neighbours. */
  efSearch: number;
  seed: number;
}

export const HNSW_DEFAULTS: HnswOptions = { m: 16, efConstruction: 200, efSearch: 96, seed: 100 };

/**
 * Approximate nearest neighbours on a hierarchical navigable small-world graph (hnswlib in
 * WebAssembly, browsers and workers only). The vectors stay ours; the graph is built from them and
 * can be thrown away. Similarities of what it finds are computed here, as the exact scan does.
 */
export class HnswIndex implements DenseIndex {
  readonly size: number;
  readonly dimensions: number;
  readonly #graph: HierarchicalNSW;
  readonly #table: VectorTable;

  private constructor(graph: HierarchicalNSW, table: VectorTable) {
    this.#graph = graph;
    this.#table = table;
    this.dimensions = table.dimensions;
    this.size = table.values.length / table.dimensions;
  }

  /** Loads the library (its files in memory, nothing persistent) and builds the graph. */
  static async build(vectors: VectorTable, options: Partial<HnswOptions> = {}): Promise<HnswIndex> {
    const { m, efConstruction, efSearch, seed } = { ...HNSW_DEFAULTS, ...options };
    const { loadHnswlib } = await import('hnswlib-wasm');
    // It also mounts an IndexedDB file system, to which nothing is ever written.
    const library = await withoutEvalAsync(() => loadHnswlib(undefined));
    const size = vectors.values.length / vectors.dimensions;
    return withoutEval(() => {
      const graph = new library.HierarchicalNSW('ip', vectors.dimensions, '');
      graph.initIndex(size, m, efConstruction, seed);
      for (let row = 0; row < size; row++) {
        const start = row * vectors.dimensions;
        graph.addPoint(vectors.values.slice(start, start + vectors.dimensions), row, false);
      }
      graph.setEfSearch(efSearch);
      return new HnswIndex(graph, vectors);
    });
  }

  search(query: Float32Array, k: number): Neighbour[] {
    const { neighbors } = withoutEval(() =>
      this.#graph.searchKnn(query, Math.min(k, this.size), undefined),
    );
    return neighbors
      .map((index) => ({ index, similarity: this.similarity(query, index) }))
      .sort((a, b) => b.similarity - a.similarity || a.index - b.index);
  }

  similarity(query: Float32Array, row: number): number {
    return dotRow(query, this.#table, row);
  }
}

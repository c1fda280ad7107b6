import type { HierarchicalNSW, HnswlibModule } from 'hnswlib-wasm';
import { withoutEval, withoutEvalAsync } from './embind.ts';
import type { BuildSignals } from '../lexical/lexical.ts';
import { createTurns } from '../../base/turns.ts';
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

const HNSW_DEFAULTS: HnswOptions = { m: 16, efConstruction: 200, efSearch: 96, seed: 100 };

/** Vectors that are added between two looks at the clock. */
const ADDED_AT_ONCE = 16;

/**
 * The module file itself, which a browser, a worker and Node can all load: the package's entry is for
 * bundlers alone, and mounts a file system in IndexedDB that is of no use here.
 */
async function loadLibrary(): Promise<HnswlibModule> {
  const { default: factory } = await import('hnswlib-wasm/lib/hnswlib.mjs');
  return withoutEvalAsync(() => asBrowser(factory));
}

/** When it starts, the library asks for a `window` or a worker's `importScripts`, and for nothing in them. */
function asBrowser<Result>(start: () => Result): Result {
  if (typeof window === 'object' || typeof importScripts === 'function') return start();
  const scope: { window?: unknown } = globalThis;
  scope.window = globalThis;
  try {
    return start();
  } finally {
    delete scope.window;
  }
}

/**
 * Approximate nearest neighbours on a hierarchical navigable small-world graph (hnswlib in
 * WebAssembly). The vectors stay ours; the graph is built from them and
 * can be thrown away. Similarities of what it finds are computed here, as the exact scan does.
 */
export class HnswIndex implements DenseIndex {
  readonly size: number;
  readonly dimensions: number;
  readonly #graph: HierarchicalNSW;
  readonly #table: VectorTable;

  readonly #m: number;

  private constructor(graph: HierarchicalNSW, table: VectorTable, m: number) {
    this.#m = m;
    this.#graph = graph;
    this.#table = table;
    this.dimensions = table.dimensions;
    this.size = table.values.length / table.dimensions;
  }

  /**
   * Loads the library (its files in memory, nothing persistent) and builds the graph, with turns for
   * the event loop. @throws the signal's reason when aborted
   */
  static async build(
    vectors: VectorTable,
    options: Partial<HnswOptions> = {},
    { onProgress, signal }: BuildSignals = {},
  ): Promise<HnswIndex> {
    const { m, efConstruction, efSearch, seed } = { ...HNSW_DEFAULTS, ...options };
    const library = await loadLibrary();
    const size = vectors.values.length / vectors.dimensions;
    const graph = withoutEval(() => {
      const empty = new library.HierarchicalNSW('ip', vectors.dimensions, '');
      empty.initIndex(size, m, efConstruction, seed);
      return empty;
    });
    const turn = createTurns(signal);
    for (let from = 0; from < size; from += ADDED_AT_ONCE) {
      onProgress?.(from, size);
      await turn();
      // The stand-in for `Function` must not be there while others have their turn.
      withoutEval(() => {
        for (let row = from; row < Math.min(size, from + ADDED_AT_ONCE); row++) {
          const start = row * vectors.dimensions;
          graph.addPoint(vectors.values.slice(start, start + vectors.dimensions), row, false);
        }
      });
    }
    onProgress?.(size, size);
    withoutEval(() => graph.setEfSearch(efSearch));
    return new HnswIndex(graph, vectors, m);
  }

  /** Bytes of the vectors, ours and the library's copy, and of the lowest layer's edges. */
  get bytes(): number {
    return 2 * this.#table.values.byteLength + this.size * (2 * this.#m * 4 + 16);
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

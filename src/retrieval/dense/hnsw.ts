import type { HierarchicalNSW, HnswlibModule } from 'hnswlib-wasm';
import type { BuildSignals } from '../lexical/lexical.ts';
import { createTurns } from '../../base/turns.ts';
import { dotRow, type DenseIndex, type Neighbour, type VectorTable } from './dense.ts';

/* oxlint-disable typescript/no-unsafe-type-assertion -- another library's internals, which have no types to check against */
/**
 * Emscripten's embind (in hnswlib) writes its call wrappers as text and compiles them with
 * `Function`, which a content security policy without 'unsafe-eval' forbids. Here the same wrappers
 * are closures: `Function` is replaced while the library loads or runs, and put back after.
 */

/** A type as embind registers it. */
interface WireType {
  toWireType(destructors: unknown[] | null, value: unknown): unknown;
  fromWireType(wired: unknown): unknown;
  readValueFromPointer(pointer: number): unknown;
  argPackAdvance: number;
  deleteObject?: (value: unknown) => void;
  isVoid?: boolean;
}

type AnyFunction = (this: unknown, ...args: unknown[]) => unknown;

/** Parameters of the generated text with what they are bound to. */
class Bindings {
  readonly #values: ReadonlyMap<string, unknown>;

  constructor(names: readonly string[], values: readonly unknown[]) {
    this.#values = new Map(names.map((name, i) => [name, values[i]]));
  }

  type(name: string): WireType {
    return this.#values.get(name) as WireType;
  }

  call(name: string): AnyFunction {
    return this.#values.get(name) as AnyFunction;
  }

  /** Functions under the names that end so, in order. */
  ending(suffix: string): [name: string, value: AnyFunction][] {
    return [...this.#values.keys()]
      .filter((name) => name.endsWith(suffix))
      .map((name) => [name, this.call(name)]);
  }

  /** argType0, argType1, … */
  get argumentTypes(): WireType[] {
    const count = [...this.#values.keys()].filter((name) => /^argType\d+$/.test(name)).length;
    return Array.from({ length: count }, (_, i) => this.type(`argType${i}`));
  }

  value(name: string): unknown {
    return this.#values.get(name);
  }
}

/** What embind's craftInvokerFunction compiles: a call from JavaScript into the library. */
function invoker(body: string, bound: Bindings): AnyFunction {
  const types = bound.argumentTypes;
  const isMethod = body.includes('var thisWired =');
  const needsStack = body.includes('var destructors =');
  const returns = body.includes('var ret =');
  return function (this: unknown, ...args: unknown[]): unknown {
    if (args.length !== types.length) {
      bound.call('throwBindingError')(`called with ${args.length} arguments, not ${types.length}`);
    }
    const destructors: unknown[] | null = needsStack ? [] : null;
    const wired = new Map<string, unknown>();
    if (isMethod) wired.set('thisWired', bound.type('classParam').toWireType(destructors, this));
    types.forEach((type, i) => wired.set(`arg${i}Wired`, type.toWireType(destructors, args[i])));
    const result = bound.call('invoker')(bound.value('fn'), ...wired.values());
    if (destructors) bound.call('runDestructors')(destructors);
    for (const [name, destroy] of bound.ending('_dtor')) destroy(wired.get(name.slice(0, -5)));
    return returns ? bound.type('retType').fromWireType(result) : undefined;
  };
}

/** What embind's __emval_get_method_caller compiles: a call from the library into JavaScript. */
function methodCaller(bound: Bindings): AnyFunction {
  const types = bound.argumentTypes;
  return (handle, name, destructors, pointer) => {
    let at = pointer as number;
    const args = types.map((type) => {
      const value = type.readValueFromPointer(at);
      at += type.argPackAdvance;
      return value;
    });
    const result = (handle as Record<string, AnyFunction>)[name as string]?.call(handle, ...args);
    types.forEach((type, i) => type.deleteObject?.(args[i]));
    const type = bound.type('retType');
    return type.isVoid ? undefined : type.toWireType(destructors as unknown[] | null, result);
  };
}

/** Replaces the `Function` constructor; text that is not embind's goes to the real one. */
function makeConstructor(real: FunctionConstructor): FunctionConstructor {
  const make = (...parts: string[]): unknown => {
    const [body, names] = [parts.at(-1) ?? '', parts.slice(0, -1)];
    if (names.includes('invoker')) {
      return (...values: unknown[]) => invoker(body, new Bindings(names, values));
    }
    if (body.includes('handle[name]')) {
      return (...values: unknown[]) => methodCaller(new Bindings(names, values));
    }
    return real(...parts);
  };
  const constructor = function (...parts: string[]): unknown {
    return make(...parts);
  };
  constructor.prototype = real.prototype as object;
  return constructor as unknown as FunctionConstructor;
}

/** Runs with embind's text compiled as closures. */
export function withoutEval<Result>(run: () => Result): Result {
  const real = globalThis.Function;
  globalThis.Function = makeConstructor(real);
  try {
    return run();
  } finally {
    globalThis.Function = real;
  }
}

/** The same for what continues after an await; nothing else should compile text meanwhile. */
export async function withoutEvalAsync<Result>(run: () => Promise<Result>): Promise<Result> {
  const real = globalThis.Function;
  globalThis.Function = makeConstructor(real);
  try {
    return await run();
  } finally {
    globalThis.Function = real;
  }
}

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

/** The library's module file; its package names an entry for bundlers only. */
declare module 'hnswlib-wasm/lib/hnswlib.mjs' {
  import type { HnswlibModule } from 'hnswlib-wasm';

  /** Starts an instance with its files in memory. */
  const factory: () => Promise<HnswlibModule>;
  export default factory;
}

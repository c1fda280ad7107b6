declare module 'hyparquet-compressors/src/brotli.streams.js' {
  /** Where the Brotli reader writes; it puts a longer array in the place of `buffer` where it runs out. */
  export class BrotliOutput {
    constructor(buffer: Uint8Array);
    buffer: Uint8Array;
  }
}

import type { GgufBytes } from '../../../src/policy/gguf/header.ts';

/** A file in memory, read by range. */
export const bytesNamed = (name: string, file: Uint8Array): GgufBytes => ({
  name,
  size: file.length,
  read: (start, end) => Promise.resolve(file.subarray(start, end)),
});

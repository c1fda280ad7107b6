import type { GgufBytes } from '../../src/policy/gguf/header.ts';
import type { MatrixType } from '../../src/policy/ops/values.ts';

/** What one engine opens. */
export interface EngineFile {
  /** A GGUF file, or its parts in their order. */
  files: readonly File[];
  /** Null: as the file stores them. */
  weights: MatrixType | null;
  slots: number;
  /** Tokens of one context. */
  context: number;
}

export const ggufBytes = (files: readonly File[]): GgufBytes[] =>
  files.map((file) => ({
    name: file.name,
    size: file.size,
    read: async (start, end) => new Uint8Array(await file.slice(start, end).arrayBuffer()),
  }));

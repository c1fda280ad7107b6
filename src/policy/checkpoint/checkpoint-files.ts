import type { PolicyConfig } from './config.ts';
import type { TensorSource } from './tensor-source.ts';

/**
 * The files of one checkpoint, wherever they are kept (origin-private storage, an IndexedDB, a
 * folder, memory): random access by byte range, so that weights of any size are read piece by
 * piece and never need a second whole copy in memory.
 */
export interface CheckpointFiles {
  /** The file that all others are made of, named in errors. */
  readonly main?: string;
  /** Bytes of a file, or null where there is no such file. */
  size(name: string): Promise<number | null>;
  /**
   * The bytes [start, end) of a file.
   *
   * @throws where the file is missing or shorter than `end`.
   */
  readRange(name: string, start: number, end: number): Promise<Uint8Array>;
  /**
   * The weights, of files that hold them in another way than safetensors.
   * @throws CheckpointError where they are not those of the config
   */
  weights?(config: PolicyConfig): CheckpointSource;
  /** The metadata of a GGUF file: each key's value with its type, as the file encodes them. */
  ggufMetadata?(): Promise<ReadonlyMap<string, Uint8Array>>;
}

/** A checkpoint whose weights can be read piece by piece. */
export interface CheckpointSource extends TensorSource {
  /** Bytes of all weight files. */
  readonly bytes: number;
  /** Files of the weights. */
  readonly files: readonly string[];
  /** What the user should know of these files, one sentence each. */
  readonly notes: readonly string[];
}

/** Files that lie in memory. */
export function memoryFiles(files: ReadonlyMap<string, Uint8Array>): CheckpointFiles {
  return {
    size: (name) => Promise.resolve(files.get(name)?.byteLength ?? null),
    readRange: (name, start, end) => {
      const bytes = files.get(name);
      if (bytes === undefined) return Promise.reject(new Error(`no file ${name}`));
      if (start < 0 || end < start || end > bytes.byteLength)
        return Promise.reject(
          new Error(`${name} has ${bytes.byteLength} bytes; asked for ${start} to ${end}`),
        );
      return Promise.resolve(bytes.subarray(start, end));
    },
  };
}

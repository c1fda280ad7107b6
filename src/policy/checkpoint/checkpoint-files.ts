/**
 * The files of one checkpoint, wherever they are kept (origin-private storage, an IndexedDB, a
 * folder, memory): random access by byte range, so that weights of any size are read piece by
 * piece and never need a second whole copy in memory.
 */
export interface CheckpointFiles {
  /** Bytes of a file, or null where there is no such file. */
  size(name: string): Promise<number | null>;
  /**
   * The bytes [start, end) of a file.
   *
   * @throws where the file is missing or shorter than `end`.
   */
  readRange(name: string, start: number, end: number): Promise<Uint8Array>;
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

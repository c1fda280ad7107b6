/**
 * Files that grow piece by piece and are read by range: for what is too large to be in memory whole.
 * Paths are as those of `BlobStore`.
 */
export interface RangeFiles {
  /** Opens a file for writing, making it where there is none; nobody else may write it meanwhile. */
  open(path: string): Promise<FileWriter>;
  /** Bytes of a file; null where there is none. */
  size(path: string): Promise<number | null>;
  /** The bytes [start, end). @throws Error where the file is missing or shorter */
  readRange(path: string, start: number, end: number): Promise<Uint8Array<ArrayBuffer>>;
  /** Removes a file, or a folder with all that is in it; nothing where there is none. */
  remove(path: string): Promise<void>;
  /** Names of the folders in a folder; none where it does not exist. */
  folders(path: string): Promise<string[]>;
}

export interface FileWriter {
  size(): number;
  /** Writes and waits until the bytes are on the disk, as far as the browser can tell. */
  write(at: number, bytes: Uint8Array<ArrayBuffer>): void;
  truncate(size: number): void;
  close(): void;
}

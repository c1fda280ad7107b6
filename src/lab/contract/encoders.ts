/** Encoders and cross-encoders on this device: facts and calls. */

export type EncoderKind = 'encoder' | 'reranker';

export interface EncoderFacts {
  /** Name and a prefix of the model file's hash. */
  id: string;
  kind: EncoderKind;
  bytes: number;
  /** Of its vectors; null for a reranker. */
  dimensions: number | null;
  maxTokens: number;
  /** How it reads and gives texts, in a few words. */
  note: string;
  /** Milliseconds since 1970. */
  addedAt: number;
}

/** A file of a folder that was chosen or dropped, by its path in it. */
export interface FolderFile {
  path: string;
  blob: Blob;
}

export interface EncoderApi {
  list(): Promise<EncoderFacts[]>;
  /**
   * Stores a folder after it was opened and tried once.
   * @throws Error that says what is missing or not supported
   */
  add(files: FolderFile[]): Promise<EncoderFacts>;
  /** Hides it; its files stay until the next start, so that it can come back. */
  remove(id: string): Promise<void>;
  restore(id: string): Promise<void>;
}

/**
 * Large files of runs by path ("runs/ID/…-step-3.safetensors"). A file is written once and
 * never changed; a name is not used again, so that a half-written file can never be taken for a whole
 * one: only records that were committed afterwards name it.
 */
export interface BlobStore {
  /** Resolves when the bytes are on the disk, as far as the browser can tell. */
  write(path: string, bytes: Uint8Array): Promise<void>;
  /** @throws Error where there is no such file */
  read(path: string): Promise<Uint8Array<ArrayBuffer>>;
  /** Removes a file, or a folder with all that is in it; nothing where there is none. */
  remove(path: string): Promise<void>;
  /** Paths and sizes of all files below a folder; none where it does not exist. */
  list(folder: string): Promise<{ path: string; bytes: number }[]>;
}

const piped = async (
  bytes: Uint8Array,
  through: ReadableWritablePair<Uint8Array, BufferSource>,
): Promise<Uint8Array<ArrayBuffer>> => {
  const stream = new Blob([new Uint8Array(bytes)]).stream().pipeThrough(through);
  return new Uint8Array(await new Response(stream).arrayBuffer());
};

export const gzip = (bytes: Uint8Array): Promise<Uint8Array<ArrayBuffer>> =>
  piped(bytes, new CompressionStream('gzip'));

/** @throws TypeError where the bytes are damaged */
export const gunzip = (bytes: Uint8Array): Promise<Uint8Array<ArrayBuffer>> =>
  piped(bytes, new DecompressionStream('gzip'));

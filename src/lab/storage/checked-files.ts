import { messageOf } from '../../base/errors.ts';
import { sha256 } from '../../base/hash.ts';
import type { BlobStore } from './blobs.ts';
import type { BlobRef } from './database.ts';

/** Files that are named by a record with their hash. */

/** Files that count only once a record names them. */
export class Writing {
  readonly #blobs: BlobStore;
  readonly #fresh: (name: string) => string;
  readonly #written: string[] = [];
  /** Bytes that were to be stored. */
  wanted = 0;

  constructor(blobs: BlobStore, fresh: (name: string) => string) {
    this.#blobs = blobs;
    this.#fresh = fresh;
  }

  readonly write = async (name: string, bytes: Uint8Array): Promise<BlobRef> => {
    this.wanted += bytes.length;
    const ref = { path: this.#fresh(name), bytes: bytes.length, hash: await sha256(bytes) };
    this.#written.push(ref.path);
    await this.#blobs.write(ref.path, bytes);
    return ref;
  };

  async undo(): Promise<void> {
    for (const path of this.#written) await this.#blobs.remove(path).catch(() => undefined);
  }
}

/** @throws Error where the file cannot be read, or is not what was written */
export async function readChecked(
  blobs: BlobStore,
  { path, hash }: BlobRef,
): Promise<Uint8Array<ArrayBuffer>> {
  const name = path.split('/').at(-1);
  const bytes = await blobs.read(path).catch((error: unknown) => {
    throw new Error(`${name} cannot be read (${messageOf(error)})`, { cause: error });
  });
  if ((await sha256(bytes)) !== hash) throw new Error(`${name} does not match its hash`);
  return bytes;
}

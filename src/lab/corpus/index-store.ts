import type { IndexCache } from '../../retrieval/methods/method.ts';
import type { BlobStore } from '../storage/blobs.ts';
import { sha256 } from '../../base/hash.ts';

const FOLDER = 'indexes';
/** Indexes that are kept: a build takes minutes, a file of a large corpus hundreds of megabytes. */
const KEPT = 4;

/**
 * Built indexes as files of this device, each under its identity and the hash of its bytes, so that a
 * file that was cut short by a kill is not taken for a whole one. A cache: what fails is built again.
 */
export class IndexStore implements IndexCache {
  readonly #blobs: BlobStore;

  constructor(blobs: BlobStore) {
    this.#blobs = blobs;
  }

  async read(name: string): Promise<Uint8Array | null> {
    try {
      const [found] = (await this.#files()).filter((file) => file.name === name);
      if (!found) return null;
      const bytes = await this.#blobs.read(found.path);
      if ((await sha256(bytes)) === found.hash) return bytes;
      await this.#blobs.remove(found.path);
    } catch {
      // Not readable is not there.
    }
    return null;
  }

  async write(name: string, bytes: Uint8Array): Promise<void> {
    try {
      const files = await this.#files();
      const old = files.filter((file) => file.name === name);
      const oldest = files.filter((file) => file.name !== name).sort((a, b) => a.at - b.at);
      for (const { path } of [...old, ...oldest.slice(0, Math.max(0, oldest.length - KEPT + 1))])
        await this.#blobs.remove(path);
      const at = 1 + Math.max(0, ...files.map((file) => file.at));
      await this.#blobs.write(`${FOLDER}/${at}-${name}-${await sha256(bytes)}`, bytes);
    } catch {
      // Storage may be full; then the index is built again next time.
    }
  }

  async #files(): Promise<{ path: string; at: number; name: string; hash: string }[]> {
    return (await this.#blobs.list(FOLDER)).flatMap(({ path }) => {
      const [at, name, hash] = path.slice(FOLDER.length + 1).split('-');
      return name && hash ? [{ path, at: Number(at), name, hash }] : [];
    });
  }
}

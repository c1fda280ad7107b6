import type { BlobStore } from '../../../src/lab/storage/blobs.ts';

/** Blobs in memory with faults to plant: a quota, and files that come back damaged. */
export class MemoryBlobs implements BlobStore {
  readonly files = new Map<string, Uint8Array<ArrayBuffer>>();
  quota = Infinity;
  /** Writes that are still allowed before the store "is killed": it throws from then on. */
  lives = Infinity;

  async write(path: string, bytes: Uint8Array): Promise<void> {
    if (this.lives-- <= 0) {
      // A killed tab leaves half a file.
      this.files.set(path, new Uint8Array(bytes.slice(0, bytes.length / 2)));
      throw new Error('killed');
    }
    const used = [...this.files.values()].reduce((sum, file) => sum + file.length, 0);
    if (used + bytes.length > this.quota) throw new DOMException('full', 'QuotaExceededError');
    this.files.set(path, new Uint8Array(bytes));
  }

  async read(path: string): Promise<Uint8Array<ArrayBuffer>> {
    const file = this.files.get(path);
    if (!file) throw new DOMException('no such file', 'NotFoundError');
    return file.slice();
  }

  async remove(path: string): Promise<void> {
    if (this.lives < 0) return;
    for (const name of this.files.keys())
      if (name === path || name.startsWith(`${path}/`)) this.files.delete(name);
  }

  async list(folder: string): Promise<{ path: string; bytes: number }[]> {
    return [...this.files]
      .filter(([path]) => path.startsWith(`${folder}/`))
      .map(([path, { length }]) => ({ path, bytes: length }));
  }
}

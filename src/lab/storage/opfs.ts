import { StoredFileGone } from '../../base/storage-faults.ts';
import type { BlobStore } from './blobs.ts';
import { folderOfSite } from './files-of-site.ts';

/**
 * Blobs in the origin private file system. Used in a worker only: there a file has a synchronous
 * handle whose `flush` waits for the disk.
 */

/** TypeScript's DOM library has no types of what exists in workers only. */
export interface SyncAccessHandle {
  getSize(): number;
  write(bytes: Uint8Array<ArrayBuffer>, options: { at: number }): number;
  truncate(size: number): void;
  flush(): void;
  close(): void;
}

declare global {
  interface FileSystemFileHandle {
    createSyncAccessHandle(): Promise<SyncAccessHandle>;
  }
}

export const missing = (error: unknown): boolean =>
  error instanceof DOMException && error.name === 'NotFoundError';

export const parts = (path: string): { folders: string[]; name: string } => {
  const all = path.split('/');
  return { folders: all.slice(0, -1), name: all.at(-1)! };
};

export async function directory(folders: readonly string[], create: boolean) {
  let at = await folderOfSite();
  for (const name of folders) at = await at.getDirectoryHandle(name, { create });
  return at;
}

/** Removes a file, or a folder with what is in it; one that is not there is no error. */
export async function removeAt(path: string): Promise<void> {
  const { folders, name } = parts(path);
  try {
    await (await directory(folders, false)).removeEntry(name, { recursive: true });
  } catch (error) {
    if (!missing(error)) throw error;
  }
}

/** Writes from a position on and waits for the disk. */
export function writeAll(handle: SyncAccessHandle, bytes: Uint8Array, from = 0): void {
  // A handle may write less than it is given when the quota is near.
  for (let at = 0; at < bytes.length;) {
    const written = handle.write(new Uint8Array(bytes.subarray(at)), { at: from + at });
    if (written === 0) throw new DOMException('nothing could be written', 'QuotaExceededError');
    at += written;
  }
  handle.flush();
}

async function walk(
  folder: FileSystemDirectoryHandle,
  path: string,
  found: { path: string; bytes: number }[],
): Promise<void> {
  for await (const [name, entry] of folder.entries()) {
    const here = `${path}/${name}`;
    if (entry.kind === 'directory') await walk(entry, here, found);
    else found.push({ path: here, bytes: (await entry.getFile()).size });
  }
}

export class OpfsBlobs implements BlobStore {
  async write(path: string, bytes: Uint8Array): Promise<void> {
    const { folders, name } = parts(path);
    const folder = await directory(folders, true);
    const file = await folder.getFileHandle(name, { create: true });
    const handle = await file.createSyncAccessHandle();
    try {
      handle.truncate(0);
      writeAll(handle, bytes);
    } finally {
      handle.close();
    }
  }

  /** @throws StoredFileGone where it is not there */
  async read(path: string): Promise<Uint8Array<ArrayBuffer>> {
    const { folders, name } = parts(path);
    try {
      const file = await (await directory(folders, false)).getFileHandle(name);
      return new Uint8Array(await (await file.getFile()).arrayBuffer());
    } catch (error) {
      throw missing(error) ? new StoredFileGone({ cause: error }) : error;
    }
  }

  remove = (path: string): Promise<void> => removeAt(path);

  async list(folder: string): Promise<{ path: string; bytes: number }[]> {
    const found: { path: string; bytes: number }[] = [];
    try {
      await walk(await directory(folder.split('/'), false), folder, found);
    } catch (error) {
      if (!missing(error)) throw error;
    }
    return found;
  }
}

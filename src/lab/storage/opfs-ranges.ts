import { StoredFileGone } from '../../base/storage-faults.ts';
import { directory, missing, parts, removeAt, writeAll } from './opfs.ts';
import type { FileWriter, RangeFiles } from './range-files.ts';

/** Growing files in the origin private file system; a worker only, as for `OpfsBlobs`. */

const fileAt = async (path: string, create: boolean): Promise<FileSystemFileHandle> => {
  const { folders, name } = parts(path);
  return (await directory(folders, create)).getFileHandle(name, { create });
};

export class OpfsRangeFiles implements RangeFiles {
  async open(path: string): Promise<FileWriter> {
    const handle = await (await fileAt(path, true)).createSyncAccessHandle();
    return {
      size: () => handle.getSize(),
      write: (at, bytes) => writeAll(handle, bytes, at),
      truncate: (size) => {
        handle.truncate(size);
        handle.flush();
      },
      close: () => handle.close(),
    };
  }

  async size(path: string): Promise<number | null> {
    try {
      return (await (await fileAt(path, false)).getFile()).size;
    } catch (error) {
      if (missing(error)) return null;
      throw error;
    }
  }

  async readRange(path: string, start: number, end: number): Promise<Uint8Array<ArrayBuffer>> {
    const file = await this.#stored(path);
    if (start < 0 || end < start || end > file.size)
      throw new Error(`${path} has ${file.size} bytes; asked for ${start} to ${end}`);
    return new Uint8Array(await file.slice(start, end).arrayBuffer());
  }

  /** @throws StoredFileGone where it is not there */
  async #stored(path: string): Promise<File> {
    try {
      return await (await fileAt(path, false)).getFile();
    } catch (error) {
      throw missing(error) ? new StoredFileGone({ cause: error }) : error;
    }
  }

  remove = (path: string): Promise<void> => removeAt(path);

  async folders(path: string): Promise<string[]> {
    try {
      const names: string[] = [];
      for await (const [name, entry] of (await directory(path.split('/'), false)).entries())
        if (entry.kind === 'directory') names.push(name);
      return names;
    } catch (error) {
      if (missing(error)) return [];
      throw error;
    }
  }
}

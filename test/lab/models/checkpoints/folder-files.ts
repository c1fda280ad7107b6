import {
  closeSync,
  existsSync,
  fstatSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import type { FileWriter, RangeFiles } from '../../../../src/lab/storage/range-files.ts';

/** Growing files in a folder of the disk, with faults to plant: a quota, and a tab that is killed. */
export class FolderFiles implements RangeFiles {
  readonly root: string;
  quota = Infinity;
  /** Writes that are still allowed before the tab "is killed": half of the next one is written. */
  lives = Infinity;

  constructor(root: string) {
    this.root = root;
  }

  open(path: string): Promise<FileWriter> {
    const place = join(this.root, path);
    mkdirSync(dirname(place), { recursive: true });
    const file = openSync(place, existsSync(place) ? 'r+' : 'w+');
    return Promise.resolve({
      size: () => fstatSync(file).size,
      write: (at, bytes) => {
        if (at + bytes.length > this.quota)
          throw new DOMException('nothing could be written', 'QuotaExceededError');
        if (this.lives-- <= 0) {
          writeSync(file, bytes, 0, bytes.length >> 1, at);
          throw new Error('killed');
        }
        writeSync(file, bytes, 0, bytes.length, at);
      },
      truncate: (size) => ftruncateSync(file, size),
      close: () => closeSync(file),
    });
  }

  size(path: string): Promise<number | null> {
    return Promise.resolve(
      statSync(join(this.root, path), { throwIfNoEntry: false })?.size ?? null,
    );
  }

  readRange(path: string, start: number, end: number): Promise<Uint8Array<ArrayBuffer>> {
    const file = openSync(join(this.root, path), 'r');
    try {
      const bytes = new Uint8Array(end - start);
      if (readSync(file, bytes, 0, bytes.length, start) < bytes.length)
        throw new Error(`${path} is shorter than ${end}`);
      return Promise.resolve(bytes);
    } finally {
      closeSync(file);
    }
  }

  remove(path: string): Promise<void> {
    rmSync(join(this.root, path), { recursive: true, force: true });
    return Promise.resolve();
  }

  folders(path: string): Promise<string[]> {
    const place = join(this.root, path);
    return Promise.resolve(existsSync(place) ? readdirSync(place) : []);
  }
}

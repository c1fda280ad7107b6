import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { namingPath } from './path-fault.ts';

/**
 * Writes, flushes to the disk, and only then gives the file its name. Where it does not fit, the file is as it was.
 *
 * @throws the fault of the file system, with the path
 */
export const writeSafely = (path: string, data: Uint8Array | string): void =>
  namingPath(path, () => {
    const bytes = typeof data === 'string' ? new TextEncoder().encode(data) : data;
    const part = `${path}.new`;
    const file = openSync(part, 'w');
    try {
      for (let at = 0; at < bytes.length;) at += writeSync(file, bytes, at);
      fsyncSync(file);
    } catch (error) {
      // Makes room for what is tried next.
      rmSync(part, { force: true });
      throw error;
    } finally {
      closeSync(file);
    }
    renameSync(part, path);
  });

import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';

/**
 * Writes, flushes to the disk, and only then gives the file its name. Where it does not fit, the file is as it was.
 *
 * @throws the fault of the file system, with the path
 */
export function writeSafely(path: string, data: Uint8Array | string): void {
  const bytes = typeof data === 'string' ? new TextEncoder().encode(data) : data;
  const part = `${path}.new`;
  const file = openSync(part, 'w');
  try {
    for (let at = 0; at < bytes.length;) at += writeSync(file, bytes, at);
    fsyncSync(file);
  } catch (error) {
    // Its room is free for what is tried next.
    rmSync(part, { force: true });
    throw Object.assign(error as Error, { path });
  } finally {
    closeSync(file);
  }
  renameSync(part, path);
}

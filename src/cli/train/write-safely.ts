import { closeSync, fsyncSync, openSync, renameSync, writeSync } from 'node:fs';

/** Writes, flushes to the disk, and only then gives the file its name. */
export function writeSafely(path: string, data: Uint8Array | string): void {
  const bytes = typeof data === 'string' ? new TextEncoder().encode(data) : data;
  const file = openSync(`${path}.new`, 'w');
  try {
    for (let at = 0; at < bytes.length;) at += writeSync(file, bytes, at);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(`${path}.new`, path);
}

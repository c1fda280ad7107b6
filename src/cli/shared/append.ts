import {
  closeSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readSync,
  writeSync,
} from 'node:fs';
import { namingPath } from './path-fault.ts';

/** A killed process may have left the beginning of a line. */
function endsWithinLine(file: number, size: number): boolean {
  const last = Buffer.alloc(1);
  return size > 0 && readSync(file, last, 0, 1, size - 1) === 1 && last[0] !== 10;
}

/**
 * Appends lines and waits for the disk. Where a line does not fit, those before it stay and nothing of it, so that the
 * file can be read and added to later.
 *
 * @param lines without their line breaks
 * @throws the fault of the file system, with the path
 */
export const appendLines = (path: string, lines: Iterable<string>): void =>
  namingPath(path, () => {
    const file = openSync(path, 'a+');
    try {
      appendTo(file, lines);
    } finally {
      closeSync(file);
    }
  });

function appendTo(file: number, lines: Iterable<string>): void {
  const before = fstatSync(file);
  // Pipes and devices such as /dev/stdout have no length, and nothing to flush.
  const stays = before.isFile();
  let { size } = before;
  let torn = stays && endsWithinLine(file, size);
  const encoder = new TextEncoder();
  try {
    for (const line of lines) {
      const bytes = encoder.encode(`${torn ? '\n' : ''}${line}\n`);
      for (let at = 0; at < bytes.length;) at += writeSync(file, bytes, at);
      size += bytes.length;
      torn = false;
    }
    if (stays) fsyncSync(file);
  } catch (error) {
    if (stays) ftruncateSync(file, size);
    throw error;
  }
}

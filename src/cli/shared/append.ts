import {
  closeSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readSync,
  writeSync,
} from 'node:fs';

/** What a killed process left of a line, or a full disk: the file ends within it. */
function endsWithinLine(file: number, size: number): boolean {
  const last = Buffer.alloc(1);
  return size > 0 && readSync(file, last, 0, 1, size - 1) === 1 && last[0] !== 10;
}

/**
 * Appends lines and waits for the disk. Where one does not fit, those before it stay and nothing of it, so that the
 * file can be read and added to later.
 *
 * @param lines without their ends
 * @throws the fault of the file system, with the path
 */
export function appendLines(path: string, lines: Iterable<string>): void {
  const file = openSync(path, 'a+');
  try {
    let { size } = fstatSync(file);
    const encoder = new TextEncoder();
    let torn = endsWithinLine(file, size);
    try {
      for (const line of lines) {
        const bytes = encoder.encode(`${torn ? '\n' : ''}${line}\n`);
        for (let at = 0; at < bytes.length;) at += writeSync(file, bytes, at);
        size += bytes.length;
        torn = false;
      }
      fsyncSync(file);
    } catch (error) {
      // A device such as /dev/full has no length.
      if (fstatSync(file).isFile()) ftruncateSync(file, size);
      throw Object.assign(error as Error, { path });
    }
  } finally {
    closeSync(file);
  }
}

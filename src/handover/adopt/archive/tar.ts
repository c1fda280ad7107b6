import { createTurns } from '../../../base/turns.ts';

/**
 * Entries of a tar archive: ustar (POSIX.1-1988), with GNU's long names and sizes and the paths of pax
 * headers (POSIX.1-2001). Only headers are read; an entry is a slice of the archive.
 */

const BLOCK = 512;

export interface TarEntry {
  path: string;
  blob: Blob;
}

const decoder = new TextDecoder();

/** A field of text up to its first zero. */
function textAt(block: Uint8Array, from: number, length: number): string {
  const field = block.subarray(from, from + length);
  const end = field.indexOf(0);
  return decoder.decode(end < 0 ? field : field.subarray(0, end));
}

/** Octal digits, or GNU's binary form for what they do not hold. @throws Error for neither */
function sizeAt(block: Uint8Array): number {
  if (block[124] === 0x80) {
    const view = new DataView(block.buffer, block.byteOffset + 128, 8);
    return Number(view.getBigUint64(0));
  }
  const digits = textAt(block, 124, 12).trim();
  if (!/^[0-7]*$/.test(digits)) throw new Error('an entry has no size');
  return digits === '' ? 0 : Number.parseInt(digits, 8);
}

const isZero = (block: Uint8Array): boolean => block.every((byte) => byte === 0);

/** Sum of the header's bytes, with spaces in its own place. */
function checkSum(block: Uint8Array): void {
  const stated = Number.parseInt(textAt(block, 148, 8).trim(), 8);
  const sum = block.reduce((all, byte, i) => all + (i >= 148 && i < 156 ? 32 : byte), 0);
  if (sum !== stated) throw new Error('a header is damaged');
}

/** The `path` of a pax header: records of `length key=value\n`. */
const paxPath = (text: string): string | undefined => /(?:^|\n)\d+ path=([^\n]*)\n/.exec(text)?.[1];

const bytesOf = async (archive: Blob, from: number, length: number): Promise<Uint8Array> =>
  new Uint8Array(await archive.slice(from, from + length).arrayBuffer());

/** Whether bytes begin a tar archive. */
export const isTar = (head: Uint8Array): boolean =>
  head.length >= BLOCK && textAt(head, 257, 5) === 'ustar';

/** A long path is text of at most this. */
const MOST_PATH = 64 * 1024;

/**
 * The files of an archive, in its order; links, devices and folders are left out.
 * @throws Error where it is damaged or ends early; the signal's reason
 */
export async function readTar(archive: Blob, signal?: AbortSignal): Promise<TarEntry[]> {
  const turn = createTurns(signal);
  const entries: TarEntry[] = [];
  let [at, long] = [0, undefined as string | undefined];
  while (at + BLOCK <= archive.size) {
    await turn();
    const block = await bytesOf(archive, at, BLOCK);
    if (isZero(block)) return entries;
    checkSum(block);
    const size = sizeAt(block);
    const start = at + BLOCK;
    if (start + size > archive.size) throw new Error('it ends within an entry');
    const kind = textAt(block, 156, 1);
    if (kind === 'L' || kind === 'x') {
      if (size > MOST_PATH) throw new Error('a name is too long');
      const text = decoder.decode(await bytesOf(archive, start, size));
      long = kind === 'L' ? text.replace(/\0+$/, '') : (paxPath(text) ?? long);
    } else {
      const prefix = textAt(block, 345, 155);
      const own = textAt(block, 0, 100);
      const path = long ?? (prefix === '' ? own : `${prefix}/${own}`);
      if (kind === '' || kind === '0')
        entries.push({ path, blob: archive.slice(start, start + size) });
      if (kind !== 'g') long = undefined;
    }
    at = start + Math.ceil(size / BLOCK) * BLOCK;
  }
  // Writers that were stopped leave the two blocks of zeros out.
  if (at !== archive.size && entries.length === 0) throw new Error('it ends within a header');
  return entries;
}

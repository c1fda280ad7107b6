import { createTurns } from '../../base/turns.ts';

/**
 * Entries of a tar archive: ustar (POSIX.1-1988), with GNU's long names and sizes and the paths of pax
 * headers (POSIX.1-2001). Of a file only headers are read, and an entry is a slice of it; of a stream an entry is kept
 * if it is asked for.
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

/** Whether bytes begin a tar archive. */
export const isTar = (head: Uint8Array): boolean =>
  head.length >= BLOCK && textAt(head, 257, 5) === 'ustar';

/** A long path is text of at most this. */
const MOST_PATH = 64 * 1024;

/** An archive that is read from its beginning to its end. */
export interface TarInput {
  /** The next bytes; fewer where it ends. */
  read(length: number): Promise<Uint8Array>;
  /** The next bytes as a file, null where it ends before. @param keep false: they may be passed over */
  take(length: number, keep: boolean): Promise<Blob | null>;
}

function inputOf(archive: Blob): TarInput {
  let at = 0;
  const next = (length: number): Blob => {
    const part = archive.slice(at, at + length);
    at += part.size;
    return part;
  };
  const whole = (part: Blob, length: number): Blob | null => (part.size < length ? null : part);
  return {
    read: async (length) => new Uint8Array(await next(length).arrayBuffer()),
    take: (length) => Promise.resolve(whole(next(length), length)),
  };
}

/**
 * The files of an archive, in its order; links, devices and folders are left out.
 * @throws Error where it is damaged or ends early; the signal's reason
 */
export const readTar = (archive: Blob, signal?: AbortSignal): Promise<TarEntry[]> =>
  readTarInput(inputOf(archive), () => 'file', signal);

/** The same of any input. @param keep what is kept of a file, by its path; of a name alone the file is empty */
export async function readTarInput(
  input: TarInput,
  keep: (path: string) => 'file' | 'name' | null,
  signal?: AbortSignal,
): Promise<TarEntry[]> {
  const turn = createTurns(signal);
  const entries: TarEntry[] = [];
  let long: string | undefined;
  const taken = async (size: number, whole: boolean): Promise<Blob> => {
    const blob = await input.take(size, whole);
    if (!blob) throw new Error('it ends within an entry');
    await input.take(Math.ceil(size / BLOCK) * BLOCK - size, false);
    return blob;
  };
  for (;;) {
    await turn();
    const block = await input.read(BLOCK);
    // Writers that were stopped leave the two blocks of zeros out.
    if (block.length > 0 && block.length < BLOCK && entries.length === 0)
      throw new Error('it ends within a header');
    if (block.length < BLOCK || isZero(block)) return entries;
    checkSum(block);
    const size = sizeAt(block);
    const kind = textAt(block, 156, 1);
    if (kind === 'L' || kind === 'x') {
      if (size > MOST_PATH) throw new Error('a name is too long');
      const text = await (await taken(size, true)).text();
      long = kind === 'L' ? text.replace(/\0+$/, '') : (paxPath(text) ?? long);
    } else {
      const prefix = textAt(block, 345, 155);
      const own = textAt(block, 0, 100);
      const path = long ?? (prefix === '' ? own : `${prefix}/${own}`);
      const kept = kind === '' || kind === '0' ? keep(path) : null;
      const blob = await taken(size, kept === 'file');
      if (kept !== null) entries.push({ path, blob });
      if (kind !== 'g') long = undefined;
    }
  }
}

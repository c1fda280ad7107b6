import type { PiecedFile } from '../../policy/open/merged-files.ts';

/**
 * A folder as one download, without compression: an archive in the ustar format (POSIX.1-1988), which
 * every system unpacks. Files are read piece by piece, each of which the browser may put on its disk.
 */

const BLOCK = 512;
/** Above this a size has no room in 11 octal digits, and is written in GNU tar's binary form. */
const MOST_OCTAL = 8 ** 11;

const octal = (value: number, digits: number): string =>
  `${value.toString(8).padStart(digits, '0')}\0`;

function sizeField(bytes: number): Uint8Array {
  if (bytes < MOST_OCTAL) return new TextEncoder().encode(octal(bytes, 11));
  const field = new Uint8Array(12);
  new DataView(field.buffer).setBigUint64(4, BigInt(bytes));
  field[0] = 0x80;
  return field;
}

/** A file of an archive. */
interface TarFile extends PiecedFile {
  /** Whether a shell may start it. */
  executable?: boolean;
}

/**
 * Header of one file.
 * @throws RangeError where the path has more than 100 bytes
 */
function header(
  path: string,
  bytes: number,
  seconds: number,
  mode: number,
): Uint8Array<ArrayBuffer> {
  const block = new Uint8Array(BLOCK);
  const put = (at: number, text: string): void => block.set(new TextEncoder().encode(text), at);
  if (new TextEncoder().encode(path).length > 100)
    throw new RangeError(`the name ${path} is too long for an archive`);
  put(0, path);
  put(100, octal(mode, 7));
  put(108, octal(0, 7));
  put(116, octal(0, 7));
  block.set(sizeField(bytes), 124);
  put(136, octal(Math.floor(seconds), 11));
  // The sum is taken with spaces in its own place.
  put(148, ' '.repeat(8));
  put(156, '0');
  put(257, 'ustar');
  put(263, '00');
  const sum = block.reduce((total, byte) => total + byte, 0);
  put(148, `${sum.toString(8).padStart(6, '0')}\0 `);
  return block;
}

/**
 * @param folder name of the folder in the archive
 * @param seconds time of the files, since 1970
 * @throws Error where a file gives another number of bytes than it says
 */
export async function tarOf(
  folder: string,
  files: readonly TarFile[],
  seconds: number,
): Promise<Blob> {
  const parts: BlobPart[] = [];
  for (const { name, bytes, pieces, executable } of files) {
    parts.push(header(`${folder}/${name}`, bytes, seconds, executable ? 0o755 : 0o644));
    let given = 0;
    for await (const piece of pieces()) {
      given += piece.length;
      parts.push(new Blob([piece]));
    }
    if (given !== bytes) throw new Error(`${name} gave ${given} bytes where it has ${bytes}`);
    parts.push(new Uint8Array((BLOCK - (bytes % BLOCK)) % BLOCK));
  }
  parts.push(new Uint8Array(2 * BLOCK));
  return new Blob(parts, { type: 'application/x-tar' });
}

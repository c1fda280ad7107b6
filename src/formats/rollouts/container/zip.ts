import { Inflate } from 'fflate';
import { joined } from '../../../base/bytes.ts';

/**
 * The entries of a zip archive, each unpacked alone at the time it is asked for. The directory is walked
 * once, so that a damaged entry costs no more than a good one.
 *
 * Source: PKWARE APPNOTE 6.3.10, sections 4.3.7 (local header), 4.3.12 (directory), 4.3.14 to 4.3.16 (its
 * end, also with 64 bits), 4.5.3 (lengths of 64 bits).
 */

const END = 0x0605_4b50;
const END_64_LOCATOR = 0x0706_4b50;
const END_64 = 0x0606_4b50;
const DIRECTORY_ENTRY = 0x0201_4b50;
const LOCAL_HEADER = 0x0403_4b50;
const END_BYTES = 22;
const MOST_COMMENT = 0xffff;
const UTF8_NAME = 0x0800;
/** Stands in place of a length that only 64 bits hold. */
const IN_64_BITS = 0xffff_ffff;
const EXTRA_64 = 1;

const [STORED, DEFLATED, ZSTANDARD] = [0, 8, 93];
/** What is unpacked at a time; deflate makes at most 1032 times as much of it. */
const PIECE = 16 * 1024;

export interface ZipEntry {
  name: string;
  /** Zip's number of the compression method. */
  method: number;
  /** Bytes in the archive, as the directory states them. */
  size: number;
  /** Bytes once unpacked, as the directory states them. */
  originalSize: number;
  /** Where the entry's local header stands. */
  offset: number;
}

export const isDeflated = ({ method }: ZipEntry): boolean => method === DEFLATED;
export const isZstandard = ({ method }: ZipEntry): boolean => method === ZSTANDARD;

/** Whether an entry is packed in a way that is read. */
export const isUnpackable = (entry: ZipEntry): boolean =>
  entry.method === STORED || isDeflated(entry) || isZstandard(entry);

/** Unpacks Zstandard to so many bytes; loaded where an archive needs it. */
export type UnpackZstandard = (packed: Uint8Array, length: number) => Uint8Array;

const viewOf = (bytes: Uint8Array): DataView =>
  new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

const long = (view: DataView, at: number): number => Number(view.getBigUint64(at, true));

/** Where the directory begins, and of how many entries it is. @throws Error without one */
function directoryOf(view: DataView): { at: number; count: number } {
  const last = view.byteLength - END_BYTES;
  let end = last;
  while (end >= 0 && last - end <= MOST_COMMENT && view.getUint32(end, true) !== END) end -= 1;
  if (end < 0 || last - end > MOST_COMMENT) throw new Error('its directory is missing');
  if (end >= 20 && view.getUint32(end - 20, true) === END_64_LOCATOR) {
    const end64 = long(view, end - 12);
    if (view.getUint32(end64, true) === END_64)
      return { at: long(view, end64 + 48), count: long(view, end64 + 32) };
  }
  return { at: view.getUint32(end + 16, true), count: view.getUint16(end + 10, true) };
}

/** The lengths and the offset of an entry, in 64 bits where the extra fields hold them so. */
function placeOf(
  view: DataView,
  at: number,
  extra: number,
  extraEnd: number,
): Pick<ZipEntry, 'size' | 'originalSize' | 'offset'> {
  let field = extra;
  while (field + 4 <= extraEnd && view.getUint16(field, true) !== EXTRA_64)
    field += 4 + view.getUint16(field + 2, true);
  let wide = field + 4;
  // Only those that 32 bits do not hold stand there, in this order.
  const read = (from: number): number => {
    const value = view.getUint32(from, true);
    if (value !== IN_64_BITS || wide + 8 > extraEnd) return value;
    wide += 8;
    return long(view, wide - 8);
  };
  const originalSize = read(at + 24);
  const size = read(at + 20);
  return { size, originalSize, offset: read(at + 42) };
}

/** The entries of an archive, in its order. @throws Error where its directory is not whole */
export function zipEntries(bytes: Uint8Array): ZipEntry[] {
  const view = viewOf(bytes);
  const { at: start, count } = directoryOf(view);
  const entries: ZipEntry[] = [];
  let at = start;
  for (let i = 0; i < count; i++) {
    if (at + 46 > bytes.length || view.getUint32(at, true) !== DIRECTORY_ENTRY)
      throw new Error(`its directory breaks off after ${i} of ${count} entries`);
    const nameEnd = at + 46 + view.getUint16(at + 28, true);
    const extraEnd = nameEnd + view.getUint16(at + 30, true);
    const end = extraEnd + view.getUint16(at + 32, true);
    if (end > bytes.length) throw new Error(`its directory breaks off in entry ${i + 1}`);
    const encoding = view.getUint16(at + 8, true) & UTF8_NAME ? 'utf-8' : 'latin1';
    entries.push({
      name: new TextDecoder(encoding).decode(bytes.subarray(at + 46, nameEnd)),
      method: view.getUint16(at + 10, true),
      ...placeOf(view, at, nameEnd, extraEnd),
    });
    at = end;
  }
  return entries;
}

/** The bytes of an entry as they lie in the archive. @throws Error where they do not */
function packedBytes(bytes: Uint8Array, { offset, size }: ZipEntry): Uint8Array {
  const view = viewOf(bytes);
  if (offset + 30 > bytes.length || view.getUint32(offset, true) !== LOCAL_HEADER)
    throw new Error('no entry begins where the directory says');
  const start = offset + 30 + view.getUint16(offset + 26, true) + view.getUint16(offset + 28, true);
  if (start + size > bytes.length) throw new Error('the entry goes beyond the archive');
  return bytes.subarray(start, start + size);
}

/**
 * One entry, unpacked. What it takes grows with what is found and never with the length that is stated.
 *
 * @param spend called with the bytes that were read and made, on the way; may throw to end it
 * @param zstandard for entries that are packed so; they are unpacked at once, to the stated length
 * @throws Error where the entry is damaged, or is not as long as the directory states
 */
export function unzipEntry(
  bytes: Uint8Array,
  entry: ZipEntry,
  spend: (bytes: number) => void,
  zstandard?: UnpackZstandard,
): Uint8Array {
  const packed = packedBytes(bytes, entry);
  const parts: Uint8Array[] = [];
  let length = 0;
  const add = (part: Uint8Array): void => {
    parts.push(part);
    length += part.length;
    spend(part.length);
  };
  if (entry.method === STORED) add(packed);
  else if (isZstandard(entry)) {
    if (!zstandard) throw new Error('the entry is packed by Zstandard');
    spend(packed.length);
    add(zstandard(packed, entry.originalSize));
  } else {
    const inflate = new Inflate(add);
    for (let at = 0; at < packed.length && length <= entry.originalSize; at += PIECE) {
      const piece = packed.subarray(at, at + PIECE);
      spend(piece.length);
      inflate.push(piece, at + PIECE >= packed.length);
    }
  }
  if (length !== entry.originalSize) throw new Error('the entry is not as long as stated');
  return joined(parts);
}

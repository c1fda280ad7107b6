import { Inflate } from 'fflate';

/**
 * The entries of a zip archive, each read and unpacked only when it is asked for. The directory is walked
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
/** Of the end with 64 bits and of its locator, without what other programs may add. */
const END_64_BYTES = 56 + 20;
const HEADER_BYTES = 30;
/** Some 500,000 entries. */
const MOST_DIRECTORY = 32 * 2 ** 20;
const MOST_COMMENT = 0xffff;
const UTF8_NAME = 0x0800;
/** Marks a length that needs 64 bits. */
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

/** Unpacks Zstandard to this many bytes; loaded where an archive needs it. */
export type UnpackZstandard = (packed: Uint8Array, length: number) => Uint8Array;

const viewOf = (bytes: Uint8Array): DataView =>
  new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

const long = (view: DataView, at: number): number => Number(view.getBigUint64(at, true));

/**
 * Where the directory begins, where it ends at the latest, and of how many entries it is.
 * @param base place of the view in the archive
 * @throws Error without one
 */
function directoryOf(view: DataView, base = 0): { at: number; end: number; count: number } {
  const last = view.byteLength - END_BYTES;
  let end = last;
  while (end >= 0 && last - end <= MOST_COMMENT && view.getUint32(end, true) !== END) end -= 1;
  if (end < 0 || last - end > MOST_COMMENT) throw new Error('its directory is missing');
  if (end >= 20 && view.getUint32(end - 20, true) === END_64_LOCATOR) {
    const end64 = long(view, end - 12) - base;
    if (end64 < 0) throw new Error('its directory is missing');
    if (view.getUint32(end64, true) === END_64)
      return { at: long(view, end64 + 48), end: base + end, count: long(view, end64 + 32) };
  }
  const [at, count] = [view.getUint32(end + 16, true), view.getUint16(end + 10, true)];
  return { at, end: base + end, count };
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
  // Only those that 32 bits do not hold are there, in this order.
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

/** The entries of an archive, in its order; nothing else of it is read. @throws Error where its directory is not whole */
export async function zipEntriesOf(file: Blob): Promise<ZipEntry[]> {
  const base = Math.max(0, file.size - END_64_BYTES - END_BYTES - MOST_COMMENT);
  const { at, end, count } = directoryOf(viewOf(await bytesIn(file, base, file.size)), base);
  if (end - at > MOST_DIRECTORY) throw new Error('its directory is longer than 32 MB');
  return entriesIn(await bytesIn(file, at, end), 0, count);
}

const bytesIn = async (file: Blob, from: number, to: number): Promise<Uint8Array> =>
  new Uint8Array(await file.slice(from, to).arrayBuffer());

function entriesIn(bytes: Uint8Array, start: number, count: number): ZipEntry[] {
  const view = viewOf(bytes);
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

/** Where the bytes of an entry begin. @param header its local header; @throws Error where it is none */
function startOf(header: Uint8Array, offset: number): number {
  const view = viewOf(header);
  if (header.length < HEADER_BYTES || view.getUint32(0, true) !== LOCAL_HEADER)
    throw new Error('no entry begins where the directory says');
  return offset + HEADER_BYTES + view.getUint16(26, true) + view.getUint16(28, true);
}

/** What is read of a file at a time. */
const SLICE = 2 ** 20;
/** A name and its extra fields seldom take more in a local header. */
const MOST_NAME = 512;

/** Unpacks one entry, piece by piece. */
class Unpacker {
  #made: Uint8Array[] = [];
  #length = 0;
  readonly #entry: ZipEntry;
  readonly #spend: (bytes: number) => void;
  readonly #zstandard: UnpackZstandard | undefined;
  readonly #inflate = new Inflate((part) => this.#add(part));

  constructor(
    entry: ZipEntry,
    spend: (bytes: number) => void,
    zstandard: UnpackZstandard | undefined,
  ) {
    this.#entry = entry;
    this.#spend = spend;
    this.#zstandard = zstandard;
    // A decoder of Zstandard takes an entry as a whole; a stored one is as long as it says.
    if (!isDeflated(entry) && entry.size > 1024 + 2 * entry.originalSize) this.#fail();
  }

  #fail(): never {
    throw new Error('the entry is not as long as stated');
  }

  #add(part: Uint8Array): void {
    this.#made.push(part);
    this.#length += part.length;
    this.#spend(part.length);
  }

  /** @param last whether no bytes follow; Zstandard has them all at once. @throws what `spend` throws, or Error */
  *push(packed: Uint8Array, last: boolean): Generator<Uint8Array> {
    const { method, originalSize } = this.#entry;
    if (method === STORED) this.#add(packed);
    else if (isZstandard(this.#entry)) {
      if (!this.#zstandard) throw new Error('the entry is packed by Zstandard');
      this.#spend(packed.length);
      this.#add(this.#zstandard(packed, originalSize));
    } else
      for (let at = 0; at < packed.length && this.#length <= originalSize; at += PIECE) {
        const piece = packed.subarray(at, at + PIECE);
        this.#spend(piece.length);
        this.#inflate.push(piece, last && at + PIECE >= packed.length);
        yield* this.#ready();
      }
    yield* this.#ready();
    if (this.#length > originalSize || (last && this.#length < originalSize)) this.#fail();
  }

  *#ready(): Generator<Uint8Array> {
    const made = this.#made;
    this.#made = [];
    yield* made;
  }
}

/**
 * One entry, unpacked part by part. What it takes grows with what is found and never with the length that is stated.
 *
 * @param spend called with the bytes that were read and made, on the way; may throw to end it
 * @param zstandard for entries that are packed so; they are unpacked at once, to the stated length
 * @throws Error where the entry is damaged, or is not as long as the directory states
 */
export async function* unzipParts(
  file: Blob,
  entry: ZipEntry,
  spend: (bytes: number) => void,
  zstandard?: UnpackZstandard,
): AsyncGenerator<Uint8Array> {
  const { offset, size } = entry;
  const unpacker = new Unpacker(entry, spend, zstandard);
  const step = isZstandard(entry) ? size : SLICE;
  // Its local header with the first bytes after it, at once.
  const head = await bytesIn(
    file,
    offset,
    offset + HEADER_BYTES + MOST_NAME + Math.min(size, step),
  );
  const start = startOf(head, offset);
  const end = start + size;
  if (end > file.size) throw new Error('the entry goes beyond the archive');
  const held = head.subarray(start - offset, end - offset);
  const whole = held.length === size || !isZstandard(entry);
  const first = whole ? held : await bytesIn(file, start, end);
  let at = start + first.length;
  yield* unpacker.push(first, at === end);
  while (at < end) {
    const next = Math.min(end, at + step);
    yield* unpacker.push(await bytesIn(file, at, next), next === end);
    at = next;
  }
}

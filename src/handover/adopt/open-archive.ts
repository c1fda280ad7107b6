import { messageOf } from '../../base/errors.ts';
import { createTurns } from '../../base/turns.ts';
import {
  passBudget,
  UnpackLimitReached,
  unpackBudget,
} from '../../formats/rollouts/container/budget.ts';
import { gunzip, UnpackError } from '../../formats/rollouts/container/gunzip.ts';
import {
  isUnpackable,
  isZstandard,
  unzipParts,
  zipEntriesOf,
  type ZipEntry,
} from '../../formats/rollouts/container/zip.ts';
import { AdoptError, type AdoptFile } from './folder.ts';

/**
 * Entries of a tar archive: ustar (POSIX.1-1988), with GNU's long names and sizes and the paths of pax
 * headers (POSIX.1-2001). Of a file only headers are read, and an entry is a slice of it; of a stream an entry is kept
 * if it is asked for.
 */

const BLOCK = 512;

interface TarEntry {
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
const isTar = (head: Uint8Array): boolean =>
  head.length >= BLOCK && textAt(head, 257, 5) === 'ustar';

/** A long path is text of at most this. */
const MOST_PATH = 64 * 1024;

/** An archive that is read from its beginning to its end. */
interface TarInput {
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
async function readTarInput(
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

/** Names of the files that are read of a folder that came back; nothing else of an archive is unpacked. */

const READ =
  /(?:^|\/)(?:experiment\.json|trainer_state\.json|sha256\.json|adapter_config\.json|adapter_model\.safetensors|(?:held-out|metrics|forage[^/]*|rollouts[^/]*)\.jsonl|rollouts\/\d+\.jsonl|completions_\d+\.parquet|[^/]+\.(?:log|out|txt))$/;

/** Of these only the name is used: they say what a trainer left instead of an adapter. */
const NAMED = /(?:^|\/)(?:adapter_model\.bin|global_step_\d+\/actor\/.*\.pt)$/;

export const isRead = (path: string): boolean => READ.test(path);
const isNamed = (path: string): boolean => NAMED.test(path);

/**
 * An archive of a folder, as files: tar, tar.gz or zip. Only files that are read are unpacked, at most 256 MB of them;
 * those of which the name is enough are empty. Of a tar archive they are slices.
 */

const headOf = async (blob: Blob): Promise<Uint8Array> =>
  new Uint8Array(await blob.slice(0, 512).arrayBuffer());

const isGzip = (head: Uint8Array): boolean => head[0] === 0x1f && head[1] === 0x8b;
const isZip = (head: Uint8Array): boolean =>
  head[0] === 0x50 && head[1] === 0x4b && (head[2] === 3 || head[2] === 5);

const blobOf = (parts: readonly Uint8Array[]): Blob => new Blob([...parts] as BlobPart[]);

const UNPACKING = 'the files of it that are read unpack';

async function unzip(blob: Blob, turn: () => Promise<void>): Promise<AdoptFile[]> {
  const entries = (await zipEntriesOf(blob)).filter(({ name }) => isRead(name) || isNamed(name));
  // What is stated first, so that nothing is unpacked of an archive that is refused; then what is found.
  const state = unpackBudget(blob.size, UNPACKING);
  for (const { name, originalSize } of entries) if (isRead(name)) state(originalSize);
  const spend = unpackBudget(blob.size, UNPACKING, blob.size);
  const unpacked = async (entry: ZipEntry): Promise<Blob> => {
    if (!isUnpackable(entry) || isZstandard(entry))
      throw new Error(`${entry.name} is compressed by zip method ${entry.method}`);
    const parts: Uint8Array[] = [];
    for await (const part of unzipParts(blob, entry, spend)) {
      await turn();
      parts.push(part);
    }
    return blobOf(parts);
  };
  const files: AdoptFile[] = [];
  for (const entry of entries) {
    await turn();
    const { name } = entry;
    files.push({ path: name, blob: isRead(name) ? await unpacked(entry) : new Blob([]) });
  }
  return files;
}

/** A stream from its beginning to its end; of what is passed over nothing is held. */
class StreamInput implements TarInput {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #keep: (bytes: number) => void;
  readonly #pass: (bytes: number) => void;
  #held: Uint8Array = new Uint8Array();

  constructor(packed: Blob) {
    this.#reader = gunzip(packed.stream()).getReader();
    this.#keep = unpackBudget(packed.size, UNPACKING);
    this.#pass = passBudget(packed.size, 'what is not read of it unpacks');
  }

  /** The next bytes, part by part; they end where the stream does. */
  async *#parts(length: number): AsyncGenerator<Uint8Array> {
    for (let left = length; left > 0;) {
      if (this.#held.length === 0) {
        const { done, value } = await this.#reader.read();
        if (done) return;
        this.#held = value;
        continue;
      }
      const part = this.#held.subarray(0, left);
      this.#held = this.#held.subarray(part.length);
      left -= part.length;
      yield part;
    }
  }

  async read(length: number): Promise<Uint8Array> {
    const parts: Uint8Array[] = [];
    for await (const part of this.#parts(length)) parts.push(part);
    return new Uint8Array(await blobOf(parts).arrayBuffer());
  }

  async take(length: number, keep: boolean): Promise<Blob | null> {
    // Before any of it is unpacked.
    if (keep) this.#keep(length);
    else this.#pass(length);
    const parts: Uint8Array[] = [];
    let found = 0;
    for await (const part of this.#parts(length)) {
      found += part.length;
      if (keep) parts.push(part.slice());
    }
    return found < length ? null : blobOf(parts);
  }

  /** Puts bytes back that were read. */
  unread(bytes: Uint8Array): void {
    this.#held = new Uint8Array([...bytes, ...this.#held]);
  }

  cancel(): Promise<void> {
    return this.#reader.cancel();
  }
}

/** The files of a tar archive that is packed by gzip; null where something else is. */
async function untar(blob: Blob, signal: AbortSignal | undefined): Promise<AdoptFile[] | null> {
  const input = new StreamInput(blob);
  try {
    const head = await input.read(512);
    if (!isTar(head)) return null;
    input.unread(head);
    const keep = (path: string) => (isRead(path) ? 'file' : isNamed(path) ? 'name' : null);
    return await readTarInput(input, keep, signal);
  } finally {
    await input.cancel().catch(() => undefined);
  }
}

async function unpack(blob: Blob, signal: AbortSignal | undefined): Promise<AdoptFile[] | null> {
  const head = await headOf(blob);
  if (isTar(head)) return readTar(blob, signal);
  if (isZip(head)) return unzip(blob, createTurns(signal));
  return isGzip(head) ? untar(blob, signal) : null;
}

/**
 * The files of an archive; null where the file is none.
 * @throws AdoptError where it is damaged or too large; the signal's reason
 */
export async function openArchive(
  name: string,
  blob: Blob,
  signal?: AbortSignal,
): Promise<AdoptFile[] | null> {
  try {
    const files = await unpack(blob, signal);
    signal?.throwIfAborted();
    return files;
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof UnpackError)
      throw new AdoptError(`${name} cannot be read: it ${error.message}.`);
    const todo =
      error instanceof UnpackLimitReached
        ? 'Unpack it and import the folder'
        : 'Pack the folder again, or import the folder itself';
    throw new AdoptError(
      `${name} is an archive that cannot be read: ${messageOf(error)}. ${todo}.`,
    );
  }
}

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
import { AdoptError, type AdoptFile } from './input/folder.ts';
import { isNamed, isRead } from './input/names.ts';
import { isTar, readTar, readTarInput, type TarInput } from './tar.ts';

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

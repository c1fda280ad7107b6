import { messageOf } from '../../../base/errors.ts';
import { createTurns } from '../../../base/turns.ts';
import { gunzip } from '../../../formats/rollouts/container/gunzip.ts';
import {
  isUnpackable,
  isZstandard,
  unzipEntry,
  zipEntries,
  type ZipEntry,
} from '../../../formats/rollouts/container/zip.ts';
import { AdoptError, type AdoptFile } from '../input/folder.ts';
import { isTar, readTar } from './tar.ts';

/** An archive of a folder, as files: tar, tar.gz or zip. */

/** A packed file is held in memory while it is unpacked. */
const MOST_PACKED = 2 ** 30;
/** What the entries of a zip archive may take together, unpacked. */
const MOST_UNPACKED = 2 ** 31;

const headOf = async (blob: Blob): Promise<Uint8Array> =>
  new Uint8Array(await blob.slice(0, 512).arrayBuffer());

const isGzip = (head: Uint8Array): boolean => head[0] === 0x1f && head[1] === 0x8b;
const isZip = (head: Uint8Array): boolean =>
  head[0] === 0x50 && head[1] === 0x4b && (head[2] === 3 || head[2] === 5);

function checkSize(name: string, blob: Blob): void {
  if (blob.size > MOST_PACKED)
    throw new AdoptError(
      `${name} is packed and over 1 GB. Unpack it and give the folder, or leave out the trainer’s own checkpoints: ` +
        'adapter, metrics and rollouts are all that is read.',
    );
}

/** Checkpoints of whole models and optimizers, which nothing here reads. */
const isNeeded = (path: string): boolean => !/\.(?:pt|pth|bin|distcp)$/.test(path);

async function unzip(name: string, blob: Blob, turn: () => Promise<void>): Promise<AdoptFile[]> {
  checkSize(name, blob);
  const bytes = new Uint8Array(await blob.arrayBuffer());
  let left = MOST_UNPACKED;
  const spend = (count: number): void => {
    left -= count;
    if (left < 0) throw new Error('it unpacks to over 2 GB');
  };
  const one = (entry: ZipEntry): AdoptFile => {
    if (!isUnpackable(entry) || isZstandard(entry))
      throw new Error(`${entry.name} is compressed by zip method ${entry.method}`);
    return { path: entry.name, blob: blobOf(unzipEntry(bytes, entry, spend)) };
  };
  const files: AdoptFile[] = [];
  for (const entry of zipEntries(bytes)) {
    await turn();
    if (!entry.name.endsWith('/') && isNeeded(entry.name)) files.push(one(entry));
  }
  return files;
}

const blobOf = (bytes: Uint8Array): Blob => new Blob([new Uint8Array(bytes)]);

async function unpack(
  name: string,
  blob: Blob,
  signal: AbortSignal | undefined,
): Promise<AdoptFile[] | null> {
  const turn = createTurns(signal);
  const head = await headOf(blob);
  if (isTar(head)) return readTar(blob, signal);
  if (isZip(head)) return unzip(name, blob, turn);
  if (!isGzip(head)) return null;
  checkSize(name, blob);
  const bytes = gunzip(blob.stream()) as ReadableStream<Uint8Array<ArrayBuffer>>;
  const stopping = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
    async transform(part, controller) {
      await turn();
      controller.enqueue(part);
    },
  });
  const unpacked = await new Response(bytes.pipeThrough(stopping)).blob();
  return isTar(await headOf(unpacked)) ? readTar(unpacked, signal) : null;
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
    const files = await unpack(name, blob, signal);
    signal?.throwIfAborted();
    return files;
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof AdoptError) throw error;
    throw new AdoptError(
      `${name} is an archive that cannot be read: ${messageOf(error)}. Pack the folder again, or give the folder itself.`,
    );
  }
}

import { unzipSync, type UnzipFileInfo } from 'fflate';
import { messageOf } from '../message-of.ts';

/** Inspect AI's `.eval` logs: zip files that hold every sample as a JSON document of its own. */

const SAMPLE = /^samples\/[^/]+\.json$/;
/** Samples are unpacked in batches of about this many bytes, so that a large log is never open as a whole. */
const BATCH_BYTES = 32 * 1024 * 1024;
/** Deflate makes nothing more than 1032 times as small: a length beyond that is not true. */
const MOST_RATIO = 1040;
const MOST_BYTES = 256 * 1024 * 1024;
const STORED_OR_DEFLATED = [0, 8];

export interface EvalSample {
  /** From 1, in the order of the archive. */
  number: number;
  /** Null where the sample cannot be unpacked; `fault` says why. */
  text: string | null;
  fault?: string;
  /** Share of the samples up to this one, in bytes of the file. */
  bytes: number;
}

/** Why a sample is left out; null where it can be unpacked. */
function faultOf({ originalSize, size, compression }: UnzipFileInfo): string | null {
  if (!STORED_OR_DEFLATED.includes(compression))
    return `is compressed by zip method ${compression}; stored and deflated samples are read. Convert the log with "inspect log convert --to json"`;
  if (originalSize > MOST_BYTES) return `is longer than ${MOST_BYTES / 1024 / 1024} MB`;
  return originalSize > MOST_RATIO * (size + 64) ? 'states a length that it cannot have' : null;
}

/** The entries of the archive, without unpacking any. @throws Error where it is no whole zip file */
function entriesOf(bytes: Uint8Array): UnzipFileInfo[] {
  const entries: UnzipFileInfo[] = [];
  unzipSync(bytes, {
    filter: (entry) => {
      entries.push(entry);
      return false;
    },
  });
  return entries;
}

/** Names that are unpacked together, in order. */
function* batches(samples: readonly UnzipFileInfo[]): Generator<UnzipFileInfo[]> {
  let batch: UnzipFileInfo[] = [];
  let size = 0;
  for (const sample of samples) {
    if (batch.length > 0 && size + sample.originalSize > BATCH_BYTES) {
      yield batch;
      [batch, size] = [[], 0];
    }
    batch.push(sample);
    size += faultOf(sample) === null ? sample.originalSize : 0;
  }
  if (batch.length > 0) yield batch;
}

/** One sample that was asked for; the text of a damaged one is null. */
function unpacked(bytes: Uint8Array, sample: UnzipFileInfo): Pick<EvalSample, 'text' | 'fault'> {
  const fault = faultOf(sample);
  if (fault !== null) return { text: null, fault };
  try {
    const found = unzipSync(bytes, { filter: ({ name }) => name === sample.name })[sample.name];
    const text = new TextDecoder('utf-8', { fatal: true }).decode(found);
    return { text };
  } catch {
    return { text: null, fault: 'is damaged: it cannot be unpacked' };
  }
}

/** A batch at once; where one of it is damaged, each alone. */
function unpackedAll(
  bytes: Uint8Array,
  batch: readonly UnzipFileInfo[],
): Pick<EvalSample, 'text' | 'fault'>[] {
  const good = new Set(batch.filter((one) => faultOf(one) === null).map(({ name }) => name));
  const decoder = new TextDecoder('utf-8', { fatal: true });
  try {
    const found = unzipSync(bytes, { filter: ({ name }) => good.has(name) });
    return batch.map((sample) =>
      good.has(sample.name)
        ? { text: decoder.decode(found[sample.name]) }
        : unpacked(bytes, sample),
    );
  } catch {
    return batch.map((sample) => unpacked(bytes, sample));
  }
}

/**
 * The samples of a log, in the archive's order.
 * @throws Error where the file is no zip file that can be read, or holds no samples
 */
export async function* readEvalLog(file: Blob): AsyncGenerator<EvalSample> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  let entries: UnzipFileInfo[];
  try {
    entries = entriesOf(bytes);
  } catch (error) {
    throw new Error(`it is damaged or cut short (${messageOf(error)})`, { cause: error });
  }
  const samples = entries.filter(({ name }) => SAMPLE.test(name));
  if (samples.length === 0) throw new Error('it holds no samples/*.json');
  let number = 0;
  for (const batch of batches(samples))
    for (const one of unpackedAll(bytes, batch)) {
      number += 1;
      yield { number, ...one, bytes: Math.round((file.size * number) / samples.length) };
    }
}

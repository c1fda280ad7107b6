import { messageOf } from '../../base/errors.ts';
import type { TextOrFault } from './shape/lines.ts';
import { UnpackLimitReached, unpackBudget } from './container/budget.ts';
import {
  isDeflated,
  isUnpackable,
  isZstandard,
  unzipParts,
  zipEntriesOf,
  type UnpackZstandard,
  type ZipEntry,
} from './container/zip.ts';

/** Inspect AI's `.eval` logs: zip files that hold every sample as a JSON document of its own. */

const SAMPLE = /^samples\/[^/]+\.json$/;
/** Deflate makes nothing more than 1032 times as small: a length beyond that is not true. */
const DEFLATE_RATIO = 1040;
const MOST_MB = 256;
const UNPACKING = 'its samples unpack';

/** A sample, or why it cannot be unpacked. */
export type EvalSample = TextOrFault & {
  /** From 1, in the order of the archive. */
  number: number;
  /** Share of the samples up to this one, in bytes of the file. */
  bytes: number;
};

/** Why a sample is left out; null where it can be unpacked. */
function faultOf(entry: ZipEntry): string | null {
  const { originalSize, size, method } = entry;
  if (!isUnpackable(entry))
    return `is compressed by zip method ${method}; samples that are stored, deflated or packed by Zstandard are read. Convert the log with "inspect log convert --to json"`;
  if (originalSize > MOST_MB * 2 ** 20) return `is longer than ${MOST_MB} MB`;
  return isDeflated(entry) && originalSize > DEFLATE_RATIO * (size + 64)
    ? 'states a length that it cannot have'
    : null;
}

/** Each sample with why it is left out, or null: also where its name was there already, which no log does. */
function faultsOf(samples: readonly ZipEntry[]): { sample: ZipEntry; fault: string | null }[] {
  const names = new Set<string>();
  return samples.map((sample) => {
    const { name } = sample;
    if (names.has(name)) return { sample, fault: `has the name of an earlier sample, ${name}` };
    names.add(name);
    return { sample, fault: faultOf(sample) };
  });
}

/** A sample's text; that of a damaged one is null. @throws TooMuch */
async function unpacked(
  file: Blob,
  sample: ZipEntry,
  spend: (bytes: number) => void,
  zstandard: UnpackZstandard | undefined,
): Promise<TextOrFault> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  try {
    let text = '';
    for await (const part of unzipParts(file, sample, spend, zstandard))
      text += decoder.decode(part, { stream: true });
    return { text: text + decoder.decode() };
  } catch (error) {
    if (error instanceof UnpackLimitReached) throw error;
    return { text: null, fault: 'is damaged: it cannot be unpacked' };
  }
}

/** The reader of Zstandard, where an entry needs it. */
const zstandardFor = async (samples: readonly ZipEntry[]): Promise<UnpackZstandard | undefined> =>
  samples.some(isZstandard) ? (await import('../parquet/unpackers.ts')).unpackZstandard : undefined;

/**
 * The samples of a log, in the archive's order. Nothing else of it is read, and one sample is unpacked at a time.
 * @throws Error where the file is no zip file that can be read, holds no samples, or unpacks to more than
 * 256 MB, or 64 MB and 200 times its size
 */
export async function* readEvalLog(file: Blob): AsyncGenerator<EvalSample> {
  let entries: ZipEntry[];
  try {
    entries = await zipEntriesOf(file);
  } catch (error) {
    throw new Error(`it is damaged or cut short (${messageOf(error)})`, { cause: error });
  }
  const samples = entries.filter(({ name }) => SAMPLE.test(name));
  if (samples.length === 0) throw new Error('it holds no samples/*.json');
  const zstandard = await zstandardFor(samples);
  const checked = faultsOf(samples);
  // What is stated first, so that nothing is read of an archive that is refused; then what is found.
  const state = unpackBudget(file.size, UNPACKING);
  for (const { sample, fault } of checked) if (fault === null) state(sample.originalSize);
  const spend = unpackBudget(file.size, UNPACKING, file.size);
  for (const [i, { sample, fault }] of checked.entries()) {
    const one =
      fault === null ? await unpacked(file, sample, spend, zstandard) : { text: null, fault };
    const number = i + 1;
    yield { number, ...one, bytes: Math.round((file.size * number) / samples.length) };
  }
}

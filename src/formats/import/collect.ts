import { detect } from './readers/detect.ts';
import { parquetRows } from './readers/parquet.ts';
import { readImport } from './read.ts';
import { unpacked, unpackedName } from './values/unpacked.ts';
import { present } from '../../base/items.ts';
import type {
  Duplicate,
  Format,
  ImportedPassage,
  ImportedQuestion,
  ImportOptions,
  ImportProgress,
  Rejection,
} from './values/types.ts';

export interface Imported {
  questions: ImportedQuestion[];
  passages: ImportedPassage[];
  duplicates: Duplicate[];
  /** The first ones; `progress.rejected` counts all. */
  rejected: Rejection[];
  progress: ImportProgress;
}

/** How many rejections a whole import and a preview keep. */
const KEPT_REJECTIONS = 1000;

/** A whole file in memory, for small ones and the command line. Throws as `readImport` does. */
export async function importAll(blob: Blob, options: ImportOptions = {}): Promise<Imported> {
  const all: Omit<Imported, 'progress'> = {
    questions: [],
    passages: [],
    duplicates: [],
    rejected: [],
  };
  let progress: ImportProgress | null = null;
  for await (const batch of readImport(blob, options)) {
    all.questions.push(...batch.questions);
    all.passages.push(...batch.passages);
    all.duplicates.push(...batch.duplicates);
    all.rejected.push(...batch.rejected.slice(0, KEPT_REJECTIONS - all.rejected.length));
    progress = batch.progress;
  }
  return { ...all, progress: present(progress, 'the last batch') };
}

export interface Preview {
  format: Format;
  questions: ImportedQuestion[];
  passages: ImportedPassage[];
  rejected: Rejection[];
  /** What was read of the file for this preview. */
  progress: ImportProgress;
  /** Items in the whole file: counted where it was read to its end, else estimated from its size. */
  items: { count: number; exact: boolean };
}

/** How many records a preview shows by default otherwise. */
const PREVIEW_ITEMS = 100;
/** How much of a file a preview reads at least, so that small files are counted. */
const PREVIEW_BYTES = 2 ** 20;

/**
 * The first items of a file as they would be imported, its format, and how many items it holds.
 * @throws ImportError where the file as a whole cannot be read; the signal's reason when aborted
 */
export async function previewImport(
  file: Blob,
  options: Omit<ImportOptions, 'resume'> & { items?: number } = {},
): Promise<Preview> {
  const { items: limit = PREVIEW_ITEMS, name, ...others } = options;
  const blob = await unpacked(file);
  const rest = { ...others, ...(name !== undefined && { name: unpackedName(name) }) };
  const format = rest.format ?? (await detect(blob, rest.name));
  const shown: Pick<Preview, 'questions' | 'passages' | 'rejected'> = {
    questions: [],
    passages: [],
    rejected: [],
  };
  let read: ImportProgress | null = null;
  let ended = true;
  for await (const batch of readImport(blob, { ...rest, format })) {
    const enough = read !== null && read.items >= limit && read.bytes >= PREVIEW_BYTES;
    // Whether the file ends where enough was read, only another batch tells.
    if (enough && batch.progress.items !== read?.items) {
      ended = false;
      break;
    }
    shown.questions.push(...batch.questions.slice(0, limit - shown.questions.length));
    shown.passages.push(...batch.passages.slice(0, limit - shown.passages.length));
    shown.rejected.push(...batch.rejected.slice(0, KEPT_REJECTIONS - shown.rejected.length));
    read = batch.progress;
  }
  const progress = present(read, 'the last batch');
  const items = ended
    ? { count: progress.items, exact: true }
    : await count(blob, format, progress);
  return { format, ...shown, progress, items };
}

/** How many items a file holds of which a part was read. */
async function count(
  blob: Blob,
  { container }: Format,
  { items, bytes }: ImportProgress,
): Promise<Preview['items']> {
  if (container === 'parquet') return { count: await parquetRows(blob), exact: true };
  return { count: Math.round((items * blob.size) / bytes), exact: false };
}

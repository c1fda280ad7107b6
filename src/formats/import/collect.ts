import { detect } from './readers/detect.ts';
import { parquetRows } from './readers/parquet.ts';
import { readImport } from './read.ts';
import type {
  Duplicate,
  Format,
  ImportBatch,
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
  const all: Imported = {
    questions: [],
    passages: [],
    duplicates: [],
    rejected: [],
    progress: noProgress(blob.size),
  };
  for await (const batch of readImport(blob, options)) {
    all.questions.push(...batch.questions);
    all.passages.push(...batch.passages);
    all.duplicates.push(...batch.duplicates);
    all.rejected.push(...batch.rejected.slice(0, KEPT_REJECTIONS - all.rejected.length));
    all.progress = batch.progress;
  }
  return all;
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

/** How many records a preview shows unless told otherwise. */
const PREVIEW_ITEMS = 100;
/** How much of a file a preview reads at least, so that small files are counted. */
const PREVIEW_BYTES = 2 ** 20;

/**
 * The first items of a file as they would be imported, its format, and how many items it holds.
 * @throws ImportError where the file as a whole cannot be read; the signal's reason when aborted
 */
export async function previewImport(
  blob: Blob,
  options: Omit<ImportOptions, 'resume'> & { items?: number } = {},
): Promise<Preview> {
  const { items: limit = PREVIEW_ITEMS, ...rest } = options;
  const format = rest.format ?? (await detect(blob, rest.name));
  const shown: Preview = {
    format,
    questions: [],
    passages: [],
    rejected: [],
    progress: noProgress(blob.size),
    items: { count: 0, exact: false },
  };
  const reader = readImport(blob, { ...rest, format });
  let next = await reader.next();
  for (; !next.done; next = await reader.next()) {
    shown.questions.push(...next.value.questions.slice(0, limit - shown.questions.length));
    shown.passages.push(...next.value.passages.slice(0, limit - shown.passages.length));
    shown.rejected.push(...next.value.rejected.slice(0, KEPT_REJECTIONS - shown.rejected.length));
    shown.progress = next.value.progress;
    const { items, bytes } = shown.progress;
    if (items >= limit && bytes >= Math.min(PREVIEW_BYTES, blob.size - 1)) break;
  }
  // The last batch comes before the end is known: asks once more.
  const exact = next.done === true || (await endsHere(reader, shown.progress.items));
  await reader.return();
  shown.items = exact
    ? { count: shown.progress.items, exact }
    : { count: await wholeCount(blob, shown), exact: format.container === 'parquet' };
  return shown;
}

async function endsHere(
  reader: AsyncGenerator<ImportBatch, void>,
  items: number,
): Promise<boolean> {
  const next = await reader.next();
  return next.done === true || next.value.progress.items === items;
}

async function wholeCount(blob: Blob, { format, progress }: Preview): Promise<number> {
  if (format.container === 'parquet') return parquetRows(blob);
  return Math.round((progress.items * blob.size) / Math.max(1, progress.bytes));
}

const noProgress = (totalBytes: number): ImportProgress => ({
  bytes: 0,
  totalBytes,
  items: 0,
  questions: 0,
  passages: 0,
  duplicates: 0,
  rejected: 0,
});

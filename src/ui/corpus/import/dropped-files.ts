import { droppedEntries, filesBelow } from '../../kit/page/folder-entries.ts';
import type { NewFile } from '../store/collections-store.ts';

/** File types that are read from a folder; a file chosen directly is always previewed. */
const KNOWN = /\.(?:json|jsonl|ndjson|csv|tsv|parquet|txt|md|markdown)(?:\.gz)?$/iu;
/** Most files of one folder. */
const MOST_FILES = 10_000;

/** Dropped or chosen files, ready for the preview. */
export interface Gathered {
  files: NewFile[];
  /** Files of folders with unknown types. */
  leftOut: number;
  /** Name of the folder, if only one was dropped. */
  folder?: string;
}

const newFile = (file: File, name = file.name): NewFile => ({
  file,
  name,
  origin: { kind: 'file' },
});

/** Files of a picker; those of a folder sorted by path. */
export function pickedFiles(list: readonly File[]): Gathered {
  // Empty for files that were not chosen by folder.
  const folder = list[0]?.webkitRelativePath.split('/')[0] ?? '';
  if (folder === '') return { files: list.map((file) => newFile(file)), leftOut: 0 };
  const known = list.filter(({ name }) => KNOWN.test(name) && !name.startsWith('.'));
  return {
    files: known
      .slice(0, MOST_FILES)
      .map((file) => newFile(file, file.webkitRelativePath))
      .sort(byName),
    leftOut: list.length - Math.min(known.length, MOST_FILES),
    folder,
  };
}

/** Browsers list a folder in any order; an import must give the same collection every time. */
const byName = (a: NewFile, b: NewFile): number => a.name.localeCompare(b.name);

/** Files of a folder are filtered by type; directly dropped files are not. */
async function gather(entry: FileSystemEntry, found: Gathered): Promise<void> {
  const isImportable = (inner: FileSystemEntry): boolean => {
    if (inner.name.startsWith('.')) return false;
    if (inner.isDirectory) return true;
    if (KNOWN.test(inner.name) && found.files.length < MOST_FILES) return true;
    found.leftOut += 1;
    return false;
  };
  for await (const { path, file } of filesBelow(entry, isImportable))
    found.files.push(newFile(file, entry.isDirectory ? path : file.name));
}

/** Files and folders of a drop. Its items are only valid during the event, so they are read at once. */
export async function droppedFiles(transfer: DataTransfer): Promise<Gathered> {
  const entries = droppedEntries(transfer);
  // Both before the first await.
  const plain = [...transfer.files];
  const folders = entries.filter(({ isDirectory }) => isDirectory);
  if (folders.length === 0) return { files: plain.map((file) => newFile(file)), leftOut: 0 };
  const found: Gathered = { files: [], leftOut: 0 };
  for (const entry of entries) await gather(entry, found);
  found.files.sort(byName);
  const [folder] = folders;
  return entries.length === 1 && folder ? { ...found, folder: folder.name } : found;
}

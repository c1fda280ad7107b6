import type { Offered } from '../stores/collections-store.ts';

/** Files that are read out of a folder; a file that is chosen itself is always looked at. */
const KNOWN = /\.(?:json|jsonl|ndjson|csv|tsv|parquet|txt|md|markdown)$/iu;
/** Files of one folder that are taken at most. */
const MOST_FILES = 10_000;

export interface Gathered {
  files: Offered[];
  /** Files of folders that are of no known kind. */
  leftOut: number;
  /** Name of the folder, where one was dropped alone. */
  folder?: string;
}

const offered = (file: File, name = file.name): Offered => ({
  file,
  name,
  origin: { kind: 'file' },
});

/** Files of a picker; those of a folder by their paths. */
export function pickedFiles(list: readonly File[]): Gathered {
  const folder = list[0]?.webkitRelativePath.split('/')[0] ?? '';
  if (folder === '') return { files: list.map((file) => offered(file)), leftOut: 0 };
  const known = list.filter(({ name }) => KNOWN.test(name) && !name.startsWith('.'));
  return {
    files: known
      .slice(0, MOST_FILES)
      .map((file) => offered(file, file.webkitRelativePath))
      .sort(byName),
    leftOut: list.length - Math.min(known.length, MOST_FILES),
    folder,
  };
}

const byName = (a: Offered, b: Offered): number => a.name.localeCompare(b.name);

const fileOf = (entry: FileSystemFileEntry): Promise<File> =>
  new Promise((resolve, reject) => entry.file(resolve, reject));

/** A reader gives a folder's entries by and by. */
async function entriesOf(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = folder.createReader();
  const all: FileSystemEntry[] = [];
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    );
    if (some.length === 0) return all;
    all.push(...some);
  }
}

async function walk(entry: FileSystemEntry, found: Gathered): Promise<void> {
  if (entry.isDirectory) {
    for (const inner of await entriesOf(entry as FileSystemDirectoryEntry))
      if (!inner.name.startsWith('.')) await walk(inner, found);
  } else if (KNOWN.test(entry.name) && found.files.length < MOST_FILES) {
    const name = entry.fullPath.replace(/^\//u, '');
    found.files.push(offered(await fileOf(entry as FileSystemFileEntry), name));
  } else found.leftOut += 1;
}

/** Files and folders of a drop. Its items are gone once the event is over, so they are taken at once. */
export async function droppedFiles(transfer: DataTransfer): Promise<Gathered> {
  const entries = [...transfer.items].flatMap((item) => item.webkitGetAsEntry() ?? []);
  const plain = [...transfer.files];
  const folders = entries.filter(({ isDirectory }) => isDirectory);
  if (folders.length === 0) return { files: plain.map((file) => offered(file)), leftOut: 0 };
  const found: Gathered = { files: [], leftOut: 0 };
  for (const entry of entries) {
    if (entry.isDirectory) await walk(entry, found);
    else found.files.push(offered(await fileOf(entry as FileSystemFileEntry)));
  }
  found.files.sort(byName);
  const [folder] = folders;
  return entries.length === 1 && folder ? { ...found, folder: folder.name } : found;
}

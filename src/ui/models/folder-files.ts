import type { LocalFile } from '../../runs/checkpoints/plan.ts';

/** Files of a folder that was chosen or dropped, with their paths in it. */

/** A folder with more files is none of a checkpoint. */
const MOST_FILES = 5000;

export const filesOfInput = (list: FileList | null): LocalFile[] =>
  [...(list ?? [])].slice(0, MOST_FILES).map((file) => ({
    path: file.webkitRelativePath || file.name,
    file,
  }));

const fileOf = (entry: FileSystemFileEntry): Promise<File> =>
  new Promise((resolve, reject) => entry.file(resolve, reject));

const entriesOf = (folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> => {
  const reader = folder.createReader();
  const all: FileSystemEntry[] = [];
  return new Promise((resolve, reject) => {
    // Browsers give some dozens at a time, and none at the end.
    const more = (): void =>
      reader.readEntries((entries) => {
        if (entries.length === 0) return resolve(all);
        all.push(...entries);
        more();
      }, reject);
    more();
  });
};

const isFile = (entry: FileSystemEntry): entry is FileSystemFileEntry => entry.isFile;
const isFolder = (entry: FileSystemEntry): entry is FileSystemDirectoryEntry => entry.isDirectory;

const walk = async (entry: FileSystemEntry, found: LocalFile[]): Promise<void> => {
  if (found.length >= MOST_FILES) return;
  const path = entry.fullPath.replace(/^\//, '');
  if (isFile(entry)) found.push({ path, file: await fileOf(entry) });
  else if (isFolder(entry)) for (const child of await entriesOf(entry)) await walk(child, found);
};

/** What was dropped. Has to be called while the event is handled: its items are gone afterwards. */
export const filesOfDrop = async (transfer: DataTransfer): Promise<LocalFile[]> => {
  const entries = [...transfer.items].flatMap((item) => item.webkitGetAsEntry() ?? []);
  const found: LocalFile[] = [];
  for (const entry of entries) await walk(entry, found);
  return found;
};

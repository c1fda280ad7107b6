/** Files and folders of a drop, through the entries API. */

const isFile = (entry: FileSystemEntry): entry is FileSystemFileEntry => entry.isFile;
const isFolder = (entry: FileSystemEntry): entry is FileSystemDirectoryEntry => entry.isDirectory;

const fileOf = (entry: FileSystemFileEntry): Promise<File> =>
  new Promise((resolve, reject) => entry.file(resolve, reject));

/** A reader returns a folder's entries in batches, and an empty one at the end. */
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

/** Must be called during the drop event: its items are invalid afterwards. */
export const droppedEntries = (transfer: DataTransfer): FileSystemEntry[] =>
  [...transfer.items].flatMap((item) => item.webkitGetAsEntry() ?? []);

/**
 * The files of an entry, depth first.
 * @param filter filter for every file and folder, before it is opened
 */
export async function* filesBelow(
  entry: FileSystemEntry,
  filter: (entry: FileSystemEntry) => boolean = () => true,
): AsyncGenerator<{ path: string; file: File }> {
  if (isFile(entry)) yield { path: entry.fullPath.replace(/^\//u, ''), file: await fileOf(entry) };
  else if (isFolder(entry))
    for (const inner of await entriesOf(entry)) if (filter(inner)) yield* filesBelow(inner, filter);
}

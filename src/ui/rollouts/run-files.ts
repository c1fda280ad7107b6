import type { RunFile } from '../../formats/rollouts/run.ts';
import { areSteps, isRolloutName, runName } from '../../formats/rollouts/shape/names.ts';
import { droppedEntries, filesBelow } from '../kit/page/folder-entries.ts';

/** What was dropped or picked, put together into runs: a folder is one, and so are files of steps. */

/** Files of one folder that are taken at most. */
const MOST_FILES = 10_000;

/** Files that are read as one. */
export interface RunFiles {
  name: string;
  /** None where a folder holds no files of rollouts. */
  files: RunFile[];
}

/** A run for each file, or one for all where their names say that they are its steps. */
export function looseRuns(files: readonly File[]): RunFiles[] {
  const named = files.map((file): RunFile => ({ name: file.name, blob: file }));
  if (areSteps(named.map(({ name }) => name))) return [{ name: runName(named), files: named }];
  return named.map((file) => ({ name: file.name, files: [file] }));
}

/** Paths in a folder begin with its name. */
const below = (path: string): string => path.slice(path.indexOf('/') + 1);

/** Files of a picker; those of a folder are a run of its name. */
export function pickedRuns(list: readonly File[]): RunFiles[] {
  const folder = list[0]?.webkitRelativePath.split('/')[0] ?? '';
  if (folder === '') return looseRuns(list);
  const files = list
    .map((file): RunFile => ({ name: below(file.webkitRelativePath), blob: file }))
    .filter(({ name }) => name.split('/').every((part) => !part.startsWith('.')))
    .filter(({ name }) => isRolloutName(name.slice(name.lastIndexOf('/') + 1)));
  return [{ name: folder, files: files.slice(0, MOST_FILES) }];
}

async function folderRun(entry: FileSystemEntry): Promise<RunFiles> {
  const files: RunFile[] = [];
  const isRolloutFile = ({ name, isDirectory }: FileSystemEntry): boolean =>
    files.length < MOST_FILES && !name.startsWith('.') && (isDirectory || isRolloutName(name));
  for await (const { path, file } of filesBelow(entry, isRolloutFile))
    files.push({ name: below(path), blob: file });
  return { name: entry.name, files };
}

/** Files and folders of a drop. Its items are gone once the event is over, so they are taken at once. */
export async function droppedRuns(transfer: DataTransfer): Promise<RunFiles[]> {
  const folders = droppedEntries(transfer).filter(({ isDirectory }) => isDirectory);
  // A folder stands among the files too, by its name.
  const names = new Set(folders.map(({ name }) => name));
  const loose = looseRuns([...transfer.files].filter(({ name }) => !names.has(name)));
  return [...(await Promise.all(folders.map(folderRun))), ...loose];
}

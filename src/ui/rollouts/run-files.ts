import type { RunFile } from '../../formats/rollouts/run.ts';
import { areSteps, isRolloutName, runName } from '../../formats/rollouts/shape/names.ts';
import { droppedEntries, filesBelow } from '../kit/page/folder-entries.ts';

/** Groups dropped or chosen files into runs: a folder is one run, and so are the files of its steps. */

/** Most files of one folder. */
const MOST_FILES = 10_000;

/** Files that are read as one run. */
export interface RunFiles {
  name: string;
  /** Empty for a folder without rollout files. */
  files: RunFile[];
}

/** One run per file, or one for all if their names are steps. */
export function looseRuns(files: readonly File[]): RunFiles[] {
  const named = files.map((file): RunFile => ({ name: file.name, blob: file }));
  if (areSteps(named.map(({ name }) => name))) return [{ name: runName(named), files: named }];
  return named.map((file) => ({ name: file.name, files: [file] }));
}

/** Paths start with the folder's name. */
const below = (path: string): string => path.slice(path.indexOf('/') + 1);

/** Files of a picker; those of a folder are one run named after it. */
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

/** Dropped files and folders. Items are only valid during the event, so they are read at once. */
export async function droppedRuns(transfer: DataTransfer): Promise<RunFiles[]> {
  const folders = droppedEntries(transfer).filter(({ isDirectory }) => isDirectory);
  // A folder is also listed among the files, by its name.
  const names = new Set(folders.map(({ name }) => name));
  const loose = looseRuns([...transfer.files].filter(({ name }) => !names.has(name)));
  return [...(await Promise.all(folders.map(folderRun))), ...loose];
}

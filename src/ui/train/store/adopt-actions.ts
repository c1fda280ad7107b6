import { create } from 'zustand';
import type { AdoptFile } from '../../../handover/adopt/input/folder.ts';
import type { RunRecord } from '../../../lab/contract/records/runs.ts';
import { createAttempt } from '../../kit/attempt.ts';
import { droppedEntries, filesBelow } from '../../kit/page/folder-entries.ts';
import { keepStorage } from '../../lab/storage.ts';
import { importRuns } from './train-actions.ts';
import { trainApi, useTrain, withRun } from './train-store.ts';

/** Runs that came back from a cluster: folders, or archives of them. Nothing here rejects: see `problem`. */

interface Adopting {
  /** What is being read, and how many of its steps are stored; null where nothing is. */
  reading: { name: string; done: number; total: number } | null;
  /** What was taken in last. */
  last: Pick<RunRecord, 'id' | 'name' | 'notice'> | null;
}

/** What is taken in now, and what was last; shown on the page of runs. */
export const useAdopting = create<Adopting>()(() => ({ reading: null, last: null }));

/** Takes the note about the last adopted run off the page; the run stays. */
export const dismissAdopted = (): void => useAdopting.setState({ last: null });

const attempt = createAttempt((problem) => useTrain.setState({ problem }));

/** A folder with more files cannot be that of one experiment. */
const MOST_FILES = 20_000;

/** Files that are one experiment, with the name to call it by. */
interface Offered {
  name: string;
  files: AdoptFile[];
}

const isArchive = (name: string): boolean => /\.(?:tar|tar\.gz|tgz|zip)$/i.test(name);

/** Takes one experiment in; what came of it stands in `useAdopting`, what failed in `problem`. */
async function adoptOne({ name, files }: Offered): Promise<void> {
  useTrain.setState({ problem: null });
  useAdopting.setState({ reading: { name, done: 0, total: 0 }, last: null });
  void keepStorage();
  const run = await attempt(`“${name}” could not be taken in`, () =>
    trainApi().adopt(files, (done, total) => {
      // The last progress may come behind the answer.
      if (useAdopting.getState().reading) useAdopting.setState({ reading: { name, done, total } });
    }),
  );
  useAdopting.setState({ reading: null, ...(run && { last: run }) });
  if (run) useTrain.setState((state) => ({ runs: withRun(state.runs, run) }));
}

/** Loose files: archives, a folder's files picked one by one, and exported runs. */
export async function takeFiles(files: readonly File[]): Promise<void> {
  // The file that every exported experiment has: the others are of the same folder.
  if (files.some(({ name }) => name === 'experiment.json')) {
    const loose = files.map((file): AdoptFile => ({ path: file.name, blob: file }));
    return adoptOne({ name: 'experiment.json', files: loose });
  }
  for (const file of files.filter(({ name }) => isArchive(name)))
    await adoptOne({ name: file.name, files: [{ path: file.name, blob: file }] });
  const runs = files.filter(({ name }) => !isArchive(name));
  if (runs.length > 0) await importRuns(runs);
}

const isHidden = (path: string): boolean => path.split('/').some((part) => part.startsWith('.'));

/** Files of a folder that was picked. */
export const adoptPicked = (files: readonly File[]): Promise<void> => {
  const name = files[0]?.webkitRelativePath.split('/')[0] ?? 'The folder';
  const found = files
    .map((file): AdoptFile => ({ path: file.webkitRelativePath || file.name, blob: file }))
    .filter(({ path }) => !isHidden(path));
  return adoptOne({ name, files: found.slice(0, MOST_FILES) });
};

async function adoptFolder(entry: FileSystemEntry): Promise<void> {
  const files: AdoptFile[] = [];
  const wanted = ({ name }: FileSystemEntry): boolean =>
    files.length < MOST_FILES && !name.startsWith('.');
  for await (const { path, file } of filesBelow(entry, wanted)) files.push({ path, blob: file });
  return adoptOne({ name: entry.name, files });
}

/** Folders, archives and exported runs of a drop. Has to be called while the event is handled. */
export const takeDrop = async (transfer: DataTransfer): Promise<void> => {
  const folders = droppedEntries(transfer).filter(({ isDirectory }) => isDirectory);
  // A folder stands among the files too, by its name.
  const names = new Set(folders.map(({ name }) => name));
  const loose = [...transfer.files].filter(({ name }) => !names.has(name));
  for (const folder of folders) await adoptFolder(folder);
  if (loose.length > 0) await takeFiles(loose);
};

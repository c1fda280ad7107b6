import type { AdoptFile } from '../../../handover/adopt/folder.ts';
import { createAttempt } from '../../kit/attempt.ts';
import { droppedEntries, filesBelow } from '../../kit/page/folder-entries.ts';
import { keepStorage } from '../../lab/storage.ts';
import { importRuns } from './train-actions.ts';
import { NOT_ADOPTING, trainApi, useTrain, withRun, type Adopting } from './train-store.ts';

/** Runs that came back from a cluster: folders, or archives of them. Nothing here rejects: see `problem`. */

const change = (to: (adopting: Adopting) => Partial<Adopting>): void =>
  useTrain.setState(({ adopting }) => ({ adopting: { ...adopting, ...to(adopting) } }));

/** Takes the note about what was taken in off the page; the runs stay. */
export const dismissAdopted = (): void => change(() => ({ taken: [], cancelled: null }));

const attempt = createAttempt((problem) => useTrain.setState({ problem }));

/** A folder with more files cannot be that of one experiment. */
const MOST_FILES = 20_000;

/** In the lab; one is read at a time. */
const JOB = 'adopt';

/** Files that are one experiment, with the name to call it by. */
interface Offered {
  name: string;
  files: AdoptFile[];
}

/** Those that wait for the one that is read. */
let queue: Offered[] = [];

const isArchive = (name: string): boolean => /\.(?:tar|tar\.gz|tgz|zip)$/i.test(name);

const quoted = (names: readonly string[]): string => names.map((name) => `“${name}”`).join(', ');

/** What came of it is in `adopting`, what failed in `problem`. */
async function adoptOne({ name, files }: Offered): Promise<void> {
  const reading = { name, done: 0, total: 0, cancelling: false };
  change(() => ({ reading, waiting: queue.map((offered) => offered.name) }));
  const outcome = await attempt(`“${name}” could not be taken in`, () =>
    trainApi().adopt(JOB, files, (done, total) =>
      change(({ reading: now }) => ({ reading: now && { ...now, done, total } })),
    ),
  );
  // One that had been stored by the time it was cancelled is here.
  if (outcome?.status === 'ready') {
    const { run } = outcome;
    change(({ taken }) => ({ taken: [...taken, run] }));
    useTrain.setState((state) => ({ runs: withRun(state.runs, run) }));
  } else if (outcome?.status === 'cancelled') {
    change(({ cancelled }) => ({
      cancelled: [`Cancelled: nothing of “${name}” is kept.`, cancelled].filter(Boolean).join(' '),
    }));
  }
}

/** Takes experiments in, one after another, behind those that wait already. */
async function adoptAll(offered: readonly Offered[]): Promise<void> {
  queue.push(...offered);
  if (useTrain.getState().adopting.reading)
    return change(() => ({ waiting: queue.map(({ name }) => name) }));
  useTrain.setState({ problem: null, adopting: NOT_ADOPTING });
  void keepStorage();
  for (let next = queue.shift(); next; next = queue.shift()) await adoptOne(next);
  change(() => ({ reading: null, waiting: [] }));
}

/** Stops what is read, of which nothing is kept, and what waits after it. */
export async function cancelAdopting(): Promise<void> {
  const left = queue.map(({ name }) => name);
  queue = [];
  change(({ reading }) => ({
    reading: reading && { ...reading, cancelling: true },
    waiting: [],
    cancelled: left.length === 0 ? null : `Not begun: ${quoted(left)}.`,
  }));
  await attempt('It could not be stopped', () => trainApi().cancelAdopt(JOB));
}

/** Loose files: archives, a folder's files picked one by one, and exported runs. */
export async function takeFiles(files: readonly File[]): Promise<void> {
  // The file that every exported experiment has: the others are of the same folder.
  if (files.some(({ name }) => name === 'experiment.json')) {
    const loose = files.map((file): AdoptFile => ({ path: file.name, blob: file }));
    return adoptAll([{ name: 'experiment.json', files: loose }]);
  }
  // Runs first: they are read in a moment.
  const runs = files.filter(({ name }) => !isArchive(name));
  if (runs.length > 0) await importRuns(runs);
  const archives = files.filter(({ name }) => isArchive(name));
  if (archives.length > 0)
    await adoptAll(
      archives.map((file) => ({ name: file.name, files: [{ path: file.name, blob: file }] })),
    );
}

const isHidden = (path: string): boolean => path.split('/').some((part) => part.startsWith('.'));

/** Files of a folder that was picked. */
export const adoptPicked = (files: readonly File[]): Promise<void> => {
  const name = files[0]?.webkitRelativePath.split('/')[0] ?? 'The folder';
  const found = files
    .map((file): AdoptFile => ({ path: file.webkitRelativePath || file.name, blob: file }))
    .filter(({ path }) => !isHidden(path));
  return adoptAll([{ name, files: found.slice(0, MOST_FILES) }]);
};

async function folderOf(entry: FileSystemEntry): Promise<Offered> {
  const files: AdoptFile[] = [];
  const wanted = ({ name }: FileSystemEntry): boolean =>
    files.length < MOST_FILES && !name.startsWith('.');
  for await (const { path, file } of filesBelow(entry, wanted)) files.push({ path, blob: file });
  return { name: entry.name, files };
}

/** Folders, archives and exported runs of a drop. Has to be called while the event is handled. */
export const takeDrop = async (transfer: DataTransfer): Promise<void> => {
  const folders = droppedEntries(transfer).filter(({ isDirectory }) => isDirectory);
  // A folder stands among the files too, by its name.
  const names = new Set(folders.map(({ name }) => name));
  const loose = [...transfer.files].filter(({ name }) => !names.has(name));
  const offered: Offered[] = [];
  for (const folder of folders) offered.push(await folderOf(folder));
  if (offered.length > 0) void adoptAll(offered);
  if (loose.length > 0) await takeFiles(loose);
};

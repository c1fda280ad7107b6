import { messageOf } from '../../data/message-of.ts';
import type { ImportOutcome, ImportProgress, SavedView } from '../../runs/inspection/index.ts';
import { pagePath } from '../lib/page-root.ts';
import { filePath, isRollouts } from './browse-address.ts';
import { secondsLeft, useBrowse, type ImportJob } from './browse-store.ts';
import { lab } from './connection.ts';

/** What the pages of imported rollouts do. Nothing here rejects: see `problem`. */

export const tellProblem = (what: string, error: unknown): void =>
  useBrowse.setState({ problem: `${what}: ${messageOf(error)}` });

/** Does `act`; where it fails, the page says what did. @returns its value, or null */
export const attempt = async <T>(what: string, act: () => Promise<T>): Promise<T | null> => {
  try {
    return await act();
  } catch (error) {
    tellProblem(what, error);
    return null;
  }
};

export const reloadFiles = async (): Promise<void> => {
  try {
    useBrowse.setState({ files: await lab().inspection.files(), status: 'ready' });
  } catch (error) {
    useBrowse.setState({ status: 'failed' });
    tellProblem('The list of files could not be read', error);
  }
};

export const reloadRuns = async (): Promise<void> => {
  const ownRuns = await attempt('The list of training runs could not be read', () =>
    lab().inspection.ownRuns(),
  );
  if (ownRuns) useBrowse.setState({ ownRuns });
};

export const reloadViews = async (): Promise<void> => {
  const views = await attempt('The saved views could not be read', () => lab().inspection.views());
  if (views) useBrowse.setState({ views });
};

const changeJob = (job: string, change: Partial<ImportJob>): void =>
  useBrowse.setState(({ jobs }) => ({
    jobs: jobs.map((one) => (one.job === job ? { ...one, ...change } : one)),
  }));

const dropJob = (job: string): void =>
  useBrowse.setState(({ jobs }) => ({ jobs: jobs.filter((one) => one.job !== job) }));

let jobs = 0;

const newJob = (name: string, bytes: number): ImportJob => ({
  job: `import-${++jobs}`,
  name,
  bytes,
  status: 'waiting',
  progress: null,
  startedAt: null,
  left: null,
  message: '',
});

const EXPECTED =
  'Expected are JSON lines of R1-Searcher, verl, RLLoggingBoard, verifiers, OpenRLHF, SkyRL, FlashRAG or Forage rollouts, or of chats as messages; TRL’s parquet; or Inspect AI’s .eval logs.';

/** Runs one import with its line on the page. `first` is told as soon as something can be read. */
const runJob = async (
  { job, name }: ImportJob,
  start: (onProgress: (progress: ImportProgress) => void) => Promise<ImportOutcome>,
  first: (fileId: string) => void,
): Promise<void> => {
  // It was taken away while it waited.
  if (!useBrowse.getState().jobs.some((one) => one.job === job)) return;
  const startedAt = performance.now();
  changeJob(job, { status: 'reading', startedAt });
  let told = false;
  const onProgress = (progress: ImportProgress): void => {
    const left = secondsLeft(progress, startedAt, performance.now());
    changeJob(job, { progress, bytes: progress.bytes, left });
    if (told || progress.chunks === 0) return;
    told = true;
    void reloadFiles();
    first(progress.fileId);
  };
  try {
    const outcome = await start(onProgress);
    if (outcome.status === 'failed')
      return changeJob(job, { status: 'failed', message: outcome.message });
    if (outcome.status === 'ready' && outcome.file.rollouts === 0) {
      const [fault] = outcome.file.faults;
      await lab().inspection.remove(outcome.file.id);
      const why = fault ? ` Line ${fault.line} ${fault.reason}.` : ' It is empty.';
      changeJob(job, {
        status: 'failed',
        message: `${name} holds no rollouts.${why} ${EXPECTED} Nothing of it was kept.`,
      });
      return;
    }
    dropJob(job);
    if (outcome.status === 'ready' && !told) first(outcome.file.id);
  } catch (error) {
    const message = `${name} could not be read: ${messageOf(error)}. Nothing of it was kept.`;
    changeJob(job, { status: 'failed', message });
  } finally {
    await reloadFiles();
  }
};

let queue: Promise<void> = Promise.resolve();

/** One file after the other: two at once would share the worker's processor and both be late. */
const enqueue = (
  job: ImportJob,
  start: Parameters<typeof runJob>[1],
  first: (fileId: string) => void,
): void => {
  useBrowse.setState(({ jobs }) => ({ jobs: [...jobs, job] }));
  queue = queue.then(() => runJob(job, start, first));
};

/** Reads files into storage; a single one is shown as soon as there is something to show. */
export const importRolloutFiles = (files: readonly File[], go: (path: string) => void): void => {
  if (files.length !== 1 || !isRollouts(pagePath())) go('/rollouts');
  for (const file of files) {
    const job = newJob(file.name, file.size);
    enqueue(
      job,
      (onProgress) => lab().inspection.importFile(job.job, file, file.name, onProgress),
      (fileId) => files.length === 1 && go(filePath(fileId)),
    );
  }
};

/** Opens the rollouts of a training run; read again where the run has gone on. */
export const openOwnRun = (id: string, name: string, go: (path: string) => void): void => {
  if (!isRollouts(pagePath())) go('/rollouts');
  const job = newJob(`run ${name}`, 0);
  enqueue(
    job,
    (onProgress) => lab().inspection.importRun(job.job, id, onProgress),
    (fileId) => go(filePath(fileId)),
  );
};

/** Stops an import, or puts a failed one away. */
export const cancelImport = (job: string): void => {
  const found = useBrowse.getState().jobs.find((one) => one.job === job);
  if (found?.status === 'reading') void lab().inspection.cancel(job);
  else dropJob(job);
};

export const removeFile = async (id: string, name: string): Promise<void> => {
  await attempt('The file could not be deleted', async () => {
    await lab().inspection.remove(id);
    useBrowse.setState(({ removed }) => ({ removed: [...removed, { id, name }] }));
    await reloadFiles();
  });
};

export const restoreFile = async (id: string): Promise<void> => {
  await attempt('The file could not be brought back', async () => {
    await lab().inspection.restore(id);
    useBrowse.setState(({ removed }) => ({ removed: removed.filter((one) => one.id !== id) }));
    await reloadFiles();
  });
};

export const saveView = async (view: SavedView): Promise<void> => {
  await attempt('The view could not be saved', () => lab().inspection.saveView(view));
  await reloadViews();
};

export const removeView = async (name: string): Promise<void> => {
  await attempt('The view could not be removed', () => lab().inspection.removeView(name));
  await reloadViews();
};

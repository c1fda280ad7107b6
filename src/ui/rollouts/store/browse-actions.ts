import { messageOf } from '../../../base/errors.ts';
import type { RunFile } from '../../../formats/rollouts/run.ts';
import type { ImportOutcome, ImportProgress } from '../../../lab/contract/rollouts.ts';
import type { SavedView } from '../../../lab/contract/records/rollout-files.ts';
import { createAttempt, problemOf } from '../../kit/attempt.ts';
import { pagePath } from '../../kit/page/page-root.ts';
import { filePath, isRollouts } from './browse-address.ts';
import { secondsLeft, useBrowse, type ImportJob } from './browse-store.ts';
import { lab } from '../../lab/connection.ts';

/** What the pages of imported rollouts do. Nothing here rejects: see `problem`. */

/**
 * Shows what could not be done.
 * @param what was tried, as the first half of the sentence
 */
export const tellProblem = (what: string, error: unknown): void =>
  useBrowse.setState({ problem: problemOf(what, error).text });

/** As everywhere, but this page shows one sentence and no details. */
export const attempt = createAttempt(({ text }) => useBrowse.setState({ problem: text }));

/** Reads the list of files again; `failed` with a `problem` where that cannot be done. */
export const reloadFiles = async (): Promise<void> => {
  try {
    useBrowse.setState({ files: await lab().rollouts.files(), status: 'ready' });
  } catch (error) {
    useBrowse.setState({ status: 'failed' });
    tellProblem('The list of files could not be read', error);
  }
};

/** Reads which training runs have rollouts to read. */
export const reloadRuns = async (): Promise<void> => {
  const ownRuns = await attempt('The list of training runs could not be read', () =>
    lab().rollouts.ownRuns(),
  );
  if (ownRuns) useBrowse.setState({ ownRuns });
};

/** Reads which evaluations have rollouts to read. */
export const reloadEvaluations = async (): Promise<void> => {
  const ownEvaluations = await attempt('The list of evaluations could not be read', () =>
    lab().rollouts.ownEvaluations(),
  );
  if (ownEvaluations) useBrowse.setState({ ownEvaluations });
};

/** Reads the saved views: filters, orders and columns under a name. */
export const reloadViews = async (): Promise<void> => {
  const views = await attempt('The saved views could not be read', () => lab().rollouts.views());
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

/** Runs one import with its line on the page. `first` is reported as soon as something can be read. */
const runJob = async (
  { job, name }: ImportJob,
  start: (onProgress: (progress: ImportProgress) => void) => Promise<ImportOutcome>,
  first: (fileId: string) => void,
): Promise<void> => {
  // It was taken away while it waited.
  if (!useBrowse.getState().jobs.some((one) => one.job === job)) return;
  const startedAt = performance.now();
  changeJob(job, { status: 'reading', startedAt });
  let reported = false;
  const onProgress = (progress: ImportProgress): void => {
    const left = secondsLeft(progress, startedAt, performance.now());
    changeJob(job, { progress, bytes: progress.bytes, left });
    // Told with the first chunk that is stored: from then on there is something to show.
    if (reported || progress.chunks === 0) return;
    reported = true;
    void reloadFiles();
    first(progress.fileId);
  };
  try {
    const outcome = await start(onProgress);
    if (outcome.status === 'failed')
      return changeJob(job, { status: 'failed', message: outcome.message });
    dropJob(job);
    if (outcome.status === 'ready' && !reported) first(outcome.file.id);
  } catch (error) {
    const message = `${name} could not be read: ${messageOf(error)}. Nothing from it was stored.`;
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

/** Reads runs into storage; a single one is shown as soon as there is something to show. */
export const importRolloutRuns = (
  runs: readonly { name: string; files: readonly RunFile[] }[],
  go: (path: string) => void,
): void => {
  if (runs.length !== 1 || !isRollouts(pagePath())) go('/rollouts');
  for (const { name, files } of runs) {
    if (files.length === 0) {
      const problem = `The folder ${name} has no rollout files (.jsonl, .ndjson, .json, .parquet or .eval, also gzipped).`;
      useBrowse.setState({ problem });
      continue;
    }
    const job = newJob(
      name,
      files.reduce((sum, { blob }) => sum + blob.size, 0),
    );
    enqueue(
      job,
      (onProgress) => lab().rollouts.importFile(job.job, files, name, onProgress),
      (fileId) => runs.length === 1 && go(filePath(fileId)),
    );
  }
};

/** Reads what was dropped, once its folders were looked through. */
export const importDrop = (
  runs: Promise<Parameters<typeof importRolloutRuns>[0]>,
  go: (path: string) => void,
): void =>
  void attempt('The dropped files could not be read', async () =>
    importRolloutRuns(await runs, go),
  );

/** A training run or an evaluation, whose rollouts are read as a file. */
export interface Own {
  kind: 'run' | 'evaluation';
  id: string;
  name: string;
}

/** Reads what this browser made as a file of rollouts. */
const readOwn = (job: string, own: Own, onProgress: (progress: ImportProgress) => void) =>
  own.kind === 'run'
    ? lab().rollouts.importRun(job, own.id, onProgress)
    : lab().rollouts.importEvaluation(job, own.id, onProgress);

/** Opens the rollouts of a training run or an evaluation; read again where it has gone on. */
export const openOwn = (own: Own, go: (path: string) => void): void => {
  if (!isRollouts(pagePath())) go('/rollouts');
  const job = newJob(`${own.kind} ${own.name}`, 0);
  enqueue(
    job,
    (onProgress) => readOwn(job.job, own, onProgress),
    (fileId) => go(filePath(fileId)),
  );
};

/** Opens the rollouts of a training run as a file. */
export const openOwnRun = (id: string, name: string, go: (path: string) => void): void =>
  openOwn({ kind: 'run', id, name }, go);

/** Opens one rollout of a training run or an evaluation that no file was made of: once all of it is read. */
export const openOwnRollout = (own: Own, path: string, go: (path: string) => void): void => {
  const job = newJob(`${own.kind} ${own.name}`, 0);
  enqueue(
    job,
    async (onProgress) => {
      const outcome = await readOwn(job.job, own, onProgress);
      if (outcome.status === 'ready') go(path);
      return outcome;
    },
    () => undefined,
  );
};

/** Stops an import, or puts a failed one away. */
export const cancelImport = (job: string): void => {
  const found = useBrowse.getState().jobs.find((one) => one.job === job);
  if (found?.status === 'reading') void lab().rollouts.cancel(job);
  else dropJob(job);
};

/** Deletes without asking; `restoreFile` undoes it. */
export const removeFile = async (id: string, name: string): Promise<void> => {
  await attempt('The file could not be deleted', async () => {
    await lab().rollouts.remove(id);
    useBrowse.setState(({ removed }) => ({ removed: [...removed, { id, name, at: Date.now() }] }));
    await reloadFiles();
  });
};

/** Brings a deleted file back. */
export const restoreFile = async (id: string): Promise<void> => {
  await attempt('The file could not be restored', async () => {
    await lab().rollouts.restore(id);
    useBrowse.setState(({ removed }) => ({ removed: removed.filter((one) => one.id !== id) }));
    await reloadFiles();
  });
};

/** Saves a view under its name. */
export const saveView = async (view: SavedView): Promise<void> => {
  await attempt('The view could not be saved', () => lab().rollouts.saveView(view));
  await reloadViews();
};

/** Deletes a saved view; it cannot be brought back. */
export const removeView = async (name: string): Promise<void> => {
  await attempt('The view could not be removed', () => lab().rollouts.removeView(name));
  await reloadViews();
};

import { messageOf } from '../../../base/errors.ts';
import type { RunFile } from '../../../formats/rollouts/run.ts';
import type { ImportOutcome, ImportProgress } from '../../../lab/contract/rollouts.ts';
import type { FileRecord, SavedView } from '../../../lab/contract/records/rollout-files.ts';
import { createAttempt, problemOf } from '../../kit/attempt.ts';
import { pagePath } from '../../kit/page/page-root.ts';
import { filePath, isRollouts } from './browse-address.ts';
import { secondsLeft, useRollouts, type ImportJob } from './rollouts-store.ts';
import { lab } from '../../lab/connection.ts';

/** Actions of the rollout pages. Nothing rejects: see `problem`. */

/**
 * Shows a failure.
 * @param what the action, as the first half of the sentence
 */
export const tellProblem = (what: string, error: unknown): void =>
  useRollouts.setState({ problem: problemOf(what, error).text });

/** Without details, because this page shows one sentence. */
export const attempt = createAttempt(({ text }) => useRollouts.setState({ problem: text }));

/** Reloads the list of files; `failed` with a `problem` on errors. */
export const reloadFiles = async (): Promise<void> => {
  try {
    useRollouts.setState({ files: await lab().rollouts.files(), status: 'ready' });
  } catch (error) {
    useRollouts.setState({ status: 'failed' });
    tellProblem('The list of files could not be read', error);
  }
};

/** Loads which training runs have rollouts. */
export const reloadRuns = async (): Promise<void> => {
  const ownRuns = await attempt('The list of training runs could not be read', () =>
    lab().rollouts.ownRuns(),
  );
  if (ownRuns) useRollouts.setState({ ownRuns });
};

/** Loads which evaluations have rollouts. */
export const reloadEvaluations = async (): Promise<void> => {
  const ownEvaluations = await attempt('The list of evaluations could not be read', () =>
    lab().rollouts.ownEvaluations(),
  );
  if (ownEvaluations) useRollouts.setState({ ownEvaluations });
};

/** Loads the saved views. */
export const reloadViews = async (): Promise<void> => {
  const views = await attempt('The saved views could not be read', () => lab().rollouts.views());
  if (views) useRollouts.setState({ views });
};

const changeJob = (job: string, change: Partial<ImportJob>): void =>
  useRollouts.setState(({ jobs }) => ({
    jobs: jobs.map((one) => (one.job === job ? { ...one, ...change } : one)),
  }));

const dropJob = (job: string): void =>
  useRollouts.setState(({ jobs }) => ({ jobs: jobs.filter((one) => one.job !== job) }));

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

/** Runs one import with its progress line. `first` is called once something can be read. */
const runJob = async (
  { job, name }: ImportJob,
  start: (onProgress: (progress: ImportProgress) => void) => Promise<ImportOutcome>,
  first: (fileId: string) => void,
): Promise<void> => {
  // Cancelled while waiting.
  if (!useRollouts.getState().jobs.some((one) => one.job === job)) return;
  const startedAt = performance.now();
  changeJob(job, { status: 'reading', startedAt });
  let reported = false;
  const onProgress = (progress: ImportProgress): void => {
    const left = secondsLeft(progress, startedAt, performance.now());
    changeJob(job, { progress, bytes: progress.bytes, left });
    // Called with the first stored chunk: from then on there are rows to show.
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

/** One file after another, because two would compete for the worker. */
const enqueue = (
  job: ImportJob,
  start: Parameters<typeof runJob>[1],
  first: (fileId: string) => void,
): void => {
  useRollouts.setState(({ jobs }) => ({ jobs: [...jobs, job] }));
  queue = queue.then(() => runJob(job, start, first));
};

/** Imports runs; a single one is opened as soon as it has rows. */
export const importRolloutRuns = (
  runs: readonly { name: string; files: readonly RunFile[] }[],
  go: (path: string) => void,
): void => {
  if (runs.length !== 1 || !isRollouts(pagePath())) go('/rollouts');
  for (const { name, files } of runs) {
    if (files.length === 0) {
      const problem = `The folder ${name} has no rollout files (.jsonl, .ndjson, .json, .parquet or .eval, also gzipped).`;
      useRollouts.setState({ problem });
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

/** Stores a file of rollouts without opening it. @param stored receives its id once all of it is stored */
export const storeRollouts = (name: string, blob: Blob, stored: (fileId: string) => void): void => {
  const job = newJob(name, blob.size);
  enqueue(
    job,
    async (onProgress) => {
      const files = [{ name, blob }];
      const outcome = await lab().rollouts.importFile(job.job, files, name, onProgress);
      if (outcome.status === 'ready') stored(outcome.file.id);
      return outcome;
    },
    () => undefined,
  );
};

/** All rollouts of stored files as one file, which is opened; its column `run` names where each comes from. */
export const joinFiles = (files: readonly FileRecord[], go: (path: string) => void): void => {
  const name = joinedName(files.map((file) => file.name));
  const job = newJob(
    name,
    files.reduce((sum, { bytes }) => sum + bytes, 0),
  );
  enqueue(
    job,
    async (onProgress) => {
      const parts: Blob[] = [];
      for (const { id, rollouts } of files) {
        const all = Uint32Array.from({ length: rollouts }, (_, at) => at);
        const part = await lab().rollouts.exportRows(job.job, id, all, 'forage', []);
        if (!part) return { status: 'cancelled' };
        parts.push(part, new Blob(['\n']));
      }
      return lab().rollouts.importFile(job.job, new Blob(parts), name, onProgress);
    },
    (fileId) => go(filePath(fileId)),
  );
};

/** "a.jsonl + b.jsonl", "a.jsonl + 3 more". */
const joinedName = (names: readonly string[]): string =>
  names.length > 3 ? `${names[0]} + ${names.length - 1} more` : names.join(' + ');

/** Imports dropped files, after listing folders. */
export const importDrop = (
  runs: Promise<Parameters<typeof importRolloutRuns>[0]>,
  go: (path: string) => void,
): void =>
  void attempt('The dropped files could not be read', async () =>
    importRolloutRuns(await runs, go),
  );

/** Data of this browser whose rollouts are imported as a file. */
export interface Own {
  kind: 'run' | 'evaluation';
  id: string;
  name: string;
}

/** Imports data of this browser as a file. */
const readOwn = (job: string, own: Own, onProgress: (progress: ImportProgress) => void) =>
  own.kind === 'run'
    ? lab().rollouts.importRun(job, own.id, onProgress)
    : lab().rollouts.importEvaluation(job, own.id, onProgress);

/** Opens the rollouts of a training run or an evaluation; imported again if it has continued. */
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

/** Opens one rollout of a run or an evaluation that is not imported yet, after importing it. */
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

/** Stops an import, or dismisses a failed one. */
export const cancelImport = (job: string): void => {
  const found = useRollouts.getState().jobs.find((one) => one.job === job);
  if (found?.status === 'reading') void lab().rollouts.cancel(job);
  else dropJob(job);
};

/** Deletes without confirmation; `restoreFile` undoes it. */
export const removeFile = async (id: string, name: string): Promise<void> => {
  await attempt('The file could not be deleted', async () => {
    await lab().rollouts.remove(id);
    useRollouts.setState(({ removed }) => ({
      removed: [...removed, { id, name, at: Date.now() }],
    }));
    await reloadFiles();
  });
};

/** Restores a deleted file. */
export const restoreFile = async (id: string): Promise<void> => {
  await attempt('The file could not be restored', async () => {
    await lab().rollouts.restore(id);
    useRollouts.setState(({ removed }) => ({ removed: removed.filter((one) => one.id !== id) }));
    await reloadFiles();
  });
};

/** Saves a named view. */
export const saveView = async (view: SavedView): Promise<void> => {
  await attempt('The view could not be saved', () => lab().rollouts.saveView(view));
  await reloadViews();
};

/** Deletes a saved view; this cannot be undone. */
export const removeView = async (name: string): Promise<void> => {
  await attempt('The view could not be removed', () => lab().rollouts.removeView(name));
  await reloadViews();
};

import type {
  CollectionsApi,
  ImportOutcome,
  ImportProgress,
} from '../../../lab/contract/collections.ts';
import type {
  ImportChoice,
  ImportRecord,
  ItemKind,
} from '../../../lab/contract/records/collections.ts';
import { countWords } from './count-words.ts';
import { plural } from '../../kit/words/format.ts';
import { fileStem, saveFile } from '../../kit/page/save-file.ts';
import { fetchFile } from './fetch-file.ts';
import { lab } from '../../lab/connection.ts';
import {
  useCollections,
  type CollectionsJob,
  type NewFile,
  type PendingImport,
} from './collections-store.ts';
import { forgetCollection, takeUp } from '../../setup/search-with.ts';
import { createAttempt, problemOf } from '../../kit/attempt.ts';
import { keepStorage, storageChanged } from '../../lab/storage.ts';

/** Actions of the Corpus page. Nothing here rejects: see `problem`. */

const api = (): CollectionsApi => lab().collections;
const set = useCollections.setState;
/** Job names for cancelling: one import or merge at a time, and separately one preview. */
const JOB = 'collections';
const PREVIEW = 'collections-preview';

/** Files of this visit, so that a stopped import resumes without asking for them. */
const files = new Map<string, Blob>();
const keyOf = ({ name, bytes }: Pick<ImportRecord, 'name' | 'bytes'>): string => `${name}/${bytes}`;
/** The file of an import by name and size, if this visit has it; the lab verifies it. */
export const fileOf = (record: ImportRecord): Blob | undefined => files.get(keyOf(record));

const tell = (what: string, error: unknown): void => set({ problem: problemOf(what, error) });
const attempt = createAttempt((problem) => set({ problem }));

/** Dismisses the last failure. */
export const dismissProblem = (): void => set({ problem: null });
/** Dismisses the last notice and its offer. */
export const dismissNotice = (): void => set({ notice: null, added: null });

/** Reloads the list; `failed` with a `problem` on errors. Also measures storage again. */
export const readCollections = async (): Promise<void> => {
  storageChanged();
  try {
    set({ collections: await api().list(), status: 'ready' });
  } catch (error) {
    set({ status: 'failed' });
    tell('The collections could not be read', error);
  }
};

/* Files to import. */

/** Previews the current file with the current options. */
const showPreview = async (): Promise<void> => {
  const { pending } = useCollections.getState();
  const shown = pending?.files[pending.shown];
  if (!pending || !shown) return;
  set({ pending: { ...pending, preview: null } });
  const preview = await attempt('The file could not be previewed', () =>
    api().preview(PREVIEW, shown.file, shown.name, pending.choice),
  );
  const now = useCollections.getState().pending;
  // A newer selection has its own preview running.
  if (!now || !preview || preview.status === 'cancelled') return;
  if (now.files[now.shown] === shown && now.choice === pending.choice)
    set({ pending: { ...now, preview } });
};

/** The file’s name without path and extension, as the collection's name. */
const stem = (name: string): string =>
  name
    .replace(/^.*[/\\]/u, '')
    .replace(/\.[a-z]{2,8}$/iu, '')
    .slice(0, 100) || 'Collection';

/** Offers files for import. */
export const offerFiles = (newFiles: readonly NewFile[], leftOut = 0, folder?: string): void => {
  const [first] = newFiles;
  if (!first) {
    const what = leftOut > 0 ? `Nothing in the ${plural(leftOut, 'file')} there` : 'Nothing there';
    return set({
      problem: {
        text: `${what} can be read. Expected .json, .jsonl, .csv, .tsv, .parquet, .txt or .md files, packed by gzip or not.`,
        detail: '',
      },
    });
  }
  set({
    problem: null,
    notice: null,
    added: null,
    pending: {
      files: newFiles,
      leftOut,
      shown: 0,
      into: null,
      name: folder ?? stem(first.name),
      choice: {},
      preview: null,
    },
  });
  void showPreview();
};

/** Changes the import options; previews again if the result changes. */
export const changePending = (change: Partial<PendingImport>): void => {
  const { pending } = useCollections.getState();
  if (!pending) return;
  set({ pending: { ...pending, ...change } });
  if ('choice' in change || 'shown' in change) void showPreview();
};

/** Changes the format options, keeping the others. */
export const changeChoice = (change: Partial<ImportChoice>): void => {
  const { pending } = useCollections.getState();
  if (pending) changePending({ choice: { ...pending.choice, ...change } });
};

/** Drops the waiting files; nothing of them was stored. */
export const dropPending = (): void => {
  set({ pending: null });
  void api()
    .cancel(PREVIEW)
    .catch(() => undefined);
};

/* Jobs. */

/** @param startedDone bytes read in an earlier visit; they do not count for the rate */
const startJob = (job: Pick<CollectionsJob, 'kind' | 'name' | 'total'>, startedDone = 0): void =>
  set({
    problem: null,
    notice: null,
    added: null,
    job: {
      ...job,
      startedAt: performance.now(),
      startedDone,
      done: startedDone,
      progress: null,
      cancelling: false,
    },
  });

/** Updates the current job; ignored after its end, because late progress may arrive. */
const step = (change: Partial<CollectionsJob>): void =>
  set(({ job }) => (job ? { job: { ...job, ...change } } : {}));

const onProgress = (progress: ImportProgress): void => {
  const { readBytes: done, totalBytes: total } = progress;
  step({ progress, done, total });
};

/** @returns whether no other job runs; otherwise the page reports it */
const free = (): boolean => {
  const { job } = useCollections.getState();
  if (job) tell(`“${job.name}” is still being imported`, 'wait until it is done, or cancel it.');
  return !job;
};

/** Reports the result of an import: the new size of the collection, or why it stopped. */
const reportImport = (outcome: ImportOutcome): void => {
  if (outcome.status === 'failed')
    return set({ problem: { text: outcome.message, detail: outcome.reason } });
  if (outcome.status === 'cancelled')
    return set({ notice: 'Stopped. What was imported so far is kept; you can resume it.' });
  const { collection, failed } = outcome;
  const { name, passages, questions, duplicates, rejected } = collection;
  const more = [
    duplicates > 0 && `${plural(duplicates, 'duplicate')} left out`,
    rejected > 0 && `${plural(rejected, 'item')} rejected`,
  ].filter(Boolean);
  set({
    added: passages + questions > 0 ? collection.id : null,
    notice: `“${name}” holds ${[countWords(passages, questions), ...more].join(', ')}.`,
    problem:
      failed.length === 0
        ? null
        : {
            text: `${plural(failed.length, 'file')} could not be read: ${failed[0]?.name ?? ''}: ${failed[0]?.reason ?? ''}`,
            detail: failed.map(({ name, reason }) => `${name}: ${reason}`).join('\n'),
          },
  });
};

/** @returns the id of the collection on success */
const runImport = async (act: () => Promise<ImportOutcome>): Promise<string | null> => {
  try {
    const outcome = await act();
    reportImport(outcome);
    return outcome.status === 'ready' ? outcome.collection.id : null;
  } catch (error) {
    tell('The import stopped; what was imported so far is kept', error);
    return null;
  } finally {
    set({ job: null });
    await readCollections();
  }
};

/**
 * Imports the waiting files.
 * @returns the id of the collection; null on failure, which the page reports
 */
export const startImport = async (): Promise<string | null> => {
  const { pending } = useCollections.getState();
  if (!pending || !free()) return null;
  const { into, name, choice } = pending;
  for (const { file, name } of pending.files) files.set(keyOf({ name, bytes: file.size }), file);
  // The chosen format belongs to the previewed file.
  const one = pending.files.length === 1;
  const { format: _, ...common } = choice;
  const list = pending.files.map((entry) => ({ ...entry, choice: one ? choice : common }));
  startJob({
    kind: 'import',
    name: name.trim() || 'Collection',
    total: list.reduce((sum, { file }) => sum + file.size, 0),
  });
  set({ pending: null });
  // Requested at the first import; if the browser refuses, data is stored on a best-effort basis.
  void keepStorage();
  const target = into === null ? { name: name.trim() || 'Collection' } : { id: into };
  return runImport(() => api().importFiles(JOB, target, list, onProgress));
};

/**
 * Resumes an interrupted import.
 * @param file the same file; the lab refuses any other
 */
export const resumeImport = async (record: ImportRecord, file: Blob): Promise<void> => {
  if (!free()) return;
  startJob({ kind: 'import', name: record.name, total: record.bytes }, record.readBytes);
  await runImport(() => api().resumeImport(JOB, record.id, file, onProgress));
};

/** Discards the rest of an import; imported items stay. */
export const dismissImport = async (record: ImportRecord): Promise<void> => {
  await attempt('The change was not saved', () => api().dismissImport(record.id));
  await readCollections();
};

let fetching: AbortController | null = null;

/** Fetches a file; null on failure or stop. */
const fetched = async (url: string): Promise<File | null> => {
  if (!free()) return null;
  fetching = new AbortController();
  startJob({ kind: 'fetch', name: url, total: 0 });
  try {
    return await fetchFile(url, fetching.signal, (done, total) => step({ done, total }));
  } catch (error) {
    if (!fetching.signal.aborted) tell('The file was not fetched', error);
    return null;
  } finally {
    set({ job: null });
  }
};

/**
 * Fetches a file and previews it.
 * @returns whether it was fetched
 */
export const offerUrl = async (url: string): Promise<boolean> => {
  const file = await fetched(url);
  if (file) offerFiles([{ file, name: file.name, origin: { kind: 'url', url } }]);
  return file !== null;
};

/** Fetches the file again to resume its import. */
export const resumeFromUrl = async (record: ImportRecord, url: string): Promise<void> => {
  const file = await fetched(url);
  if (file) await resumeImport(record, file);
};

/** Stops the current job; items imported so far are kept. */
export const cancelJob = (): void => {
  step({ cancelling: true });
  fetching?.abort();
  void attempt('The import could not be stopped', () => api().cancel(JOB));
};

/* Collections. */

/** Renames and reloads the list, because another tab may have changed it. */
export const renameCollection = async (id: string, name: string): Promise<void> => {
  await attempt('The collection could not be renamed', () => api().rename(id, name));
  await readCollections();
};

/** Deletes without confirmation; `restoreCollection` undoes it. Runs stop using the collection. */
export const removeCollections = async (ids: readonly string[]): Promise<void> => {
  for (const id of ids) {
    const found = useCollections.getState().collections.find((one) => one.id === id);
    if (!found) continue;
    const done = await attempt(`“${found.name}” could not be deleted`, async () => {
      await api().remove(id);
      return true;
    });
    if (!done) continue;
    const uses = forgetCollection(id);
    set(({ removed }) => ({
      removed: [...removed, { id, name: found.name, uses, at: Date.now() }],
    }));
  }
  await readCollections();
};

/** Restores a deleted collection, and its use by runs. */
export const restoreCollection = async (id: string): Promise<void> => {
  const entry = useCollections.getState().removed.find((one) => one.id === id);
  const back = await attempt('The collection could not be restored', async () => {
    await api().restore(id);
    return true;
  });
  // If restoring failed, it stays restorable for another try.
  if (back) {
    if (entry) takeUp(id, entry.uses);
    set(({ removed }) => ({ removed: removed.filter((one) => one.id !== id) }));
  }
  await readCollections();
};

/** Frees the space of deleted collections. */
export const purgeRemoved = async (): Promise<void> => {
  await attempt('The collection could not be removed', () => api().purge());
  set({ removed: [] });
};

/** @returns the id of the merged collection */
export const mergeCollections = async (ids: readonly string[]): Promise<string | null> => {
  if (!free()) return null;
  const sources = useCollections.getState().collections.filter(({ id }) => ids.includes(id));
  const name = sources
    .map((one) => one.name)
    .join(' + ')
    .slice(0, 100);
  startJob({
    kind: 'merge',
    name,
    total: sources.reduce((sum, { passages, questions }) => sum + passages + questions, 0),
  });
  try {
    const outcome = await api().merge(JOB, [...ids], name, (done, total) => step({ done, total }));
    if (outcome.status === 'failed')
      set({ problem: { text: `Nothing was merged: ${outcome.message}`, detail: outcome.reason } });
    if (outcome.status !== 'ready') return null;
    // The merged collection replaces its parts, which can be restored.
    const removed = sources.map(({ id, name }) => ({
      id,
      name,
      uses: forgetCollection(id),
      at: Date.now(),
    }));
    for (const { uses } of removed) takeUp(outcome.collection.id, uses);
    set((state) => ({ removed: [...state.removed, ...removed] }));
    return outcome.collection.id;
  } catch (error) {
    tell('Nothing was merged', error);
    return null;
  } finally {
    set({ job: null });
    await readCollections();
  }
};

const save = async (name: string, blob: () => Promise<Blob>): Promise<void> => {
  const made = await attempt('The collection could not be exported', blob);
  if (made) saveFile(name, made);
};

/** Exports passages or questions as JSON lines for Forage and FlashRAG. */
export const exportCollection = (id: string, name: string, kind: ItemKind): Promise<void> =>
  save(`${fileStem(name)}-${kind}.jsonl`, () => api().exportJsonl(id, kind));

/** Exports rejected items: one line each with file, line, key and reason. */
export const saveRejected = (id: string, name: string): Promise<void> =>
  save(`${fileStem(name)}-rejected.jsonl`, async () => {
    const lines = (await api().rejected(id)).flatMap(({ name: file, items }) =>
      items.map((item) => `${JSON.stringify({ file, ...item })}\n`),
    );
    return new Blob(lines, { type: 'application/jsonl' });
  });

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
  type Offered,
  type PendingImport,
} from './collections-store.ts';
import { forgetCollection, takeUp } from '../../setup/search-with.ts';
import { createAttempt, problemOf } from '../../kit/attempt.ts';
import { keepStorage, storageChanged } from '../../lab/storage.ts';

/** What the corpus page does; one function each. Nothing here rejects: see `problem`. */

const api = (): CollectionsApi => lab().collections;
const set = useCollections.setState;
const JOB = 'collections';
const PREVIEW = 'collections-preview';

/** Files of this visit, so that an import that was stopped goes on without asking for them again. */
const files = new Map<string, Blob>();
const keyOf = ({ name, bytes }: Pick<ImportRecord, 'name' | 'bytes'>): string => `${name}/${bytes}`;
export const fileOf = (record: ImportRecord): Blob | undefined => files.get(keyOf(record));

const tell = (what: string, error: unknown): void => set({ problem: problemOf(what, error) });
const attempt = createAttempt((problem) => set({ problem }));

export const dismissProblem = (): void => set({ problem: null });
export const dismissNotice = (): void => set({ notice: null, added: null });

export const readCollections = async (): Promise<void> => {
  storageChanged();
  try {
    set({ collections: await api().list(), status: 'ready' });
  } catch (error) {
    set({ status: 'failed' });
    tell('The collections could not be read', error);
  }
};

/* Files on their way in. */

const showPreview = async (): Promise<void> => {
  const { pending } = useCollections.getState();
  const shown = pending?.files[pending.shown];
  if (!pending || !shown) return;
  set({ pending: { ...pending, preview: null } });
  const preview = await attempt('The file could not be looked at', () =>
    api().preview(PREVIEW, shown.file, shown.name, pending.choice),
  );
  const now = useCollections.getState().pending;
  // A later choice has its own preview on the way.
  if (!now || !preview || preview.status === 'cancelled') return;
  if (now.files[now.shown] === shown && now.choice === pending.choice)
    set({ pending: { ...now, preview } });
};

const stem = (name: string): string =>
  name
    .replace(/^.*[/\\]/u, '')
    .replace(/\.[a-z]{2,8}$/iu, '')
    .slice(0, 100) || 'Collection';

/** Shows what files would give. */
export const offerFiles = (offered: readonly Offered[], leftOut = 0, folder?: string): void => {
  const [first] = offered;
  if (!first) {
    const what = leftOut > 0 ? `Nothing in the ${plural(leftOut, 'file')} there` : 'Nothing there';
    return set({
      problem: {
        text: `${what} can be read. Expected .json, .jsonl, .csv, .tsv, .parquet, .txt or .md files.`,
        detail: '',
      },
    });
  }
  set({
    problem: null,
    notice: null,
    added: null,
    pending: {
      files: offered,
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

export const changePending = (change: Partial<PendingImport>): void => {
  const { pending } = useCollections.getState();
  if (!pending) return;
  set({ pending: { ...pending, ...change } });
  if ('choice' in change || 'shown' in change) void showPreview();
};

export const changeChoice = (change: Partial<ImportChoice>): void => {
  const { pending } = useCollections.getState();
  if (pending) changePending({ choice: { ...pending.choice, ...change } });
};

export const dropPending = (): void => {
  set({ pending: null });
  void api()
    .cancel(PREVIEW)
    .catch(() => undefined);
};

/* Jobs. */

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

const step = (change: Partial<CollectionsJob>): void =>
  set(({ job }) => (job ? { job: { ...job, ...change } } : {}));

const onProgress = (progress: ImportProgress): void => {
  const { readBytes: done, totalBytes: total } = progress;
  step({ progress, done, total });
};

/** @returns whether nothing else is being done; else the page says what is */
const free = (): boolean => {
  const { job } = useCollections.getState();
  if (job) tell(`“${job.name}” is still being worked on`, 'wait for it, or cancel it.');
  return !job;
};

const told = (outcome: ImportOutcome): void => {
  if (outcome.status === 'failed')
    return set({ problem: { text: outcome.message, detail: outcome.reason } });
  if (outcome.status === 'cancelled')
    return set({ notice: 'Stopped. What was imported until then is kept, and it can go on.' });
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

/** @returns the id of the collection, where all went well */
const runImport = async (act: () => Promise<ImportOutcome>): Promise<string | null> => {
  try {
    const outcome = await act();
    told(outcome);
    return outcome.status === 'ready' ? outcome.collection.id : null;
  } catch (error) {
    tell('The import stopped; what was imported until then is kept', error);
    return null;
  } finally {
    set({ job: null });
    await readCollections();
  }
};

export const startImport = async (): Promise<string | null> => {
  const { pending } = useCollections.getState();
  if (!pending || !free()) return null;
  const { into, name, choice } = pending;
  for (const { file, name } of pending.files) files.set(keyOf({ name, bytes: file.size }), file);
  // An override is of the file that was looked at.
  const one = pending.files.length === 1;
  const { format: _, ...common } = choice;
  const list = pending.files.map((entry) => ({ ...entry, choice: one ? choice : common }));
  startJob({
    kind: 'import',
    name: name.trim() || 'Collection',
    total: list.reduce((sum, { file }) => sum + file.size, 0),
  });
  set({ pending: null });
  // Asked for when something is first worth keeping; a browser that refuses keeps it as long as it can.
  void keepStorage();
  const target = into === null ? { name: name.trim() || 'Collection' } : { id: into };
  return runImport(() => api().importFiles(JOB, target, list, onProgress));
};

export const resumeImport = async (record: ImportRecord, file: Blob): Promise<void> => {
  if (!free()) return;
  startJob({ kind: 'import', name: record.name, total: record.bytes }, record.readBytes);
  await runImport(() => api().resumeImport(JOB, record.id, file, onProgress));
};

export const dismissImport = async (record: ImportRecord): Promise<void> => {
  await attempt('It could not be changed', () => api().dismissImport(record.id));
  await readCollections();
};

let fetching: AbortController | null = null;

/** Fetches a file; null where it failed or was stopped. */
const fetched = async (url: string): Promise<File | null> => {
  if (!free()) return null;
  fetching = new AbortController();
  startJob({ kind: 'fetch', name: url, total: 0 });
  try {
    return await fetchFile(url, fetching.signal, (done, total) => step({ done, total }));
  } catch (error) {
    if (!fetching.signal.aborted) tell('The address was not fetched', error);
    return null;
  } finally {
    set({ job: null });
  }
};

export const offerUrl = async (url: string): Promise<boolean> => {
  const file = await fetched(url);
  if (file) offerFiles([{ file, name: file.name, origin: { kind: 'url', url } }]);
  return file !== null;
};

export const resumeFromUrl = async (record: ImportRecord, url: string): Promise<void> => {
  const file = await fetched(url);
  if (file) await resumeImport(record, file);
};

export const cancelJob = (): void => {
  step({ cancelling: true });
  fetching?.abort();
  void attempt('It could not be stopped', () => api().cancel(JOB));
};

/* Collections. */

export const renameCollection = async (id: string, name: string): Promise<void> => {
  await attempt('It could not be renamed', () => api().rename(id, name));
  await readCollections();
};

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
    set(({ removed }) => ({ removed: [...removed, { id, name: found.name, uses }] }));
  }
  await readCollections();
};

export const restoreCollection = async (id: string): Promise<void> => {
  const entry = useCollections.getState().removed.find((one) => one.id === id);
  const back = await attempt('It could not be brought back', async () => {
    await api().restore(id);
    return true;
  });
  // What did not come back stays among what can: it may succeed the next time.
  if (back) {
    if (entry) takeUp(id, entry.uses);
    set(({ removed }) => ({ removed: removed.filter((one) => one.id !== id) }));
  }
  await readCollections();
};

/** Frees the space of what was deleted. */
export const purgeRemoved = async (): Promise<void> => {
  await attempt('It could not be removed', () => api().purge());
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
    const removed = sources.map(({ id, name }) => ({ id, name, uses: forgetCollection(id) }));
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
  const made = await attempt('It could not be exported', blob);
  if (made) saveFile(name, made);
};

export const exportCollection = (id: string, name: string, kind: ItemKind): Promise<void> =>
  save(`${fileStem(name)}-${kind}.jsonl`, () => api().exportJsonl(id, kind));

export const saveRejected = (id: string, name: string): Promise<void> =>
  save(`${fileStem(name)}-rejected.jsonl`, async () => {
    const lines = (await api().rejected(id)).flatMap(({ name: file, items }) =>
      items.map((item) => `${JSON.stringify({ file, ...item })}\n`),
    );
    return new Blob(lines, { type: 'application/jsonl' });
  });

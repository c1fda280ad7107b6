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
/** Names by which jobs are cancelled: one import or merge at a time, and beside it the look at a file. */
const JOB = 'collections';
const PREVIEW = 'collections-preview';

/** Files of this visit, so that an import that was stopped continues without asking for them again. */
const files = new Map<string, Blob>();
const keyOf = ({ name, bytes }: Pick<ImportRecord, 'name' | 'bytes'>): string => `${name}/${bytes}`;
/** The file of an import by its name and size, where this visit had it; the lab checks that it is the same. */
export const fileOf = (record: ImportRecord): Blob | undefined => files.get(keyOf(record));

const tell = (what: string, error: unknown): void => set({ problem: problemOf(what, error) });
const attempt = createAttempt((problem) => set({ problem }));

/** Takes the message of the last failure off the page. */
export const dismissProblem = (): void => set({ problem: null });
/** Takes the sentence about what was done last off the page, and the offer to use that collection. */
export const dismissNotice = (): void => set({ notice: null, added: null });

/** Reads the list again; `failed` with a `problem` where that cannot be done. Storage is measured again too. */
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

/** Looks at the file that is shown, as it is to be read now. */
const showPreview = async (): Promise<void> => {
  const { pending } = useCollections.getState();
  const shown = pending?.files[pending.shown];
  if (!pending || !shown) return;
  set({ pending: { ...pending, preview: null } });
  const preview = await attempt('The file could not be previewed', () =>
    api().preview(PREVIEW, shown.file, shown.name, pending.choice),
  );
  const now = useCollections.getState().pending;
  // A later choice has its own preview on the way.
  if (!now || !preview || preview.status === 'cancelled') return;
  if (now.files[now.shown] === shown && now.choice === pending.choice)
    set({ pending: { ...now, preview } });
};

/** A file’s name without path and ending, as the name of its collection. */
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

/** Changes what is to be done with the waiting files; looks at the shown one again where that changes what it gives. */
export const changePending = (change: Partial<PendingImport>): void => {
  const { pending } = useCollections.getState();
  if (!pending) return;
  set({ pending: { ...pending, ...change } });
  if ('choice' in change || 'shown' in change) void showPreview();
};

/** Changes how the waiting files are read, other choices staying as they are. */
export const changeChoice = (change: Partial<ImportChoice>): void => {
  const { pending } = useCollections.getState();
  if (pending) changePending({ choice: { ...pending.choice, ...change } });
};

/** Leaves the waiting files alone; nothing of them was stored. */
export const dropPending = (): void => {
  set({ pending: null });
  void api()
    .cancel(PREVIEW)
    .catch(() => undefined);
};

/* Jobs. */

/** @param startedDone bytes that an earlier visit had read: they do not count for the rate */
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

/** A change of the job under way; nothing after its end, which late progress may come behind. */
const step = (change: Partial<CollectionsJob>): void =>
  set(({ job }) => (job ? { job: { ...job, ...change } } : {}));

const onProgress = (progress: ImportProgress): void => {
  const { readBytes: done, totalBytes: total } = progress;
  step({ progress, done, total });
};

/** @returns whether nothing else is being done; else the page says what is */
const free = (): boolean => {
  const { job } = useCollections.getState();
  if (job) tell(`“${job.name}” is still being imported`, 'wait until it is done, or cancel it.');
  return !job;
};

/** Says what came of an import: what the collection holds now, or why it stopped. */
const told = (outcome: ImportOutcome): void => {
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

/** @returns the id of the collection, where all went well */
const runImport = async (act: () => Promise<ImportOutcome>): Promise<string | null> => {
  try {
    const outcome = await act();
    told(outcome);
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
 * @returns the id of the collection; null where nothing came of it, which the page then says
 */
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

/**
 * Goes on where an import was broken off.
 * @param file the same file; another one is refused by the lab
 */
export const resumeImport = async (record: ImportRecord, file: Blob): Promise<void> => {
  if (!free()) return;
  startJob({ kind: 'import', name: record.name, total: record.bytes }, record.readBytes);
  await runImport(() => api().resumeImport(JOB, record.id, file, onProgress));
};

/** Forgets the rest of an import; what it imported stays. */
export const dismissImport = async (record: ImportRecord): Promise<void> => {
  await attempt('The change was not saved', () => api().dismissImport(record.id));
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
    if (!fetching.signal.aborted) tell('The file was not fetched', error);
    return null;
  } finally {
    set({ job: null });
  }
};

/**
 * Fetches a file and shows what it would give.
 * @returns whether it was fetched
 */
export const offerUrl = async (url: string): Promise<boolean> => {
  const file = await fetched(url);
  if (file) offerFiles([{ file, name: file.name, origin: { kind: 'url', url } }]);
  return file !== null;
};

/** Fetches the file again to continue with it. */
export const resumeFromUrl = async (record: ImportRecord, url: string): Promise<void> => {
  const file = await fetched(url);
  if (file) await resumeImport(record, file);
};

/** Stops whatever is under way; what an import has stored until then is kept. */
export const cancelJob = (): void => {
  step({ cancelling: true });
  fetching?.abort();
  void attempt('The import could not be stopped', () => api().cancel(JOB));
};

/* Collections. */

/** Renames, and reads the list again: another tab may have changed it as well. */
export const renameCollection = async (id: string, name: string): Promise<void> => {
  await attempt('The collection could not be renamed', () => api().rename(id, name));
  await readCollections();
};

/** Deletes without asking; `restoreCollection` undoes it. Runs neither search nor ask what is gone. */
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

/** Brings a deleted collection back, into what runs search and ask too where it was there. */
export const restoreCollection = async (id: string): Promise<void> => {
  const entry = useCollections.getState().removed.find((one) => one.id === id);
  const back = await attempt('The collection could not be restored', async () => {
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
    // The merged one takes the place of its parts, which can be brought back.
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

/** Hands a collection’s passages or questions out as JSON lines that Forage and FlashRAG read. */
export const exportCollection = (id: string, name: string, kind: ItemKind): Promise<void> =>
  save(`${fileStem(name)}-${kind}.jsonl`, () => api().exportJsonl(id, kind));

/** Hands out what was rejected: a line an item with file, line, key and reason. */
export const saveRejected = (id: string, name: string): Promise<void> =>
  save(`${fileStem(name)}-rejected.jsonl`, async () => {
    const lines = (await api().rejected(id)).flatMap(({ name: file, items }) =>
      items.map((item) => `${JSON.stringify({ file, ...item })}\n`),
    );
    return new Blob(lines, { type: 'application/jsonl' });
  });

import { proxy } from 'comlink';
import type { CollectionsApi } from '../../../lab/corpus/collections/index.ts';
import type { LabApi } from '../../../lab/ask/messages.ts';
import type { SupervisedWorker } from '../../../lab/workers/supervised.ts';

/** Longest wait for what only reads or writes a record. */
const SHORT_MS = 30_000;

/** Listeners of jobs under way: Comlink's proxies go silent when they are collected. */
const pinned = new Set<unknown>();

/** Collections in the lab worker as plain calls, which reject when the worker dies. */
export const remoteCollections = (worker: SupervisedWorker<LabApi>): CollectionsApi => {
  const call = <R>(use: (api: CollectionsApi) => Promise<R>, timeoutMs?: number): Promise<R> =>
    worker.call((api) => use(api.collections as unknown as CollectionsApi), timeoutMs);
  /** A call with a listener, which is kept as long as the call lasts. */
  const listening = async <A extends unknown[], R>(
    listener: (...args: A) => void,
    use: (api: CollectionsApi, shared: (...args: A) => void) => Promise<R>,
  ): Promise<R> => {
    const shared = proxy(listener);
    pinned.add(shared);
    try {
      return await call((api) => use(api, shared));
    } finally {
      pinned.delete(shared);
    }
  };
  return {
    list: () => call((api) => api.list(), SHORT_MS),
    preview: (...args) => call((api) => api.preview(...args)),
    importFiles: (job, into, files, onProgress) =>
      listening(onProgress, (api, shared) => api.importFiles(job, into, files, shared)),
    resumeImport: (job, id, file, onProgress) =>
      listening(onProgress, (api, shared) => api.resumeImport(job, id, file, shared)),
    dismissImport: (id) => call((api) => api.dismissImport(id), SHORT_MS),
    merge: (job, ids, name, onProgress) =>
      listening(onProgress, (api, shared) => api.merge(job, ids, name, shared)),
    cancel: (job) => call((api) => api.cancel(job), SHORT_MS),
    rename: (id, name) => call((api) => api.rename(id, name), SHORT_MS),
    remove: (id) => call((api) => api.remove(id), SHORT_MS),
    restore: (id) => call((api) => api.restore(id), SHORT_MS),
    purge: (before) => call((api) => api.purge(before)),
    items: (...args) => call((api) => api.items(...args), SHORT_MS),
    find: (...args) => call((api) => api.find(...args)),
    questions: (ids) => call((api) => api.questions(ids)),
    question: (id, questionId) => call((api) => api.question(id, questionId), SHORT_MS),
    rejected: (id) => call((api) => api.rejected(id), SHORT_MS),
    exportJsonl: (id, kind) => call((api) => api.exportJsonl(id, kind)),
  };
};

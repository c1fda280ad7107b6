import { proxy, type Remote } from 'comlink';
import { supervise, type SupervisedWorker } from '../../../lab/workers/supervised.ts';
import type { InspectionApi } from '../../../lab/rollouts/index.ts';
import { unpackReading } from '../../../lab/rollouts/packed.ts';

/** Longest wait for what only reads or writes a record. */
const SHORT_MS = 30_000;

/** Comlink's proxies are kept while their import runs: one that is collected goes silent. */
const pinned = new Set<unknown>();

const listening = async <L extends (...told: never[]) => unknown, T>(
  listener: L,
  use: (shared: L) => Promise<T>,
): Promise<T> => {
  const shared = proxy(listener);
  pinned.add(shared);
  try {
    return await use(shared);
  } finally {
    pinned.delete(shared);
  }
};

const start = (): SupervisedWorker<InspectionApi> =>
  supervise<InspectionApi>({
    name: 'inspection',
    create: (name) =>
      new Worker(new URL('../../../../workers/inspection.ts', import.meta.url), {
        type: 'module',
        name,
      }),
    locks: navigator.locks,
    onLost: () => {
      current = null;
    },
  });

let current: SupervisedWorker<InspectionApi> | null = null;

/**
 * The inspection worker as plain calls. It starts with the first call; one that died is started again
 * by the next, after what was under way was rejected.
 */
export const remoteInspection = (): InspectionApi => {
  const call = <R>(
    use: (api: Remote<InspectionApi>) => Promise<R>,
    timeoutMs?: number,
  ): Promise<R> => (current ??= start()).call(use, timeoutMs);
  return {
    importFile: (job, source, name, onProgress) =>
      listening(onProgress, (shared) =>
        call(async (api) => api.importFile(job, source, name, shared)),
      ),
    importRun: (job, runId, onProgress) =>
      listening(onProgress, (shared) => call(async (api) => api.importRun(job, runId, shared))),
    ownRuns: () => call((api) => api.ownRuns(), SHORT_MS),
    cancel: (job) => call((api) => api.cancel(job), SHORT_MS),
    files: () => call((api) => api.files(), SHORT_MS),
    rows: (fileId, from) => call((api) => api.rows(fileId, from)),
    select: (job, fileId, filter) => call(async (api) => api.select(job, fileId, filter)),
    browse: (job, fileId, query) => call(async (api) => api.browse(job, fileId, query)),
    rowsAt: (fileId, positions) => call((api) => api.rowsAt(fileId, positions)),
    ids: (fileId, positions) => call((api) => api.ids(fileId, positions)),
    find: (fileId, rolloutId) => call((api) => api.find(fileId, rolloutId)),
    read: async (fileId, rolloutId) => {
      const found = await call((api) => api.readPacked(fileId, rolloutId));
      return found && unpackReading(found);
    },
    readPacked: (fileId, rolloutId) => call((api) => api.readPacked(fileId, rolloutId)),
    sameQuestion: (fileId, question) => call((api) => api.sameQuestion(fileId, question)),
    rolloutFile: (fileId, place, format) => call((api) => api.rolloutFile(fileId, place, format)),
    facets: (job, fileId, filter, field) => call((api) => api.facets(job, fileId, filter, field)),
    exportRows: (job, fileId, positions, format, columns, spell) =>
      spell
        ? listening(spell, (shared) =>
            call((api) => api.exportRows(job, fileId, positions, format, columns, shared)),
          )
        : call((api) => api.exportRows(job, fileId, positions, format, columns)),
    rollout: (fileId, place) => call((api) => api.rollout(fileId, place)),
    remove: (fileId) => call((api) => api.remove(fileId), SHORT_MS),
    restore: (fileId) => call((api) => api.restore(fileId), SHORT_MS),
    purge: (before) => call((api) => api.purge(before)),
    marks: (file) => call((api) => api.marks(file), SHORT_MS),
    mark: (file, rollout, change) => call((api) => api.mark(file, rollout, change), SHORT_MS),
    views: () => call((api) => api.views(), SHORT_MS),
    saveView: (view) => call((api) => api.saveView(view), SHORT_MS),
    removeView: (name) => call((api) => api.removeView(name), SHORT_MS),
    rescore: (fileId, place) => call((api) => api.rescore(fileId, place)),
    disagreements: (job, fileId, scorers, onProgress) =>
      listening(onProgress, (shared) =>
        call(async (api) => api.disagreements(job, fileId, scorers, shared)),
      ),
    group: (fileId, groupId, settings) => call((api) => api.group(fileId, groupId, settings)),
    whatIf: (fileId, groupId, before, after) =>
      call((api) => api.whatIf(fileId, groupId, before, after)),
    diff: (a, b) => call((api) => api.diff(a, b)),
    compare: (fileA, fileB, criterion) => call((api) => api.compare(fileA, fileB, criterion)),
  };
};

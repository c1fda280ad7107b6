import { previewImport, type Preview } from '../../../formats/import/collect.ts';
import { ImportError, type ImportedQuestion } from '../../../formats/import/values/types.ts';
import { NamedJobs } from '../../storage/jobs.ts';
import {
  type ImportChoice,
  type ItemKind,
  readCollections,
  readImports,
} from '../../contract/records/collections.ts';
import {
  CollectionBusy,
  CollectionStorageFull,
  MemoryLimitReached,
  OtherFile,
} from './passages/errors.ts';
import { fingerprint } from './passages/fingerprint.ts';
import { readOptions } from './import-file.ts';
import { dismissImport, importFiles, resumeImport } from './importing.ts';
import {
  type CollectionsApi,
  type FileToImport,
  type FindOutcome,
  type ImportOutcome,
  type ImportProgress,
  type ImportResult,
  type MergeOutcome,
  type PreviewOutcome,
  type StopReason,
} from '../../contract/collections.ts';
import type { CollectionStore } from './store.ts';

/** The page draws no more often than this. */
const PROGRESS_MS = 100;

/** Records that a preview shows. */
const PREVIEW_ITEMS = 50;

const reasonOf = (error: unknown): StopReason | null => {
  if (error instanceof ImportError) return 'unreadable';
  if (error instanceof CollectionStorageFull) return 'full';
  if (error instanceof MemoryLimitReached) return 'memory';
  if (error instanceof CollectionBusy) return 'busy';
  if (error instanceof OtherFile) return 'other-file';
  return null;
};

/** Passes on the first call, then at most one in `PROGRESS_MS`; the last state is in the result. */
const throttled = <A extends unknown[]>(report: (...args: A) => void): ((...args: A) => void) => {
  let last = -Infinity;
  return (...args) => {
    const now = performance.now();
    if (now - last < PROGRESS_MS) return;
    last = now;
    report(...args);
  };
};

/** Answers the page from a store; one job of a name at a time. */
export class CollectionsHost implements CollectionsApi {
  readonly #store: CollectionStore;
  readonly #jobs = new NamedJobs();

  constructor(store: CollectionStore) {
    this.#store = store;
  }

  /** A job whose expected failures are values. */
  #outcomeOf<T extends object>(
    job: string,
    run: (signal: AbortSignal) => Promise<T>,
  ): Promise<
    | ({ status: 'ready' } & T)
    | { status: 'cancelled' }
    | { status: 'failed'; reason: StopReason; message: string }
  > {
    return this.#jobs.run(job, async (signal) => {
      try {
        return { status: 'ready' as const, ...(await run(signal)) };
      } catch (error) {
        const reason = reasonOf(error);
        if (!reason || !(error instanceof Error)) throw error;
        return { status: 'failed' as const, reason, message: error.message };
      }
    });
  }

  preview(job: string, file: Blob, name: string, choice: ImportChoice): Promise<PreviewOutcome> {
    return this.#outcomeOf<{ preview: Preview; sameFile: string[] }>(job, async (signal) => ({
      preview: await previewImport(file, {
        ...readOptions(name, choice),
        items: PREVIEW_ITEMS,
        signal,
      }),
      sameFile: await this.#holders(await fingerprint(file)),
    }));
  }

  /** Names of the collections that a file was imported into already. */
  async #holders(print: string): Promise<string[]> {
    const { db } = this.#store;
    const imports = readImports(await db.imports.toArray());
    const ids = new Set(
      imports.filter(({ fingerprint }) => fingerprint === print).map((one) => one.collectionId),
    );
    const collections = readCollections(await db.collections.toArray());
    return collections
      .filter(({ id, deletedAt }) => ids.has(id) && deletedAt === null)
      .map(({ name }) => name);
  }

  importFiles(
    job: string,
    into: { id: string } | { name: string },
    files: FileToImport[],
    onProgress: (progress: ImportProgress) => void,
  ): Promise<ImportOutcome> {
    return this.#outcomeOf<ImportResult>(job, (signal) =>
      importFiles(this.#store, into, files, { signal, onProgress: throttled(onProgress) }),
    );
  }

  resumeImport(
    job: string,
    importId: string,
    file: Blob,
    onProgress: (progress: ImportProgress) => void,
  ): Promise<ImportOutcome> {
    return this.#outcomeOf<ImportResult>(job, (signal) =>
      resumeImport(this.#store, importId, file, { signal, onProgress: throttled(onProgress) }),
    );
  }

  dismissImport = (importId: string) => dismissImport(this.#store, importId);

  merge(
    job: string,
    ids: string[],
    name: string,
    onProgress: (done: number, total: number) => void,
  ): Promise<MergeOutcome> {
    return this.#outcomeOf(job, async (signal) => ({
      collection: await this.#store.merge(ids, name, { signal, onProgress: throttled(onProgress) }),
    }));
  }

  cancel(job: string): Promise<void> {
    this.#jobs.cancel(job);
    return Promise.resolve();
  }

  find(job: string, id: string, kind: ItemKind, filter: string): Promise<FindOutcome> {
    return this.#jobs.run(job, async (signal): Promise<FindOutcome> => {
      return { status: 'ready', places: await this.#store.find(id, kind, filter, signal) };
    });
  }

  async questions(ids: string[]): Promise<ImportedQuestion[]> {
    const all: ImportedQuestion[] = [];
    for await (const chunk of this.#store.questionsOf(ids)) all.push(...chunk);
    return all;
  }

  list = () => this.#store.list();
  rename = (id: string, name: string) => this.#store.rename(id, name);
  remove = (id: string) => this.#store.remove(id);
  restore = (id: string) => this.#store.restore(id);
  purge = (before?: string) => this.#store.purge(before);
  items = (id: string, kind: ItemKind, from: number, count: number) =>
    this.#store.items(id, kind, from, count);
  question = (id: string, questionId: string) => this.#store.question(id, questionId);
  rejected = (id: string) => this.#store.rejected(id);
  exportJsonl = (id: string, kind: ItemKind) => this.#store.export(id, kind);
}

import type { FileToImport, ImportProgress, ImportResult } from '../../contract/collections.ts';
import { messageOf } from '../../../base/errors.ts';
import { ImportError } from '../../../formats/import/values/types.ts';
import type { KnownItems } from '../../../formats/import/values/known.ts';
import { OtherFile } from './passages/errors.ts';
import { fingerprint } from './passages/fingerprint.ts';
import { importFile, knownItems, type ImportStep } from './import-file.ts';
import {
  importChoiceSchema,
  KEPT_SOURCES,
  readImports,
  type ImportRecord,
} from '../../contract/records/collections.ts';
import type { CollectionStore } from './store.ts';

/** Imports of files into collections of a store, and how they continue. */

export interface ImportOptions {
  onProgress?: (progress: ImportProgress) => void;
  signal?: AbortSignal;
  memoryLine?: number;
}

/** Adds up over the files of one call. */
class Progress {
  readonly #files: readonly { file: Blob }[];
  readonly #report: ((progress: ImportProgress) => void) | undefined;
  #before = 0;
  #counts = { passages: 0, questions: 0, duplicates: 0, rejected: 0 };
  #at = 0;

  constructor(files: readonly { file: Blob }[], report?: (progress: ImportProgress) => void) {
    this.#files = files;
    this.#report = report;
  }

  step = ({ record, heldBytes }: ImportStep): void => {
    const { passages, questions, duplicates, rejected } = record;
    const sum = this.#counts;
    this.#report?.({
      collectionId: record.collectionId,
      importId: record.id,
      name: record.name,
      file: this.#at + 1,
      files: this.#files.length,
      readBytes: this.#before + record.readBytes,
      totalBytes: this.#files.reduce((total, { file }) => total + file.size, 0),
      passages: sum.passages + passages,
      questions: sum.questions + questions,
      duplicates: sum.duplicates + duplicates,
      rejected: sum.rejected + rejected,
      heldBytes,
    });
  };

  fileEnds({ passages, questions, duplicates, rejected }: ImportRecord): void {
    this.#before += this.#files[this.#at]?.file.size ?? 0;
    this.#at += 1;
    const sum = this.#counts;
    this.#counts = {
      passages: sum.passages + passages,
      questions: sum.questions + questions,
      duplicates: sum.duplicates + duplicates,
      rejected: sum.rejected + rejected,
    };
  }
}

/** Begins an import: its record is stored before anything of the file is. */
async function begin(
  store: CollectionStore,
  collectionId: string,
  { file, name, origin, choice }: FileToImport,
): Promise<ImportRecord> {
  const { db } = store;
  const record: ImportRecord = {
    format: 'forage.import/1',
    id: crypto.randomUUID(),
    collectionId,
    name,
    origin,
    bytes: file.size,
    fingerprint: await fingerprint(file),
    choice: importChoiceSchema.parse(choice),
    startedAt: store.now(),
    status: 'open',
    failure: null,
    position: null,
    readBytes: 0,
    items: 0,
    passages: 0,
    questions: 0,
    duplicates: 0,
    rejected: 0,
  };
  await db.transaction('rw', db.collections, db.imports, async () => {
    await db.imports.add(record);
    await db.collections.where({ id: collectionId }).modify((collection) => {
      collection.sourceCount += 1;
      if (collection.sources.length < KEPT_SOURCES)
        collection.sources.push({ name, bytes: file.size, origin });
    });
  });
  return record;
}

/** Reads on; what ends it is noted in the import's record. */
async function read(
  store: CollectionStore,
  record: ImportRecord,
  file: Blob,
  known: KnownItems,
  { signal, memoryLine }: ImportOptions,
  onStep: (step: ImportStep) => void,
): Promise<ImportRecord> {
  const { db, now } = store;
  try {
    return await importFile(db, record, file, known, {
      now,
      onStep,
      signal,
      memoryLine,
    });
  } catch (error) {
    const failure = messageOf(error);
    await db.imports
      .update(record.id, signal?.aborted ? { status: 'cancelled' } : { status: 'failed', failure })
      // Where storage is full, the caller learns that; the import stays open.
      .catch(() => undefined);
    throw error;
  }
}

/**
 * Imports files into a collection, one after another. A file that cannot be read is reported and passed
 * over.
 * @throws ImportError where no file can be read and the collection is new; it is not kept then.
 *   CollectionStorageFull, MemoryLineReached, CollectionBusy and the signal's reason; what was stored
 *   until then stays and can be continued
 */
export async function importFiles(
  store: CollectionStore,
  into: { id: string } | { name: string },
  files: readonly FileToImport[],
  options: ImportOptions = {},
): Promise<ImportResult> {
  const { id } = 'id' in into ? await store.get(into.id) : await store.create(into.name);
  return store.locks.hold(id, async () => {
    const known = await knownItems(store.db, id);
    const progress = new Progress(files, options.onProgress);
    const failed: ImportResult['failed'] = [];
    for (const entry of files) {
      options.signal?.throwIfAborted();
      const record = await begin(store, id, entry);
      try {
        progress.fileEnds(await read(store, record, entry.file, known, options, progress.step));
      } catch (error) {
        if (!(error instanceof ImportError)) throw error;
        failed.push({ name: entry.name, reason: error.message });
        progress.fileEnds(record);
      }
    }
    if (failed.length === files.length && 'name' in into) {
      await store.erase(id);
      throw new ImportError(failed.map(({ name, reason }) => `${name}: ${reason}`).join('; '));
    }
    await store.countShared(id);
    return { collection: await store.get(id), failed };
  });
}

/**
 * Continues an import that was interrupted, cancelled or failed.
 * @throws OtherFile where this is not the file that it began with; else as `importFiles`
 */
export async function resumeImport(
  store: CollectionStore,
  importId: string,
  file: Blob,
  options: ImportOptions = {},
): Promise<ImportResult> {
  const row: unknown = await store.db.imports.get(importId);
  const [record] = readImports(row === undefined ? [] : [row]);
  if (!record) throw new Error('There is no such import any more.');
  if ((await fingerprint(file)) !== record.fingerprint)
    throw new OtherFile(record, { bytes: file.size });
  return store.locks.hold(record.collectionId, async () => {
    const known = await knownItems(store.db, record.collectionId);
    // Another tab may have gone on meanwhile.
    const [now] = readImports([await store.db.imports.get(importId)]);
    const progress = new Progress([{ file }], options.onProgress);
    if (now && now.status !== 'done') await read(store, now, file, known, options, progress.step);
    await store.countShared(record.collectionId);
    return { collection: await store.get(record.collectionId), failed: [] };
  });
}

/** Forgets an import that is not to be continued; what it imported stays. */
export async function dismissImport(store: CollectionStore, importId: string): Promise<void> {
  await store.db.imports.update(importId, { status: 'done' });
}

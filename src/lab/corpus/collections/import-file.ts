import { KnownItems } from '../../../formats/import/values/known.ts';
import { readImport } from '../../../formats/import/read.ts';
import type { ImportBatch, ImportOptions } from '../../../formats/import/values/types.ts';
import type { CollectionsDatabase } from './passages/database.ts';
import { MemoryLimitReached } from './passages/errors.ts';
import { unpackHashes } from './passages/hashes.ts';
import { MEMORY_LIMIT } from './passages/memory-limit.ts';
import { indexChunks } from './passages/read.ts';
import type { ImportChoice, ImportRecord } from '../../contract/records/collections.ts';
import { addTo } from './passages/write.ts';

/** Items that are stored together: a chunk is read in some milliseconds. */
const BATCH_ITEMS = 500;

export interface ImportStep {
  record: ImportRecord;
  /** What the import holds in memory, ≈: ids, hashes and the batch available. */
  heldBytes: number;
}

export interface ImportFileOptions {
  onStep?: (step: ImportStep) => void;
  signal?: AbortSignal;
  now: () => string;
  /** Upper bound on the memory for ids and hashes. */
  memoryLine?: number;
}

/** Ids and hashes of what a collection holds. */
export async function knownItems(
  db: CollectionsDatabase,
  collectionId: string,
): Promise<KnownItems> {
  const known = new KnownItems();
  for (const kind of ['passages', 'questions'] as const)
    for await (const { ids, hashes, importId } of indexChunks(db, collectionId, kind)) {
      let at = 0;
      for (const hash of unpackHashes(hashes)) known[kind].add(ids[at++]!, hash, importId);
    }
  return known;
}

export const readOptions = (name: string, choice: ImportChoice): ImportOptions => ({
  name,
  format: choice.format,
  chunking: choice.chunking,
  contexts: choice.contexts,
});

const charactersOf = ({ passages }: ImportBatch): number =>
  passages.reduce((sum, { passage }) => sum + passage.text.length, 0);

/**
 * Reads a file into its collection from where the import stands, batch by batch. The record says in
 * every transaction how far it is; the last one makes it `done`.
 * @throws ImportError where the file cannot be read, CollectionStorageFull, MemoryLineReached, the
 *   signal's reason; what was stored until then stays
 */
export async function importFile(
  db: CollectionsDatabase,
  record: ImportRecord,
  file: Blob,
  known: KnownItems,
  { onStep, signal, now, memoryLine = MEMORY_LIMIT }: ImportFileOptions,
): Promise<ImportRecord> {
  known.file = record.id;
  const reader = readImport(file, {
    ...readOptions(record.name, record.choice),
    known,
    batchItems: BATCH_ITEMS,
    ...(record.position && { resume: record.position }),
    ...(signal && { signal }),
  });
  let current = record;
  let next = await reader.next();
  while (!next.done) {
    const batch = next.value;
    if (known.bytes > memoryLine) throw new MemoryLimitReached(memoryLine);
    // The last batch says that it is the last, so that nothing is read twice after it.
    const ahead = await reader.next().catch((error: unknown) => ({ error }));
    const last = 'done' in ahead && ahead.done === true;
    current = advanced(current, batch, last);
    await addTo(
      db,
      record.collectionId,
      { ...batch, duplicates: batch.duplicates.length, import: current },
      now(),
    );
    onStep?.({ record: current, heldBytes: known.bytes + 4 * charactersOf(batch) });
    if ('error' in ahead) throw ahead.error;
    next = ahead;
  }
  return current;
}

const advanced = (record: ImportRecord, batch: ImportBatch, last: boolean): ImportRecord => ({
  ...record,
  status: last ? 'done' : 'open',
  failure: null,
  position: batch.position ?? record.position,
  readBytes: batch.progress.bytes,
  items: batch.progress.items,
  passages: record.passages + batch.passages.length,
  questions: record.questions + batch.questions.length,
  duplicates: record.duplicates + batch.duplicates.length,
  rejected: record.rejected + batch.rejected.length,
});

import { questionHash } from '../../../../formats/import/values/hash.ts';
import type {
  ImportedPassage,
  ImportedQuestion,
  Rejection,
} from '../../../../formats/import/values/types.ts';
import { isQuotaError } from '../../../storage/quota.ts';
import type { CollectionsDatabase } from './database.ts';
import {
  type CollectionRecord,
  type ImportRecord,
  type ItemKind,
  KEPT_REJECTIONS,
  type RejectedRow,
} from '../../../contract/records/collections.ts';
import { CollectionStorageFull } from './errors.ts';
import { combineHashes, packHashes } from './hashes.ts';
import { packLines, passageLine, questionLine } from './items.ts';

/** What one transaction adds to a collection. */
export interface Addition {
  passages: readonly ImportedPassage[];
  questions: readonly ImportedQuestion[];
  duplicates: number;
  rejected: readonly Rejection[];
  /** The import with its position after this addition; null for a merge. */
  import: ImportRecord | null;
}

interface PackedChunk {
  kind: ItemKind;
  gz: Uint8Array<ArrayBuffer>;
  ids: string[];
  hashes: Uint8Array<ArrayBuffer>;
  characters: number;
}

async function pack(
  kind: ItemKind,
  items: readonly { id: string; line: string; hash: string }[],
): Promise<PackedChunk[]> {
  if (items.length === 0) return [];
  const lines = items.map(({ line }) => line);
  return [
    {
      kind,
      gz: await packLines(lines),
      ids: items.map(({ id }) => id),
      hashes: packHashes(items.map(({ hash }) => hash)),
      characters: lines.reduce((sum, { length }) => sum + length, 0),
    },
  ];
}

const packAll = async ({ passages, questions }: Addition): Promise<PackedChunk[]> => [
  ...(await pack(
    'passages',
    passages.map(({ passage, hash }) => ({ id: passage.id, line: passageLine(passage), hash })),
  )),
  ...(await pack(
    'questions',
    await Promise.all(
      questions.map(async (question) => ({
        id: question.id,
        line: questionLine(question),
        hash: await questionHash(question.text, question.answers),
      })),
    ),
  )),
];

const withRejections = (
  row: RejectedRow | undefined,
  { id, collectionId }: ImportRecord,
  items: readonly Rejection[],
): RejectedRow => ({
  importId: id,
  collectionId,
  items: [...(row?.items ?? []), ...items].slice(0, KEPT_REJECTIONS),
});

/**
 * Adds items to a collection, all in one transaction.
 * @returns the collection after it
 * @throws CollectionStorageFull where the quota is exceeded, Error where the collection was removed;
 *   nothing is written then
 */
export async function addTo(
  db: CollectionsDatabase,
  collectionId: string,
  addition: Addition,
  now: string,
): Promise<CollectionRecord> {
  // Nothing but reads and writes may happen inside, or the browser ends the transaction.
  const packed = await packAll(addition);
  const bytes = packed.reduce((sum, { gz, hashes }) => sum + gz.length + hashes.length, 0);
  const write = async (): Promise<CollectionRecord> => {
    const collection = await db.collections.get(collectionId);
    if (!collection) throw new Error('This collection was removed meanwhile.');
    const after: CollectionRecord = {
      ...collection,
      updatedAt: now,
      passages: collection.passages + addition.passages.length,
      questions: collection.questions + addition.questions.length,
      duplicates: collection.duplicates + addition.duplicates,
      rejected: collection.rejected + addition.rejected.length,
      storedBytes: collection.storedBytes + bytes,
    };
    for (const { kind, gz, ids, hashes, characters } of packed) {
      const place = { collectionId, kind, start: collection[kind] };
      const importId = addition.import?.id ?? '';
      await db.bodies.add({ ...place, count: ids.length, gz });
      await db.index.add({ ...place, importId, ids, hashes });
      after.hash = combineHashes(after.hash, hashes);
      after.characters += characters;
    }
    await db.collections.put(after);
    if (addition.import) {
      await db.imports.put(addition.import);
      if (addition.rejected.length > 0) {
        const row = await db.rejected.get(addition.import.id);
        if ((row?.items.length ?? 0) < KEPT_REJECTIONS)
          await db.rejected.put(withRejections(row, addition.import, addition.rejected));
      }
    }
    return after;
  };
  try {
    const { collections, imports, rejected, bodies, index } = db;
    return await db.transaction('rw', [collections, imports, rejected, bodies, index], write);
  } catch (error) {
    throw isQuotaError(error) ? new CollectionStorageFull(bytes) : error;
  }
}

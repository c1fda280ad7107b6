import type { ImportedQuestion } from '../../../../formats/import/values/types.ts';
import type { Passage } from '../../../../records/records.ts';
import {
  chunkRange,
  type BodyChunk,
  type CollectionsDatabase,
  type IndexChunk,
} from './database.ts';
import { type ItemKind } from '../../../contract/records/collections.ts';
import { unpackPassages, unpackQuestions } from './items.ts';

/** Reads a collection chunk by chunk, so that memory holds one of them at a time. */

const notStored = (): Error =>
  new Error('A part of this collection is not stored any more; import its file again.');

/** The chunks of a kind in order. @throws Error where one is missing */
export async function* bodyChunks(
  db: CollectionsDatabase,
  collectionId: string,
  kind: ItemKind,
): AsyncGenerator<BodyChunk, void> {
  for (let next = 0; ;) {
    const [from, to] = chunkRange(collectionId, kind, next);
    const chunk = await db.bodies.where('[collectionId+kind+start]').between(from, to).first();
    if (!chunk) return;
    if (chunk.start !== next) throw notStored();
    yield chunk;
    next += chunk.count;
  }
}

/** Ids and hashes of a kind, chunk by chunk. */
export async function* indexChunks(
  db: CollectionsDatabase,
  collectionId: string,
  kind: ItemKind,
): AsyncGenerator<IndexChunk, void> {
  for (let next = 0; ;) {
    const [from, to] = chunkRange(collectionId, kind, next);
    const chunk = await db.index.where('[collectionId+kind+start]').between(from, to).first();
    if (!chunk) return;
    yield chunk;
    next = chunk.start + chunk.ids.length;
  }
}

export async function* passagesIn(
  db: CollectionsDatabase,
  collectionId: string,
): AsyncGenerator<Passage[], void> {
  for await (const { gz } of bodyChunks(db, collectionId, 'passages'))
    yield await unpackPassages(gz);
}

export async function* questionsIn(
  db: CollectionsDatabase,
  collectionId: string,
): AsyncGenerator<ImportedQuestion[], void> {
  for await (const { gz } of bodyChunks(db, collectionId, 'questions'))
    yield await unpackQuestions(gz);
}

/** The chunk that holds the item at a place; undefined after the last. */
export async function chunkAt(
  db: CollectionsDatabase,
  collectionId: string,
  kind: ItemKind,
  place: number,
): Promise<BodyChunk | undefined> {
  const from = [collectionId, kind, 0];
  const to = [collectionId, kind, place];
  const rows = db.bodies.where('[collectionId+kind+start]').between(from, to, true, true);
  const chunk = await rows.last();
  return chunk && place < chunk.start + chunk.count ? chunk : undefined;
}

import type {
  CollectionRecord,
  ImportRecord,
  ItemKind,
  RejectedRow,
} from '../../../contract/records/collections.ts';
import { type Dexie, type EntityTable, type Table } from 'dexie';
import { SiteDatabase } from '../../../storage/site-database.ts';

/**
 * Imported passages and questions. Items lie gzipped in chunks, and a chunk, the ids and hashes of
 * its items and the position in the file after it are written in one strict transaction: however a
 * tab ends, what is stored is exactly what was read up to the stored position.
 */

/** Collection, kind, and the 0-based place of the chunk's first item in the collection. */
export type ChunkKey = [string, ItemKind, number];

export interface BodyChunk {
  collectionId: string;
  kind: ItemKind;
  start: number;
  count: number;
  /** Gzipped JSON lines. */
  gz: Uint8Array<ArrayBuffer>;
}

export interface IndexChunk {
  collectionId: string;
  kind: ItemKind;
  start: number;
  importId: string;
  ids: string[];
  /** 32 bytes an item, in order. */
  hashes: Uint8Array<ArrayBuffer>;
}

export class CollectionsDatabase extends SiteDatabase {
  collections!: EntityTable<CollectionRecord, 'id'>;
  imports!: EntityTable<ImportRecord, 'id'>;
  rejected!: EntityTable<RejectedRow, 'importId'>;
  bodies!: Table<BodyChunk, ChunkKey>;
  index!: Table<IndexChunk, ChunkKey>;

  constructor(name = 'forage-collections', options: ConstructorParameters<typeof Dexie>[1] = {}) {
    super(name, options);
    this.version(1).stores({
      collections: 'id',
      imports: 'id, collectionId',
      rejected: 'importId, collectionId',
      bodies: '[collectionId+kind+start]',
      index: '[collectionId+kind+start]',
    });
  }
}

/** Keys of all chunks of a collection, or of those of one kind, from a place on. */
export const chunkRange = (
  collectionId: string,
  kind: ItemKind,
  from = 0,
): [ChunkKey, ChunkKey] => [
  [collectionId, kind, from],
  [collectionId, kind, Number.MAX_SAFE_INTEGER],
];

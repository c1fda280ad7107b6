import type { FileRecord, Mark, SavedView, StoredRow } from '../contract/records/rollout-files.ts';
import { type Dexie, type EntityTable, type Table } from 'dexie';
import { SiteDatabase } from '../storage/site-database.ts';

/** Imported rollout files: a small record each, rows for tables, and the rollouts themselves, gzipped. */

/** Rows and bodies lie in chunks: a table of 10,000 rows is some dozens of reads. */
export interface RowChunk {
  fileId: string;
  chunk: number;
  rows: StoredRow[];
}

export interface BodyChunk {
  fileId: string;
  chunk: number;
  /** Gzipped JSON lines, in the order of the rows. */
  gz: Uint8Array;
}

export class RolloutsDatabase extends SiteDatabase {
  files!: EntityTable<FileRecord, 'id'>;
  rows!: Table<RowChunk, [string, number]>;
  bodies!: Table<BodyChunk, [string, number]>;
  marks!: Table<Mark, [string, string]>;
  views!: EntityTable<SavedView, 'name'>;

  constructor(name = 'forage-inspection', options: ConstructorParameters<typeof Dexie>[1] = {}) {
    super(name, options);
    this.version(1).stores({
      files: 'id',
      rows: '[fileId+chunk], fileId',
      bodies: '[fileId+chunk], fileId',
      marks: '[file+rollout], file',
      views: 'name',
    });
  }
}

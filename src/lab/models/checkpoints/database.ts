import { type CheckpointRecord, plannedFileSchema } from '../../contract/records/checkpoints.ts';
import { type Dexie, type EntityTable, type Table } from 'dexie';
import { SiteDatabase } from '../../storage/site-database.ts';
import { z } from 'zod';

/** Records of the checkpoints on this device; their bytes lie in files. */

/** How far a file is. What is beyond `done` on the disk does not count. */
export const fileRowSchema = plannedFileSchema.extend({
  checkpointId: z.string(),
  /** Place in the order of the download. */
  order: z.int(),
  done: z.int().min(0),
  /** ETag or date of the file that `done` bytes are of. */
  tag: z.string().nullable(),
  /** State of the hash over `done` bytes; null at the begin and at the end. */
  hash: z.instanceof(Uint8Array).nullable(),
  /** SHA-256 of the whole file, once it is whole and checked. */
  digest: z.string().nullable(),
});

export type FileRow = z.infer<typeof fileRowSchema>;

export class CheckpointDatabase extends SiteDatabase {
  checkpoints!: EntityTable<CheckpointRecord, 'id'>;
  files!: Table<FileRow, [string, string]>;

  constructor(name = 'forage-checkpoints', options: ConstructorParameters<typeof Dexie>[1] = {}) {
    // A record is written only after its bytes are on the disk, and before it is reported.
    super(name, options);
    this.version(1).stores({
      checkpoints: 'id, createdAt',
      files: '[checkpointId+name], checkpointId',
    });
  }
}

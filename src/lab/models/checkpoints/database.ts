import { Dexie, type EntityTable, type Table } from 'dexie';
import { z } from 'zod';
import { FAULT_KINDS } from './plan/fault.ts';
import { plannedFileSchema } from './plan/plan.ts';
import { sourceSchema } from './plan/source.ts';

/** Records of the checkpoints on this device; their bytes lie in files. */

export const checkpointSchema = z.strictObject({
  format: z.literal('forage.checkpoint/1'),
  id: z.string().regex(/^[\w.-]{1,120}$/),
  name: z.string(),
  source: sourceSchema,
  revision: z.string().nullable(),
  /** `config.json`, parsed. */
  config: z.record(z.string(), z.unknown()),
  createdAt: z.string(),
  /** When the last file was whole and checked; null until then. */
  readyAt: z.string().nullable(),
  /** Why it stopped last; null while it runs and where the user stopped it. */
  failure: z
    .strictObject({ kind: z.enum(FAULT_KINDS), message: z.string(), next: z.string() })
    .nullable(),
  deletedAt: z.string().nullable(),
});

export type CheckpointRecord = z.infer<typeof checkpointSchema>;

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

export class CheckpointDatabase extends Dexie {
  checkpoints!: EntityTable<CheckpointRecord, 'id'>;
  files!: Table<FileRow, [string, string]>;

  constructor(name = 'forage-checkpoints', options: ConstructorParameters<typeof Dexie>[1] = {}) {
    // A record may only tell of bytes that are on the disk, and has to be there when it is told.
    super(name, { chromeTransactionDurability: 'strict', ...options });
    this.version(1).stores({
      checkpoints: 'id, createdAt',
      files: '[checkpointId+name], checkpointId',
    });
  }
}

import { isGgufName } from '../../../formats/gguf.ts';
import type { CheckpointFiles } from '../../../policy/checkpoint/checkpoint-files.ts';
import type { RangeFiles } from '../../storage/range-files.ts';
import {
  type CheckpointPlan,
  type CheckpointRecord,
  checkpointSchema,
} from '../../contract/records/checkpoints.ts';
import { fileRowSchema, type CheckpointDatabase, type FileRow } from './database.ts';
import { CheckpointFault } from './plan/fault.ts';

const FOLDER = 'checkpoints';

export const pathOf = (id: string, name: string): string => `${FOLDER}/${id}/${name}`;

const slug = (title: string): string =>
  title
    .toLowerCase()
    .replace(/[^a-z0-9.]+/g, '-')
    .replace(/^[-.]+|[-.]+$/g, '')
    .slice(0, 60) || 'checkpoint';

const missing = (id: string): CheckpointFault =>
  new CheckpointFault(
    'missing',
    `There is no checkpoint ${id} on this device.`,
    'Choose another one, or add it on the Models page.',
  );

/** Files of a stored checkpoint by their names. */
class StoredFiles implements CheckpointFiles {
  readonly #files: RangeFiles;
  readonly #id: string;
  readonly #sizes: ReadonlyMap<string, number>;

  constructor(files: RangeFiles, id: string, sizes: ReadonlyMap<string, number>) {
    this.#files = files;
    this.#id = id;
    this.#sizes = sizes;
  }

  size(name: string): Promise<number | null> {
    return Promise.resolve(this.#sizes.get(name) ?? null);
  }

  readRange(name: string, start: number, end: number): Promise<Uint8Array> {
    if (!this.#sizes.has(name)) return Promise.reject(new Error(`no file ${name}`));
    return this.#files.readRange(pathOf(this.#id, name), start, end);
  }
}

/** GGUF files, as if they were those of a folder. */
async function openGgufs(
  files: CheckpointFiles,
  rows: readonly Pick<FileRow, 'name' | 'done'>[],
): Promise<CheckpointFiles> {
  const { openGguf } = await import('../../../policy/gguf/open.ts');
  const model = await openGguf(
    rows.map(({ name, done: size }) => ({
      name,
      size,
      read: (start, end) => files.readRange(name, start, end),
    })),
  );
  return model.files;
}

/** A checkpoint with its files' rows. */
export interface StoredCheckpoint {
  record: CheckpointRecord;
  rows: FileRow[];
}

/** Records and files of the checkpoints on this device. */
export class CheckpointStore {
  readonly #db: CheckpointDatabase;
  readonly files: RangeFiles;
  readonly #now: () => string;
  /** The GGUF model that was opened last: its header and tokenizer are read once. */
  #gguf: { id: string; files: Promise<CheckpointFiles> } | null = null;

  constructor(db: CheckpointDatabase, files: RangeFiles, now = () => new Date().toISOString()) {
    this.#db = db;
    this.files = files;
    this.#now = now;
  }

  /** All, deleted ones too, newest first; what a later version wrote and this one cannot read is left out. */
  async list(): Promise<StoredCheckpoint[]> {
    const records: unknown[] = await this.#db.checkpoints.orderBy('createdAt').reverse().toArray();
    const readable = records.flatMap((record) => checkpointSchema.safeParse(record).data ?? []);
    return Promise.all(
      readable.map(async (record) => ({ record, rows: await this.rows(record.id) })),
    );
  }

  /** @throws CheckpointFault of kind `missing` */
  async record(id: string): Promise<CheckpointRecord> {
    const record = checkpointSchema.safeParse(await this.#db.checkpoints.get(id)).data;
    if (!record) throw missing(id);
    return record;
  }

  /** In the order of the download. */
  async rows(id: string): Promise<FileRow[]> {
    const rows: unknown[] = await this.#db.files.where('checkpointId').equals(id).toArray();
    return rows
      .flatMap((row) => fileRowSchema.safeParse(row).data ?? [])
      .sort((a, b) => a.order - b.order);
  }

  async create(plan: CheckpointPlan, name: string): Promise<CheckpointRecord> {
    const id = `${slug(plan.title)}-${crypto.randomUUID().slice(0, 8)}`;
    const record: CheckpointRecord = {
      format: 'forage.checkpoint/1',
      id,
      name: name.trim() || plan.title,
      source: plan.source,
      revision: plan.revision,
      config: plan.config,
      ...(plan.gguf && { gguf: plan.gguf }),
      createdAt: this.#now(),
      readyAt: null,
      failure: null,
      deletedAt: null,
    };
    const rows = plan.files.map((file, order): FileRow => ({
      ...file,
      checkpointId: id,
      order,
      done: 0,
      tag: null,
      hash: null,
      digest: null,
    }));
    const { checkpoints, files } = this.#db;
    await this.#db.transaction('rw', checkpoints, files, async () => {
      await checkpoints.put(record);
      await files.bulkPut(rows);
    });
    return record;
  }

  /** Resolves when it is on the disk. */
  async putRow(row: FileRow): Promise<void> {
    await this.#db.files.put(row);
  }

  async change(id: string, change: Partial<Omit<CheckpointRecord, 'id'>>): Promise<void> {
    if (
      (await this.#db.checkpoints.update(id, change)) === 0 &&
      !(await this.#db.checkpoints.get(id))
    )
      throw missing(id);
  }

  async finish(id: string): Promise<void> {
    await this.change(id, { readyAt: this.#now(), failure: null });
  }

  remove(id: string): Promise<void> {
    return this.change(id, { deletedAt: this.#now() });
  }

  restore(id: string): Promise<void> {
    return this.change(id, { deletedAt: null });
  }

  /** Removes a checkpoint for good: first what names it, so that no record tells of lost bytes. */
  async erase(id: string): Promise<void> {
    const { checkpoints, files } = this.#db;
    await this.#db.transaction('rw', checkpoints, files, async () => {
      await checkpoints.delete(id);
      await files.where('checkpointId').equals(id).delete();
    });
    await this.files.remove(`${FOLDER}/${id}`);
  }

  /** Folders that no record names: what a killed tab was erasing. */
  async orphans(): Promise<string[]> {
    const known = new Set(await this.#db.checkpoints.toCollection().primaryKeys());
    return (await this.files.folders(FOLDER)).filter((id) => !known.has(id));
  }

  /**
   * Random access to the files of a checkpoint that is whole; of GGUF files, as if they were those of a folder.
   * @throws CheckpointFault of kind `missing` where it is not there, or not whole
   */
  async open(id: string): Promise<CheckpointFiles> {
    const { readyAt, deletedAt, name } = await this.record(id);
    if (deletedAt !== null) throw missing(id);
    if (readyAt === null)
      throw new CheckpointFault(
        'missing',
        `"${name}" is not on this device as a whole.`,
        'Resume its download on the Models page.',
      );
    const rows = await this.rows(id);
    const files = new StoredFiles(this.files, id, new Map(rows.map((row) => [row.name, row.done])));
    const ggufs = rows.filter((row) => isGgufName(row.name));
    if (ggufs.length === 0) return files;
    if (this.#gguf?.id !== id) this.#gguf = { id, files: openGgufs(files, ggufs) };
    try {
      return await this.#gguf.files;
    } catch (error) {
      this.#gguf = null;
      throw error;
    }
  }
}

import {
  BOOKMARK,
  type FileRecord,
  type Mark,
  type RolloutPlace,
  type SavedView,
  type StoredRow,
} from '../contract/records/rollout-files.ts';
import { isImportedRollout } from '../../formats/rollouts/own-schema.ts';
import type { ImportedRollout } from '../../formats/rollouts/shape/imported.ts';
import type { RunFile } from '../../formats/rollouts/run.ts';
import type { JudgeOutcome } from '../../evaluate/judge/run.ts';
import { compileFilter } from '../../evaluate/rollouts/filter/match.ts';
import { parseFilter } from '../../evaluate/rollouts/filter/parse.ts';
import { gunzip } from '../storage/blobs.ts';
import type { RolloutsDatabase } from './database.ts';
import { writeFile, type ImportOptions } from './import-file.ts';
import { writeVerdicts } from './verdicts.ts';

const emptyMark = (file: string, rollout: string): Mark => ({
  file,
  rollout,
  bookmarked: false,
  tags: [],
  note: '',
});

/** Tags as a row shows them. */
export const tagsOf = ({ bookmarked, tags }: Mark): string[] =>
  bookmarked ? [BOOKMARK, ...tags] : [...tags];

/** Imported rollout files and what the reader noted on them. */
export interface StoreImportOptions extends ImportOptions {
  /** Id of the file; what had that id is replaced. */
  id?: string;
}

export class RolloutsStore {
  readonly #database: RolloutsDatabase;
  readonly #now: () => string;
  /** The chunk that was read last: readers go from one rollout to the next. */
  #last: { key: string; rollouts: ImportedRollout[] } | null = null;

  constructor(database: RolloutsDatabase, now = () => new Date().toISOString()) {
    this.#database = database;
    this.#now = now;
  }

  /** To be called once, before any import: files whose import a closed page broke off are marked so. */
  async recover(): Promise<void> {
    await this.#database.files
      .filter(({ status }) => status === 'importing')
      .modify({ status: 'interrupted' });
  }

  /**
   * Imports a file, or the files of a run as one; nothing of it stays where that fails or is stopped.
   * @throws ImportError where there is no rollout, the signal's reason where it was stopped
   */
  async importFile(
    source: Blob | readonly RunFile[],
    name: string,
    options: StoreImportOptions = {},
  ): Promise<FileRecord> {
    const files = source instanceof Blob ? [{ name, blob: source }] : source;
    if (options.id !== undefined) await this.#erase(options.id);
    const record: FileRecord = {
      id: options.id ?? crypto.randomUUID(),
      name,
      ...(files.length > 1 && { files: files.length }),
      bytes: files.reduce((sum, { blob }) => sum + blob.size, 0),
      readBytes: 0,
      importedAt: this.#now(),
      status: 'importing',
      layouts: {},
      rollouts: 0,
      faultCount: 0,
      faults: [],
      statistics: null,
      lint: {},
      deletedAt: null,
    };
    try {
      await writeFile(this.#database, record, files, options);
    } catch (error) {
      await this.#erase(record.id);
      throw error;
    }
    return record;
  }

  /** Files that are not deleted, the latest first. */
  async files(): Promise<FileRecord[]> {
    const all = await this.#database.files.toArray();
    return all
      .filter(({ deletedAt }) => deletedAt === null)
      .sort((a, b) => b.importedAt.localeCompare(a.importedAt));
  }

  /** A file's record, deleted or not; null where there is none. */
  async file(fileId: string): Promise<FileRecord | null> {
    return (await this.#database.files.get(fileId)) ?? null;
  }

  /** Rows in the file's order, with the reader's tags; a bookmark is the tag `★`. @param from first chunk, for what is new */
  async rows(fileId: string, from = 0): Promise<StoredRow[]> {
    const { rows, files, marks } = this.#database;
    const chunks = await rows
      .where('[fileId+chunk]')
      .between([fileId, from], [fileId, Infinity])
      .toArray();
    const file = await files.get(fileId);
    const noted = file ? await marks.where({ file: file.name }).toArray() : [];
    const tags = new Map(noted.map((mark) => [mark.rollout, tagsOf(mark)]));
    return chunks.flatMap((chunk) =>
      chunk.rows.map((stored) => {
        const own = tags.get(stored.row.id);
        return own ? { ...stored, row: { ...stored.row, tags: own } } : stored;
      }),
    );
  }

  /** @throws Error where the file has no such rollout, or what is stored is none */
  async rollout(fileId: string, { chunk, index }: RolloutPlace): Promise<ImportedRollout> {
    const found = (await this.#chunk(fileId, chunk))[index];
    if (!found) throw new Error(`there is no rollout ${index} in part ${chunk} of this file`);
    return found;
  }

  /** The rollouts of a file as they are kept, part by part: a line of JSON each. */
  async *parts(fileId: string): AsyncGenerator<string[], void, void> {
    const keys = await this.#database.bodies.where({ fileId }).primaryKeys();
    for (const [, chunk] of keys.sort(([, a], [, b]) => a - b))
      yield await this.#lines(fileId, chunk);
  }

  async #lines(fileId: string, chunk: number): Promise<string[]> {
    const stored = await this.#database.bodies.get([fileId, chunk]);
    if (!stored) throw new Error(`part ${chunk} of this file is not stored`);
    return new TextDecoder().decode(await gunzip(stored.gz)).split('\n');
  }

  async #chunk(fileId: string, chunk: number): Promise<ImportedRollout[]> {
    const key = `${fileId}/${chunk}`;
    if (this.#last?.key === key) return this.#last.rollouts;
    const rollouts = (await this.#lines(fileId, chunk)).map((line): ImportedRollout => {
      const value: unknown = JSON.parse(line);
      // Another version of the page may have written it.
      if (!isImportedRollout(value)) throw new Error(`part ${chunk} of this file is damaged`);
      return value;
    });
    this.#last = { key, rollouts };
    return rollouts;
  }

  /**
   * Rows that pass a filter, in order; texts are read only where the rows do not decide.
   * @throws FilterError for a filter that cannot be read, the signal's reason where it was stopped
   */
  async select(fileId: string, filter: string, signal?: AbortSignal): Promise<StoredRow[]> {
    const rows = await this.rows(fileId);
    return (await this.positions(fileId, rows, filter, signal)).map((at) => rows[at]!);
  }

  /** Positions of the rows that pass a filter; as `select`, of rows that are available. */
  async positions(
    fileId: string,
    rows: readonly StoredRow[],
    filter: string,
    signal?: AbortSignal,
  ): Promise<number[]> {
    const compiled = compileFilter(parseFilter(filter));
    const passing: number[] = [];
    for (const [at, stored] of rows.entries()) {
      signal?.throwIfAborted();
      const verdict = compiled.row(stored.row);
      if (verdict === false) continue;
      if (verdict || compiled.rollout(stored.row, await this.rollout(fileId, stored)))
        passing.push(at);
    }
    return passing;
  }

  /** Writes a judge's verdicts into the rollouts of a file. @throws Error where there is no such file */
  async keepVerdicts(fileId: string, by: string, outcomes: readonly JudgeOutcome[]): Promise<void> {
    const file = await this.file(fileId);
    if (!file) throw new Error('This file is not here any more; open it again.');
    const rows = await this.rows(fileId);
    const rollout = (place: RolloutPlace): Promise<ImportedRollout> => this.rollout(fileId, place);
    const stored = { database: this.#database, file, rows, rollout };
    try {
      await writeVerdicts(stored, by, outcomes, this.#now());
    } finally {
      this.#last = null;
    }
  }

  /** Hides a file; `restore` brings it back, `purge` removes it for good. */
  async remove(fileId: string): Promise<void> {
    await this.#database.files.update(fileId, { deletedAt: this.#now() });
  }

  /** @throws Error where it was removed for good */
  async restore(fileId: string): Promise<void> {
    const found = await this.#database.files.update(fileId, { deletedAt: null });
    if (found === 0) throw new Error('It was removed for good meanwhile.');
  }

  /** Removes deleted files for good. @param before only those deleted before this time, ISO */
  async purge(before?: string): Promise<void> {
    const all = await this.#database.files.toArray();
    for (const { id, deletedAt } of all)
      if (deletedAt !== null && (before === undefined || deletedAt < before)) await this.#erase(id);
  }

  async #erase(fileId: string): Promise<void> {
    const { files, rows, bodies } = this.#database;
    await this.#database.transaction('rw', files, rows, bodies, async () => {
      await rows.where({ fileId }).delete();
      await bodies.where({ fileId }).delete();
      await files.delete(fileId);
    });
    if (this.#last?.key.startsWith(`${fileId}/`)) this.#last = null;
  }

  /** Notes of a file by its name; rollouts without any are left out. */
  marks(file: string): Promise<Mark[]> {
    return this.#database.marks.where({ file }).toArray();
  }

  /** Changes what is noted on a rollout. */
  async mark(
    file: string,
    rollout: string,
    change: Partial<Pick<Mark, 'bookmarked' | 'tags' | 'note'>>,
  ): Promise<Mark> {
    const { marks } = this.#database;
    return this.#database.transaction('rw', marks, async () => {
      const old = (await marks.get([file, rollout])) ?? emptyMark(file, rollout);
      const mark = { ...old, ...change };
      const empty = !mark.bookmarked && mark.tags.length === 0 && mark.note === '';
      if (empty) await marks.delete([file, rollout]);
      else await marks.put(mark);
      return mark;
    });
  }

  views(): Promise<SavedView[]> {
    return this.#database.views.toArray();
  }

  async saveView(view: SavedView): Promise<void> {
    await this.#database.views.put(view);
  }

  async removeView(name: string): Promise<void> {
    await this.#database.views.delete(name);
  }
}

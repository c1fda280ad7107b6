import type { Mark, StoredRow } from '../contract/records/rollout-files.ts';
import { tagsOf, type RolloutsStore } from './store.ts';

/** Rows of the files that were asked for last, in memory: sorting and filtering read nothing again. */

const KEPT = 3;

interface Table {
  /** Of the file: marks go by it. */
  name: string;
  rows: StoredRow[];
  /** Position by rollout id, the first of equal ones. */
  positions: Map<string, number>;
  /** First chunk that was not read yet. */
  next: number;
  /** Whether a file that is still being read may have more. */
  open: boolean;
}

export class RowTables {
  readonly #store: RolloutsStore;
  readonly #tables = new Map<string, Table>();
  readonly #reading = new Map<string, Promise<Table>>();

  constructor(store: RolloutsStore) {
    this.#store = store;
  }

  /** A file that is replaced is read again. */
  forget(fileId: string): void {
    this.#tables.delete(fileId);
  }

  /** Tags are in the rows of every file of that name. */
  retag(mark: Mark): void {
    const tags = tagsOf(mark);
    for (const table of this.#tables.values()) {
      if (table.name !== mark.file) continue;
      table.rows = table.rows.map((stored) =>
        stored.row.id === mark.rollout ? { ...stored, row: { ...stored.row, tags } } : stored,
      );
    }
  }

  /** One reader of a file at a time: two would both add the rows that are new. */
  #table(fileId: string): Promise<Table> {
    const before = this.#reading.get(fileId) ?? Promise.resolve();
    const reading = before.catch(() => undefined).then(() => this.#read(fileId));
    this.#reading.set(fileId, reading);
    return reading;
  }

  async #read(fileId: string): Promise<Table> {
    let table = this.#tables.get(fileId);
    const file = await this.#store.file(fileId);
    const open = file?.status === 'importing';
    // The checks over the whole file label rows that were read before.
    if (!table || (table.open && !open))
      table = { name: file?.name ?? '', rows: [], positions: new Map(), next: 0, open };
    this.#tables.delete(fileId);
    this.#tables.set(fileId, table);
    for (const key of this.#tables.keys()) if (this.#tables.size > KEPT) this.#tables.delete(key);
    if (table.next > 0 && !open) return table;
    const fresh = await this.#store.rows(fileId, table.next);
    if (fresh.length === 0) return table;
    // A new list: who looks at the one before sees it as it was.
    table.rows = [...table.rows, ...fresh];
    for (let at = table.rows.length - fresh.length; at < table.rows.length; at++) {
      const { id } = table.rows[at]!.row;
      if (!table.positions.has(id)) table.positions.set(id, at);
    }
    table.next = fresh.at(-1)!.chunk + 1;
    return table;
  }

  /** All rows of a file, as far as it is read; not to be changed. */
  async rows(fileId: string): Promise<readonly StoredRow[]> {
    return (await this.#table(fileId)).rows;
  }

  /** Position of a rollout; null where the file has none of that id. */
  async position(fileId: string, rolloutId: string): Promise<number | null> {
    return (await this.#table(fileId)).positions.get(rolloutId) ?? null;
  }
}

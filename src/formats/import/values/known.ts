/** What an item's id stands for already. */
type IdOrigin = 'here' | 'elsewhere' | null;

interface Entry {
  id: string;
  hash: string;
  /** Name of the file that gave it. */
  file: string;
}

/** Ids and content hashes of one kind of item, in both directions. */
class ItemIndex {
  readonly #byHash = new Map<string, Entry>();
  readonly #byId = new Map<string, Entry>();
  bytes = 0;

  get size(): number {
    return this.#byId.size;
  }

  add(id: string, hash: string, file: string): void {
    const entry = { id, hash, file };
    this.#byHash.set(hash, entry);
    this.#byId.set(id, entry);
    this.bytes += ENTRY_BYTES + id.length + hash.length;
  }

  idOf = (hash: string): string | undefined => this.#byHash.get(hash)?.id;

  taken(id: string, file: string): IdOrigin {
    const entry = this.#byId.get(id);
    if (!entry) return null;
    return entry.file === file ? 'here' : 'elsewhere';
  }
}

/** Two table entries, an object and the heads of two strings, as V8 lays them out. */
const ENTRY_BYTES = 160;

/**
 * What is there already: what was imported before, and what the file available gave so far. Handed on
 * from file to file of one collection, so that duplicates are found over all of them.
 */
export class KnownItems {
  readonly passages = new ItemIndex();
  readonly questions = new ItemIndex();
  /** The file that is read now, by any name that no other has. */
  file = '';

  /** Memory that it holds, ≈: grows with the number of items, not with their length. */
  get bytes(): number {
    return this.passages.bytes + this.questions.bytes;
  }
}

/** An id for an item of `file`: one that another file's item has gets the beginning of the content's hash. */
export const freeId = (ledger: ItemIndex, file: string, id: string, hash: string): string =>
  ledger.taken(id, file) === 'elsewhere' ? `${id}~${hash.slice(0, 8)}` : id;

/** What an item's id stands for already. */
export type Taken = 'here' | 'elsewhere' | null;

interface Entry {
  id: string;
  hash: string;
  /** Whether an earlier file gave it. */
  elsewhere: boolean;
}

/** Ids and content hashes of one kind of item, in both directions. */
class Ledger {
  readonly #byHash = new Map<string, Entry>();
  readonly #byId = new Map<string, Entry>();
  bytes = 0;

  get size(): number {
    return this.#byId.size;
  }

  add(id: string, hash: string, elsewhere: boolean): void {
    const entry = { id, hash, elsewhere };
    this.#byHash.set(hash, entry);
    this.#byId.set(id, entry);
    this.bytes += ENTRY_BYTES + id.length + hash.length;
  }

  idOf = (hash: string): string | undefined => this.#byHash.get(hash)?.id;

  taken(id: string): Taken {
    const entry = this.#byId.get(id);
    if (!entry) return null;
    return entry.elsewhere ? 'elsewhere' : 'here';
  }
}

/** Two table entries, an object and the heads of two strings, as V8 lays them out. */
const ENTRY_BYTES = 160;

/**
 * What is there already: what was imported before, and what the file at hand gave so far. Handed on
 * from file to file of one collection, so that duplicates are found over all of them.
 */
export class KnownItems {
  readonly passages = new Ledger();
  readonly questions = new Ledger();

  /** Memory that it holds, ≈: grows with the number of items, not with their length. */
  get bytes(): number {
    return this.passages.bytes + this.questions.bytes;
  }
}

/** An id that no one has: that of another file's item gets the beginning of the content's hash. */
export const freeId = (ledger: Ledger, id: string, hash: string): string =>
  ledger.taken(id) === 'elsewhere' ? `${id}~${hash.slice(0, 8)}` : id;

import { Dexie, type EntityTable } from 'dexie';
import type { LearnedSampling } from '../../retrieval/cluster/cluster-index.ts';
import { learnedSchema, type LearnedCache } from '../../retrieval/cluster/learned.ts';

/** What indexes of clusters learned, on this device: small rows in a database that may be cleared. */

interface LearnedRow {
  name: string;
  /** `LearnedSampling`; validated when it is read. */
  learned: unknown;
  /** Milliseconds since 1970 of its last change. */
  at: number;
}

class LearnedDatabase extends Dexie {
  learned!: EntityTable<LearnedRow, 'name'>;

  constructor(name: string, options: ConstructorParameters<typeof Dexie>[1]) {
    super(name, options);
    this.version(1).stores({ learned: 'name, at' });
  }
}

export interface LearnedStoreOptions {
  name?: string;
  now?: () => number;
  /** Milliseconds from a query to the writing, so that many are written at once. */
  delayMs?: number;
  dexie?: ConstructorParameters<typeof Dexie>[1];
}

/** Indexes whose learning is kept; a row of 5,000 clusters is 80 kB. */
const KEPT = 64;

export class LearnedStore implements LearnedCache {
  readonly #database: LearnedDatabase;
  readonly #now: () => number;
  readonly #delayMs: number;
  /** What waits to be written, by name. */
  readonly #waiting = new Map<string, () => LearnedSampling>();
  #writing: Promise<void> | null = null;

  constructor(options: LearnedStoreOptions = {}) {
    const { name = 'forage-learned', now = Date.now, delayMs = 500, dexie } = options;
    this.#database = new LearnedDatabase(name, dexie);
    this.#now = now;
    this.#delayMs = delayMs;
  }

  /** What cannot be read is not known: the index restarts. */
  async read(name: string): Promise<LearnedSampling | null> {
    await this.#writing;
    try {
      const parsed = learnedSchema.safeParse((await this.#database.learned.get(name))?.learned);
      return parsed.success ? parsed.data : null;
    } catch {
      return null;
    }
  }

  keep(name: string, learned: () => LearnedSampling): void {
    this.#waiting.set(name, learned);
    this.#writing ??= this.#writeSoon();
  }

  close(): void {
    this.#database.close();
  }

  async #writeSoon(): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, this.#delayMs));
    const rows = [...this.#waiting].map(([name, learned]) => ({
      name,
      learned: learned(),
      at: this.#now(),
    }));
    this.#waiting.clear();
    this.#writing = null;
    const { learned } = this.#database;
    try {
      await learned.bulkPut(rows);
      const over = (await learned.count()) - KEPT;
      if (over > 0) await learned.orderBy('at').limit(over).delete();
    } catch {
      // Storage is full or closed: what was learned lives as long as the index.
    }
  }
}

import { Dexie, type EntityTable, type Table } from 'dexie';
import type { VectorTable } from '../../retrieval/dense/dense.ts';
import type { VectorCache } from '../../retrieval/vector-cache.ts';

/** Vectors of passages on this device: a cache, in a database of its own that may be cleared. */

interface VectorRow {
  encoder: string;
  /** Hash of the text. */
  key: string;
  /** Little-endian float32. */
  vector: ArrayBuffer;
}

/** What is kept of one encoder. */
interface EncoderRow {
  encoder: string;
  bytes: number;
  vectors: number;
  /** Milliseconds since 1970 of its last use. */
  usedAt: number;
}

class VectorDatabase extends Dexie {
  vectors!: Table<VectorRow, [string, string]>;
  encoders!: EntityTable<EncoderRow, 'encoder'>;

  constructor(name: string, options: ConstructorParameters<typeof Dexie>[1]) {
    super(name, options);
    this.version(1).stores({ vectors: '[encoder+key], encoder', encoders: 'encoder, usedAt' });
  }
}

export interface VectorStoreOptions {
  name?: string;
  /** Bytes of vectors; above it, those of the encoder that was not used for longest go. */
  limitBytes?: number;
  now?: () => number;
  dexie?: ConstructorParameters<typeof Dexie>[1];
}

/** 100,000 passages at 768 dimensions are 0.3 GB. */
const LIMIT_BYTES = 1e9;

export class VectorStore implements VectorCache {
  readonly #database: VectorDatabase;
  readonly #limitBytes: number;
  readonly #now: () => number;

  constructor(options: VectorStoreOptions = {}) {
    const { name = 'forage-vectors', limitBytes = LIMIT_BYTES, now = Date.now, dexie } = options;
    this.#database = new VectorDatabase(name, dexie);
    this.#limitBytes = limitBytes;
    this.#now = now;
  }

  /** What cannot be read is not known: it is encoded again. */
  async read(encoder: string, keys: readonly string[]): Promise<(Float32Array | undefined)[]> {
    try {
      const rows = await this.#database.vectors.bulkGet(
        keys.map((key): [string, string] => [encoder, key]),
      );
      if (rows.some(Boolean))
        await this.#database.encoders.update(encoder, { usedAt: this.#now() });
      return rows.map((row) => row && new Float32Array(row.vector));
    } catch {
      return keys.map(() => undefined);
    }
  }

  /** A full or closed storage costs only the next encoding. */
  async write(encoder: string, keys: readonly string[], table: VectorTable): Promise<void> {
    const { dimensions, values } = table;
    const rows = keys.map((key, i) => ({
      encoder,
      key,
      vector: values.slice(i * dimensions, (i + 1) * dimensions).buffer,
    }));
    const { vectors, encoders } = this.#database;
    try {
      await this.#database.transaction('rw', vectors, encoders, async () => {
        const known = await vectors.bulkGet(
          rows.map(({ key }): [string, string] => [encoder, key]),
        );
        const fresh = rows.filter((_, i) => known[i] === undefined);
        await vectors.bulkPut(fresh);
        const before = await encoders.get(encoder);
        await encoders.put({
          encoder,
          bytes: (before?.bytes ?? 0) + fresh.length * dimensions * 4,
          vectors: (before?.vectors ?? 0) + fresh.length,
          usedAt: this.#now(),
        });
      });
      await this.#makeRoom(encoder);
    } catch {
      // Nothing of a transaction that fails is kept.
    }
  }

  /** Bytes and number of vectors that are kept. */
  async usage(): Promise<{ bytes: number; vectors: number }> {
    const rows = await this.#database.encoders.toArray();
    return {
      bytes: rows.reduce((sum, { bytes }) => sum + bytes, 0),
      vectors: rows.reduce((sum, { vectors }) => sum + vectors, 0),
    };
  }

  async clear(): Promise<void> {
    const { vectors, encoders } = this.#database;
    await this.#database.transaction('rw', vectors, encoders, async () => {
      await vectors.clear();
      await encoders.clear();
    });
  }

  close(): void {
    this.#database.close();
  }

  /** The encoder that is being used stays, however large. */
  async #makeRoom(current: string): Promise<void> {
    const { vectors, encoders } = this.#database;
    let { bytes } = await this.usage();
    for (const row of await encoders.orderBy('usedAt').toArray()) {
      if (bytes <= this.#limitBytes) return;
      if (row.encoder === current) continue;
      await this.#database.transaction('rw', vectors, encoders, async () => {
        await vectors.where('encoder').equals(row.encoder).delete();
        await encoders.delete(row.encoder);
      });
      bytes -= row.bytes;
    }
  }
}

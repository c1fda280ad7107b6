import { type Dexie, type EntityTable } from 'dexie';
import { SiteDatabase } from '../storage/site-database.ts';
import type { FetchFile } from '../../base/fetch-file.ts';
import { ENCODER_MANIFEST, RERANKER_MANIFEST } from '../../retrieval/encoder/manifest.ts';
import { sha256 } from '../../base/hash.ts';
import type { BlobStore } from '../storage/blobs.ts';
import type { EncoderFacts } from '../contract/encoders.ts';

interface StoredFile {
  name: string;
  path: string;
  bytes: number;
  /** SHA-256, hex. */
  hash: string;
}

interface EncoderRecord extends EncoderFacts {
  files: StoredFile[];
  removed: 0 | 1;
  /** When it was removed, ISO; null while it is not. */
  removedAt: string | null;
}

class EncoderDatabase extends SiteDatabase {
  encoders!: EntityTable<EncoderRecord, 'id'>;

  constructor(name: string, options: ConstructorParameters<typeof Dexie>[1]) {
    super(name, options);
    this.version(1).stores({ encoders: 'id, removed' });
  }
}

const FOLDER = 'encoders';

/**
 * Folders of encoders on this device: records in a database, files beside it. A folder is there when
 * its record is: files come first.
 */
export class EncoderStore {
  readonly #database: EncoderDatabase;
  readonly #blobs: BlobStore;

  constructor(
    blobs: BlobStore,
    options: { name?: string; dexie?: ConstructorParameters<typeof Dexie>[1] } = {},
  ) {
    this.#blobs = blobs;
    this.#database = new EncoderDatabase(options.name ?? 'forage-encoders', options.dexie);
  }

  async list(): Promise<EncoderFacts[]> {
    const records = await this.#database.encoders.where('removed').equals(0).toArray();
    return records
      .sort((a, b) => a.addedAt - b.addedAt)
      .map(({ files: _files, removed: _removed, removedAt: _at, ...facts }) => facts);
  }

  /** Stores the files under their names; what is there under this id already is replaced. */
  async add(facts: EncoderFacts, files: ReadonlyMap<string, Uint8Array>): Promise<void> {
    const folder = `${FOLDER}/${crypto.randomUUID()}`;
    const stored: StoredFile[] = [];
    try {
      for (const [name, bytes] of files) {
        const path = `${folder}/${stored.length}`;
        await this.#blobs.write(path, bytes);
        stored.push({ name, path, bytes: bytes.length, hash: await sha256(bytes) });
      }
    } catch (cause) {
      await this.#blobs.remove(folder);
      throw new Error(`${facts.id} could not be stored; nothing of it was kept. Is storage full?`, {
        cause,
      });
    }
    const before = await this.#database.encoders.get(facts.id);
    await this.#database.encoders.put({ ...facts, files: stored, removed: 0, removedAt: null });
    if (before) await this.#removeFiles(before);
  }

  /**
   * Reads the files of a folder, each checked against its hash.
   * @throws Error where there is no such encoder, or a file is damaged
   */
  async open(id: string): Promise<FetchFile> {
    const record = await this.#database.encoders.get(id);
    if (!record || record.removed)
      throw new Error(
        `There is no encoder "${id}" on this device; add its folder on Models, or choose another one on Corpus.`,
      );
    return async (name) => {
      const file = record.files.find((one) => one.name === name);
      if (!file) throw new Error(`${name}: not among the files of ${id}`);
      const bytes = await this.#blobs.read(file.path);
      if ((await sha256(bytes)) !== file.hash)
        throw new Error(`${name} of ${id} is damaged on this device; add its folder again.`);
      return bytes;
    };
  }

  async remove(id: string): Promise<void> {
    await this.#database.encoders.update(id, {
      removed: 1,
      removedAt: new Date().toISOString(),
    });
  }

  /** @throws Error where it was removed for good */
  async restore(id: string): Promise<void> {
    const found = await this.#database.encoders.update(id, { removed: 0, removedAt: null });
    if (found === 0) throw new Error(`"${id}" was removed for good meanwhile.`);
  }

  /** Deletes for good what was removed before a time, ISO. */
  async purge(before: string): Promise<void> {
    const removed = await this.#database.encoders.where('removed').equals(1).toArray();
    for (const encoder of removed) {
      if (encoder.removedAt !== null && encoder.removedAt > before) continue;
      await this.#database.encoders.delete(encoder.id);
      await this.#removeFiles(encoder);
    }
  }

  /** Deletes files that no record names. At a start. */
  async sweep(): Promise<void> {
    const named = new Set(
      (await this.#database.encoders.toArray()).flatMap(({ files }) => files.map((f) => f.path)),
    );
    for (const { path } of await this.#blobs.list(FOLDER))
      if (!named.has(path)) await this.#blobs.remove(path);
  }

  async #removeFiles({ files }: EncoderRecord): Promise<void> {
    for (const { path } of files) await this.#blobs.remove(path);
  }
}

/** The name of the manifest of each kind of folder. */
export const MANIFEST_OF = { encoder: ENCODER_MANIFEST, reranker: RERANKER_MANIFEST } as const;

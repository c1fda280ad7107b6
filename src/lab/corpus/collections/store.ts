import type { CollectionView, Item } from '../../contract/collections.ts';
import type {
  ImportedQuestion,
  Rejection,
  ImportedPassage,
} from '../../../formats/import/values/types.ts';
import type { Passage } from '../../../records/records.ts';
import { chunkRange, CollectionsDatabase, type BodyChunk } from './passages/database.ts';
import {
  type CollectionRecord,
  type ItemKind,
  readCollections,
  readImports,
  KEPT_SOURCES,
  type Source,
} from '../../contract/records/collections.ts';
import { hashKeys, NO_HASH, unpackHashes } from './passages/hashes.ts';
import { unpackPassages, unpackQuestions } from './passages/items.ts';
import { CollectionBusy } from './passages/errors.ts';
import { bodyChunks, chunkAt, indexChunks, passagesIn, questionsIn } from './passages/read.ts';
import { questionHash } from '../../../formats/import/values/hash.ts';
import { freeId, KnownItems } from '../../../formats/import/values/known.ts';
import { addTo } from './passages/write.ts';

/**
 * A question in FlashRAG's layout. Read back it has its id, text, answers, task, type, level, supporting
 * titles and the triples of its chain; the passages of the chain are not part of it.
 */
const flashrag = (question: ImportedQuestion): object => {
  const { id, text, answers, supporting, chain, options, mayRetrieve, summary } = question;
  const type = question.sourceType ?? question.type;
  const triples = chain?.filter(({ subject, relation }) => subject !== '' && relation !== '');
  return {
    id,
    question: text,
    golden_answers: answers,
    options,
    mayRetrieve,
    summary,
    metadata: {
      type,
      level: question.difficulty,
      ...(supporting.length > 0 && { supporting_facts: { title: supporting } }),
      ...(triples?.length && {
        evidences: triples.map(({ subject, relation, object }) => [subject, relation, object]),
      }),
    },
  };
};

/** The items of a chunk as JSON lines, each ended. */
export async function exportLines(kind: ItemKind, gz: Uint8Array): Promise<string> {
  const values =
    kind === 'passages'
      ? (await unpackPassages(gz)).map(({ id, title, text, sentences }) => ({
          id,
          title,
          text,
          sentences,
        }))
      : (await unpackQuestions(gz)).map(flashrag);
  return values.map((value) => `${JSON.stringify(value)}\n`).join('');
}

interface MergeOptions {
  onProgress?: (done: number, total: number) => void;
  signal?: AbortSignal;
  now: () => string;
}

/** Adds what `sources` hold to `target`: each content once, each under an id of its own. */
async function mergeInto(
  db: CollectionsDatabase,
  target: CollectionRecord,
  sources: readonly CollectionRecord[],
  { onProgress, signal, now }: MergeOptions,
): Promise<void> {
  const known = new KnownItems();
  const total = sources.reduce((sum, { passages, questions }) => sum + passages + questions, 0);
  let done = 0;
  const add = async (
    items: { passages?: ImportedPassage[]; questions?: ImportedQuestion[] },
    read: number,
  ): Promise<void> => {
    signal?.throwIfAborted();
    const { passages = [], questions = [] } = items;
    const duplicates = read - passages.length - questions.length;
    const addition = { passages, questions, duplicates, rejected: [], import: null };
    await addTo(db, target.id, addition, now());
    done += read;
    onProgress?.(done, total);
  };
  for (const source of sources) {
    known.file = source.id;
    // Ids that had to change, for the chains of the source's questions.
    const renamed = new Map<string, string>();
    const hashes = indexChunks(db, source.id, 'passages');
    for await (const chunk of passagesIn(db, source.id)) {
      const { value } = await hashes.next();
      const own = [...unpackHashes(value?.hashes ?? new Uint8Array())];
      const passages = chunk.flatMap((passage, i) => takePassage(known, passage, own[i]!, renamed));
      await add({ passages }, chunk.length);
    }
    for await (const chunk of questionsIn(db, source.id)) {
      const taken = await Promise.all(chunk.map((q) => takeQuestion(known, q, renamed)));
      await add({ questions: taken.flat() }, chunk.length);
    }
  }
  const files: Source[] = sources.flatMap((source) => source.sources);
  await db.collections.update(target.id, {
    sources: files.slice(0, KEPT_SOURCES),
    sourceCount: sources.reduce((sum, { sourceCount }) => sum + sourceCount, 0),
  });
}

function takePassage(
  { passages, file }: KnownItems,
  passage: Passage,
  hash: string,
  renamed: Map<string, string>,
): ImportedPassage[] {
  const same = passages.idOf(hash);
  const id = same ?? freeId(passages, file, passage.id, hash);
  if (id !== passage.id) renamed.set(passage.id, id);
  if (same !== undefined) return [];
  passages.add(id, hash, file);
  return [{ passage: { ...passage, id }, hash }];
}

async function takeQuestion(
  { questions, file }: KnownItems,
  question: ImportedQuestion,
  renamed: ReadonlyMap<string, string>,
): Promise<ImportedQuestion[]> {
  const hash = await questionHash(question.text, question.answers);
  const same = questions.idOf(hash);
  if (same !== undefined && questions.taken(same, file) === 'elsewhere') return [];
  const id = freeId(questions, file, question.id, hash);
  questions.add(id, hash, file);
  const chain = question.chain?.map((step) => ({
    ...step,
    passageId: renamed.get(step.passageId) ?? step.passageId,
  }));
  return [{ ...question, id, ...(chain && { chain }) }];
}

/** Unpacked chunks that are kept: a list that is scrolled reads its neighbours. */
const CACHED_CHUNKS = 4;

/**
 * One tab at a time writes a collection: it holds the collection's lock meanwhile. The browser lets go
 * of it when the tab dies, however it dies, so an open import without a lock was interrupted.
 */
export interface CollectionLocks {
  /** @throws CollectionBusy where another tab holds it */
  hold<T>(collectionId: string, work: () => Promise<T>): Promise<T>;
  /** Collections that some tab of this browser is writing. */
  held(): Promise<ReadonlySet<string>>;
}

const PREFIX = 'forage-collection-';

const webLocks = (locks: LockManager): CollectionLocks => ({
  hold: async (collectionId, work) =>
    locks.request(`${PREFIX}${collectionId}`, { ifAvailable: true }, (lock) => {
      if (!lock) throw new CollectionBusy();
      return work();
    }),
  held: async () => {
    const { held = [] } = await locks.query();
    return new Set(
      held.flatMap(({ name }) => (name?.startsWith(PREFIX) ? [name.slice(PREFIX.length)] : [])),
    );
  },
});

/** Passages and questions that were imported: reading, renaming, merging, deleting. */
export class CollectionStore {
  readonly db: CollectionsDatabase;
  readonly locks: CollectionLocks;
  readonly now: () => string;
  readonly #chunks = new Map<string, Item[]>();

  constructor(
    db: CollectionsDatabase,
    locks: CollectionLocks,
    now = () => new Date().toISOString(),
  ) {
    this.db = db;
    this.locks = locks;
    this.now = now;
  }

  /** Collections that are not deleted, the latest first. */
  async list(): Promise<CollectionView[]> {
    const [rows, imports, held] = await Promise.all([
      this.db.collections.toArray(),
      this.db.imports.toArray(),
      this.locks.held(),
    ]);
    const unfinished = readImports(imports).filter(({ status }) => status !== 'done');
    return readCollections(rows)
      .filter(({ deletedAt, state }) => deletedAt === null && state === 'ready')
      .sort((a, b) => b.createdAt.localeCompare(a.createdAt) || a.id.localeCompare(b.id))
      .map((record) => ({
        ...record,
        unfinished: unfinished.filter(({ collectionId }) => collectionId === record.id),
        busy: held.has(record.id),
      }));
  }

  /** @throws Error where there is no such collection, or it is deleted */
  async get(id: string): Promise<CollectionRecord> {
    const row: unknown = await this.db.collections.get(id);
    const [record] = readCollections(row === undefined ? [] : [row]);
    if (!record || record.deletedAt !== null)
      throw new Error('There is no such collection in this browser.');
    return record;
  }

  /** An empty collection. */
  async create(
    name: string,
    state: CollectionRecord['state'] = 'ready',
  ): Promise<CollectionRecord> {
    const now = this.now();
    const record: CollectionRecord = {
      format: 'forage.collection/1',
      id: crypto.randomUUID(),
      name,
      createdAt: now,
      updatedAt: now,
      state,
      passages: 0,
      questions: 0,
      storedBytes: 0,
      characters: 0,
      hash: NO_HASH,
      duplicates: 0,
      rejected: 0,
      sources: [],
      sourceCount: 0,
      shared: [],
      deletedAt: null,
    };
    await this.db.collections.add(record);
    return record;
  }

  async rename(id: string, name: string): Promise<void> {
    await this.db.collections.update(id, { name, updatedAt: this.now() });
  }

  /** Hides a collection; `restore` brings it back, `purge` removes it for good. */
  async remove(id: string): Promise<void> {
    await this.db.collections.update(id, { deletedAt: this.now() });
  }

  /** @throws Error where it was removed for good */
  async restore(id: string): Promise<void> {
    const found = await this.db.collections.update(id, { deletedAt: null });
    if (found === 0) throw new Error('It was removed for good meanwhile.');
  }

  /**
   * Removes for good what was deleted, and merges that a closed tab left half-built.
   * @param before only what was deleted before this time, ISO
   */
  async purge(before?: string): Promise<void> {
    const held = await this.locks.held();
    for (const { id, deletedAt, state } of readCollections(await this.db.collections.toArray())) {
      const gone = deletedAt !== null && (before === undefined || deletedAt < before);
      if ((gone || state === 'building') && !held.has(id)) await this.erase(id);
    }
  }

  async erase(collectionId: string): Promise<void> {
    const { collections, imports, rejected, bodies, index } = this.db;
    const tables = [collections, imports, rejected, bodies, index];
    await this.db.transaction('rw', tables, async () => {
      for (const kind of ['passages', 'questions'] as const) {
        const [from, to] = chunkRange(collectionId, kind);
        await bodies.where('[collectionId+kind+start]').between(from, to).delete();
        await index.where('[collectionId+kind+start]').between(from, to).delete();
      }
      await imports.where({ collectionId }).delete();
      await rejected.where({ collectionId }).delete();
      await collections.delete(collectionId);
    });
    this.#chunks.clear();
  }

  /**
   * Writes a new collection of all that several hold, each item once, and deletes these (which can be
   * undone).
   * @throws the signal's reason, CollectionStorageFull; the collections stay as they were then
   */
  async merge(
    ids: readonly string[],
    name: string,
    options: { onProgress?: (done: number, total: number) => void; signal?: AbortSignal } = {},
  ): Promise<CollectionRecord> {
    const sources = await Promise.all(ids.map((id) => this.get(id)));
    const target = await this.create(name, 'building');
    return this.locks.hold(target.id, async () => {
      try {
        await mergeInto(this.db, target, sources, { ...options, now: this.now });
        await this.countShared(target.id, ids);
      } catch (error) {
        await this.erase(target.id);
        throw error;
      }
      await this.db.transaction('rw', this.db.collections, async () => {
        await this.db.collections.update(target.id, { state: 'ready' });
        for (const id of ids) await this.remove(id);
      });
      return this.get(target.id);
    });
  }

  /** Counts the passages that other collections hold too. */
  async countShared(id: string, except: readonly string[] = []): Promise<void> {
    const own = new Set<bigint>();
    for await (const { hashes } of indexChunks(this.db, id, 'passages'))
      for (const key of hashKeys(hashes)) own.add(key);
    const shared: CollectionRecord['shared'] = [];
    for (const other of own.size === 0 ? [] : await this.list()) {
      if (other.id === id || except.includes(other.id)) continue;
      let passages = 0;
      for await (const { hashes } of indexChunks(this.db, other.id, 'passages'))
        for (const key of hashKeys(hashes)) if (own.has(key)) passages += 1;
      if (passages > 0) shared.push({ collectionId: other.id, passages });
    }
    await this.db.collections.update(id, { shared });
  }

  /** Items from a place on, at most `count`, in the order of import. */
  async items(id: string, kind: ItemKind, from: number, count: number): Promise<Item[]> {
    const found: Item[] = [];
    while (found.length < count) {
      const place = from + found.length;
      const chunk = await chunkAt(this.db, id, kind, place);
      if (!chunk) break;
      const items = await this.#unpacked(chunk);
      const start = place - chunk.start;
      found.push(...items.slice(start, start + count - found.length));
    }
    return found;
  }

  async #unpacked({ collectionId, kind, start, count, gz }: BodyChunk): Promise<Item[]> {
    const key = `${collectionId} ${kind} ${start}`;
    const cached = this.#chunks.get(key);
    if (cached) return cached;
    const items = kind === 'passages' ? await unpackPassages(gz) : await unpackQuestions(gz);
    if (items.length !== count) throw new Error('A part of this collection is damaged.');
    this.#chunks.set(key, items);
    const [oldest] = this.#chunks.keys();
    if (this.#chunks.size > CACHED_CHUNKS && oldest !== undefined) this.#chunks.delete(oldest);
    return items;
  }

  /**
   * Places of the items that hold every word of `filter`, in upper or lower case.
   * @throws the signal's reason where it was stopped
   */
  async find(id: string, kind: ItemKind, filter: string, signal?: AbortSignal): Promise<number[]> {
    const words = filter.toLowerCase().split(/\s+/u).filter(Boolean);
    const places: number[] = [];
    let place = 0;
    const take = (text: string): void => {
      const lower = text.toLowerCase();
      if (words.every((word) => lower.includes(word))) places.push(place);
      place += 1;
    };
    if (kind === 'passages')
      for await (const passages of passagesIn(this.db, id)) {
        signal?.throwIfAborted();
        for (const { title, text } of passages) take(`${title}\n${text}`);
      }
    else
      for await (const questions of questionsIn(this.db, id)) {
        signal?.throwIfAborted();
        for (const { text, answers } of questions) take(`${text}\n${answers.join('\n')}`);
      }
    return places;
  }

  /**
   * The passages of collections for a retriever, chunk by chunk: each content once, each under an id
   * that no other has.
   * @throws Error where a collection is missing or damaged
   */
  async *passagesOf(ids: readonly string[]): AsyncGenerator<Passage[], void> {
    for (const id of ids) await this.get(id);
    const hashesSeen = new Set<string>();
    const idsSeen = new Set<string>();
    for (const id of ids) {
      const hashes = indexChunks(this.db, id, 'passages');
      for await (const passages of passagesIn(this.db, id)) {
        const { value } = await hashes.next();
        const chunk = [...unpackHashes(value?.hashes ?? new Uint8Array())];
        const fresh = passages.flatMap((passage, i): Passage[] => {
          const hash = chunk[i] ?? passage.id;
          if (hashesSeen.has(hash)) return [];
          // One collection needs no memory of what it held: its own hashes differ.
          if (ids.length > 1) hashesSeen.add(hash);
          const own = idsSeen.has(passage.id) ? `${passage.id}~${hash.slice(0, 8)}` : passage.id;
          if (ids.length > 1) idsSeen.add(own);
          return [{ ...passage, id: own }];
        });
        if (fresh.length > 0) yield fresh;
      }
    }
  }

  /** The questions of collections, chunk by chunk. @throws Error where one is missing or damaged */
  async *questionsOf(ids: readonly string[]): AsyncGenerator<ImportedQuestion[], void> {
    for (const id of ids) {
      await this.get(id);
      yield* questionsIn(this.db, id);
    }
  }

  /** A question by its id; null where the collection has none. */
  async question(collectionId: string, id: string): Promise<ImportedQuestion | null> {
    for await (const { start, ids } of indexChunks(this.db, collectionId, 'questions')) {
      const at = ids.indexOf(id);
      if (at === -1) continue;
      const [question] = await this.items(collectionId, 'questions', start + at, 1);
      return (question as ImportedQuestion | undefined) ?? null;
    }
    return null;
  }

  /** The rejected items that are kept, with the file of each. */
  async rejected(collectionId: string): Promise<{ name: string; items: Rejection[] }[]> {
    const imports = readImports(await this.db.imports.where({ collectionId }).toArray());
    const names = new Map(imports.map(({ id, name }) => [id, name]));
    const rows = await this.db.rejected.where({ collectionId }).toArray();
    return rows.map(({ importId, items }) => ({ name: names.get(importId) ?? '', items }));
  }

  /** All items of a kind as JSON lines that Forage and FlashRAG read. */
  async export(id: string, kind: ItemKind): Promise<Blob> {
    await this.get(id);
    const parts: Blob[] = [];
    // A blob each: the browser may keep it on the disk.
    for await (const { gz } of bodyChunks(this.db, id, kind))
      parts.push(new Blob([await exportLines(kind, gz)]));
    return new Blob(parts, { type: 'application/jsonl' });
  }
}

/** The collections of this browser, for any worker of the page. */
export const openCollections = (): CollectionStore =>
  new CollectionStore(new CollectionsDatabase(), webLocks(navigator.locks));

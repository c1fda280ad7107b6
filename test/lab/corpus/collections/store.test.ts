import { IDBFactory, IDBKeyRange } from 'fake-indexeddb';
import { beforeEach, describe, expect, test } from 'vitest';
import { importAll } from '../../../../src/formats/import/collect.ts';
import { ImportError } from '../../../../src/formats/import/values/types.ts';
import type { Passage } from '../../../../src/records/records.ts';
import {
  CollectionBusy,
  CollectionStorageFull,
  MemoryLimitReached,
  OtherFile,
} from '../../../../src/lab/corpus/collections/passages/errors.ts';
import { CollectionsDatabase } from '../../../../src/lab/corpus/collections/passages/database.ts';
import { CollectionStore } from '../../../../src/lab/corpus/collections/store.ts';
import { importFiles, resumeImport } from '../../../../src/lab/corpus/collections/importing.ts';
import { ALL_TESTS } from '../../../slow/slow.ts';
import { ownLocks } from '../../../runs/collections/own-locks.ts';
import type { FileToImport, ImportProgress } from '../../../../src/lab/contract/collections.ts';
import { blob, HOTPOT, jsonl, MUSIQUE, TWO_WIKI } from '../../../fixtures/import/files.ts';

let indexedDB: IDBFactory;
let db: CollectionsDatabase;
let store: CollectionStore;
let clock: number;

const open = (): CollectionStore => {
  db = new CollectionsDatabase('test', { indexedDB, IDBKeyRange });
  return new CollectionStore(db, ownLocks(), () =>
    new Date(Date.UTC(2026, 0, 1) + clock++ * 1000).toISOString(),
  );
};

beforeEach(() => {
  indexedDB = new IDBFactory();
  clock = 0;
  store = open();
});

const entry = (
  file: Blob,
  name = 'a.jsonl',
  choice: FileToImport['choice'] = {},
): FileToImport => ({
  file,
  name,
  origin: { kind: 'file' },
  choice,
});
const passage = (i: number) => ({ id: `p${i}`, title: `T${i}`, text: `Passage ${i} says é.` });
const passages = (from: number, to: number): Blob =>
  jsonl(...Array.from({ length: to - from }, (_, i) => passage(from + i)));

const imported = async (file: Blob, name = 'a.jsonl') =>
  (await importFiles(store, { name }, [entry(file, name)])).collection;

const all = async (ids: readonly string[]): Promise<Passage[]> => {
  const found: Passage[] = [];
  for await (const chunk of store.passagesOf(ids)) found.push(...chunk);
  return found;
};
const rows = async () => [
  await db.collections.count(),
  await db.imports.count(),
  await db.rejected.count(),
  await db.bodies.count(),
  await db.index.count(),
];

describe('import', () => {
  test('every item comes back in order and whole, over many chunks', async () => {
    const collection = await imported(passages(0, 2200));
    expect(collection).toMatchObject({ passages: 2200, questions: 0, rejected: 0, duplicates: 0 });
    expect(await db.bodies.count()).toBe(5);
    const expected = await importAll(passages(0, 2200));
    expect(await all([collection.id])).toEqual(expected.passages.map((one) => one.passage));
    // Across a chunk's end.
    const some = await store.items(collection.id, 'passages', 498, 4);
    expect(some.map(({ id }) => id)).toEqual(['p498', 'p499', 'p500', 'p501']);
    expect(await store.items(collection.id, 'passages', 2199, 9)).toHaveLength(1);
  });

  test('questions keep what their file says, their contexts are passages, chains point to them', async () => {
    const file = blob(JSON.stringify([HOTPOT, TWO_WIKI]));
    const collection = await imported(file, 'q.json');
    const expected = await importAll(file);
    const questions = await store.items(collection.id, 'questions', 0, 10);
    expect(questions).toEqual(expected.questions);
    expect(await store.question(collection.id, TWO_WIKI._id)).toEqual(expected.questions[1]);
    expect(await store.question(collection.id, 'none')).toBeNull();
    const ids = new Set((await all([collection.id])).map(({ id }) => id));
    const [, chained] = expected.questions;
    expect(chained?.chain?.map(({ passageId }) => ids.has(passageId))).toEqual([true, true]);
  });

  test('several files are one collection: each content once, a taken id under another name', async () => {
    const { collection } = await importFiles(store, { name: 'two' }, [
      entry(passages(0, 700)),
      entry(jsonl(passage(5), { id: 'p6', title: 'other', text: 'Another text.' }), 'b.jsonl'),
    ]);
    expect(collection).toMatchObject({ passages: 701, duplicates: 1, rejected: 0, sourceCount: 2 });
    const ids = (await all([collection.id])).map(({ id }) => id);
    expect(new Set(ids).size).toBe(701);
    expect(ids.at(-1)).toMatch(/^p6~[0-9a-f]{8}$/u);
    const again = await importFiles(store, { id: collection.id }, [entry(passages(690, 720))]);
    expect(again.collection).toMatchObject({ passages: 721, duplicates: 11 });
  });

  test('what is rejected is kept with line, key and reason: all counted, the first thousand kept', async () => {
    const broken = Array.from({ length: 1500 }, (_, i) => (i === 0 ? '{' : `{"id":"x${i}"}`));
    const collection = await imported(
      blob([JSON.stringify(passage(0)), ...broken].join('\n')),
      'bad.jsonl',
    );
    expect(collection).toMatchObject({ passages: 1, rejected: 1500 });
    const [kept] = await store.rejected(collection.id);
    expect(kept?.name).toBe('bad.jsonl');
    expect(kept?.items).toHaveLength(1000);
    expect(kept?.items[0]).toMatchObject({ line: 2, key: '' });
    expect(kept?.items[1]).toMatchObject({ line: 3, key: 'text' });
  });

  test('progress goes up to the size of all files', async () => {
    const told: ImportProgress[] = [];
    const files = [entry(passages(0, 1200)), entry(passages(1200, 1300), 'b.jsonl')];
    await importFiles(store, { name: 'n' }, files, { onProgress: (p) => told.push(p) });
    const total = files.reduce((sum, { file }) => sum + file.size, 0);
    const bytes = told.map(({ readBytes }) => readBytes);
    expect(bytes).toEqual(bytes.toSorted((a, b) => a - b));
    expect(told.at(-1)).toMatchObject({
      readBytes: total,
      totalBytes: total,
      passages: 1300,
      file: 2,
    });
    expect(told.every(({ heldBytes }) => heldBytes > 0)).toBe(true);
  });

  test('an unreadable file leaves nothing; among others it is reported and skipped', async () => {
    const nothing = entry(blob('{}'), 'x.json');
    await expect(importFiles(store, { name: 'n' }, [nothing])).rejects.toThrow(ImportError);
    expect(await rows()).toEqual([0, 0, 0, 0, 0]);
    const { collection, failed } = await importFiles(store, { name: 'n' }, [
      nothing,
      entry(passages(0, 3)),
    ]);
    expect(failed).toMatchObject([
      { name: 'x.json', reason: expect.stringMatching(/^expected/u) as string },
    ]);
    expect(collection.passages).toBe(3);
  });
});

/** Stops an import after `batches` of 500 as a closed tab does: mid-way, without a word. */
async function killedAfter(file: Blob, batches: number, name = 'a.jsonl'): Promise<string> {
  let seen = 0;
  const dies = importFiles(store, { name }, [entry(file, name)], {
    onProgress: () => {
      if (++seen === batches) {
        db.close();
        throw new Error('killed');
      }
    },
  });
  await expect(dies).rejects.toThrow();
  store = open();
  const [collection] = await store.list();
  return collection!.unfinished[0]!.id;
}

describe('an import that was broken off', () => {
  const FILES: Record<string, Blob> = {
    'a.jsonl': passages(0, 2600),
    'a.json': blob(
      JSON.stringify(
        Array.from({ length: 2600 }, (_, i) => passage(i)),
        null,
        1,
      ),
    ),
    'a.md': blob(
      Array.from({ length: 2600 }, (_, i) => `# T${i}\n\nPassage ${i}. More.\n\n`).join(''),
    ),
    'a.csv': blob(
      `id,question,answer\n${Array.from({ length: 2600 }, (_, i) => `q${i},"Q ""${i}""?",a\n`).join('')}`,
    ),
  };

  test.each(Object.keys(FILES))('continues where it was, at every place: %s', async (name) => {
    const file = FILES[name]!;
    const calm = await imported(file, name);
    for (const batches of ALL_TESTS ? [1, 3, 5] : [3]) {
      indexedDB = new IDBFactory();
      store = open();
      const importId = await killedAfter(file, batches, name);
      const before = (await store.list())[0]!;
      expect(before.passages + before.questions).toBe(500 * batches);
      expect(before.unfinished[0]).toMatchObject({ status: 'open', name });
      const { collection } = await resumeImport(store, importId, file);
      const { id: _, createdAt: _c, updatedAt: _u, ...same } = calm;
      expect(collection).toMatchObject({ ...same, storedBytes: expect.any(Number) as number });
      expect((await store.list())[0]?.unfinished).toEqual([]);
      expect(await rows()).toEqual([1, 1, 0, 6, 6]);
    }
  });

  test('takes no other file in its place', async () => {
    const importId = await killedAfter(passages(0, 1600), 1);
    const before = await rows();
    const other = jsonl(
      ...Array.from({ length: 1600 }, (_, i) => ({ ...passage(i), text: `Passage ${i} says è.` })),
    );
    await expect(resumeImport(store, importId, other)).rejects.toThrow(OtherFile);
    await expect(resumeImport(store, importId, passages(0, 9))).rejects.toThrow(/1600|bytes/u);
    expect(await rows()).toEqual(before);
  });

  test('stops when aborted, keeps what it read, and continues', async () => {
    const controller = new AbortController();
    const cancelled = importFiles(store, { name: 'n' }, [entry(passages(0, 2600))], {
      signal: controller.signal,
      onProgress: () => controller.abort(),
    });
    await expect(cancelled).rejects.toThrow(/abort/iu);
    const [collection] = await store.list();
    expect(collection?.passages).toBeGreaterThanOrEqual(500);
    expect(collection?.passages).toBeLessThan(2600);
    expect(collection?.unfinished).toMatchObject([{ status: 'cancelled' }]);
    const done = await resumeImport(store, collection!.unfinished[0]!.id, passages(0, 2600));
    expect(done.collection).toMatchObject({ passages: 2600, duplicates: 0 });
  });

  test('full storage is reported, loses nothing, and the import continues', async () => {
    let room = 2;
    db.bodies.hook('creating', () => {
      if (room-- <= 0) throw new DOMException('full', 'QuotaExceededError');
    });
    const full = importFiles(store, { name: 'n' }, [entry(passages(0, 2600))]);
    await expect(full).rejects.toThrow(CollectionStorageFull);
    const [collection] = await store.list();
    expect(collection?.passages).toBe(1000);
    expect(await rows()).toEqual([1, 1, 0, 2, 2]);
    room = Infinity;
    const done = await resumeImport(store, collection!.unfinished[0]!.id, passages(0, 2600));
    expect(done.collection).toMatchObject({ passages: 2600, duplicates: 0 });
  });

  test('stops at the bound on its memory', async () => {
    const files = [entry(passages(0, 2600))];
    const bound = importFiles(store, { name: 'n' }, files, { memoryLine: 300_000 });
    await expect(bound).rejects.toThrow(MemoryLimitReached);
    expect((await store.list())[0]?.passages).toBeGreaterThan(0);
  });

  test('is not begun twice', async () => {
    const { id } = await imported(passages(0, 3));
    const first = importFiles(store, { id }, [entry(passages(0, 1600))]);
    await expect(importFiles(store, { id }, [entry(passages(9, 19))])).rejects.toThrow(
      CollectionBusy,
    );
    expect((await first).collection).toMatchObject({ passages: 1600, duplicates: 3 });
  });
});

describe('collections', () => {
  test('one content has one hash, in whatever order it came; other contents have another', async () => {
    const forth = await imported(passages(0, 900));
    const back = await imported(jsonl(...Array.from({ length: 900 }, (_, i) => passage(899 - i))));
    const less = await imported(passages(0, 899));
    expect(back.hash).toBe(forth.hash);
    expect(less.hash).not.toBe(forth.hash);
  });

  test('tell what others hold too', async () => {
    const first = await imported(passages(0, 700));
    const second = await imported(passages(600, 1300));
    expect(second.shared).toEqual([{ collectionId: first.id, passages: 100 }]);
    const both = await all([first.id, second.id]);
    expect(both).toHaveLength(1300);
    expect(new Set(both.map(({ id }) => id)).size).toBe(1300);
  });

  test('merge: each item once, ids of their own, chains point to the same passages; undone by restoring', async () => {
    const first = await imported(blob(JSON.stringify([HOTPOT, TWO_WIKI])), 'a.json');
    const second = await imported(jsonl(MUSIQUE), 'b.jsonl');
    const third = await imported(
      jsonl(
        { id: (await all([first.id]))[0]!.id, title: 'x', text: 'Clashes.' },
        ...HOTPOT.context.slice(1, 2).map(([title, sentences]) => ({ title, sentences })),
      ),
      'c.jsonl',
    );
    const merged = await store.merge([first.id, second.id, third.id], 'all');
    expect(merged).toMatchObject({
      name: 'all',
      passages: 9,
      questions: 3,
      duplicates: 1,
      sourceCount: 3,
    });
    expect((await store.list()).map(({ id }) => id)).toEqual([merged.id]);
    const byId = new Map((await all([merged.id])).map((one) => [one.id, one]));
    expect(byId.size).toBe(9);
    for (const { chain } of (await store.items(merged.id, 'questions', 0, 9)) as {
      chain?: { passageId: string; title: string }[];
    }[])
      for (const { passageId, title } of chain ?? [])
        expect(byId.get(passageId)?.title).toBe(title);
    for (const { id } of [first, second, third]) await store.restore(id);
    expect(await store.list()).toHaveLength(4);
    expect(await all([first.id])).toHaveLength(5);
  });

  test('a merge that is stopped leaves nothing', async () => {
    const first = await imported(passages(0, 900));
    const before = await rows();
    const stopped = store.merge([first.id, (await imported(passages(900, 1800))).id], 'x', {
      signal: AbortSignal.abort(),
    });
    await expect(stopped).rejects.toThrow();
    expect(await rows()).toEqual([2, 2, 0, before[3]! * 2, before[4]! * 2]);
    expect(await store.list()).toHaveLength(2);
  });

  test('deleting can be undone until it is purged; then nothing is left', async () => {
    const kept = await imported(passages(0, 10));
    const gone = await imported(blob(`${await passages(0, 600).text()}{\n`));
    await store.remove(gone.id);
    expect((await store.list()).map(({ id }) => id)).toEqual([kept.id]);
    await expect(all([gone.id])).rejects.toThrow(/no such collection/u);
    await store.restore(gone.id);
    expect(await all([gone.id])).toHaveLength(600);
    await store.remove(gone.id);
    await store.purge('2020-01-01T00:00:00Z');
    await store.restore(gone.id);
    await store.remove(gone.id);
    await store.purge();
    expect(await rows()).toEqual([1, 1, 0, 1, 1]);
    await expect(store.restore(gone.id)).rejects.toThrow(/for good/u);
  });

  test('what is exported is read back as it was', async () => {
    const file = blob(JSON.stringify([HOTPOT, TWO_WIKI]));
    const collection = await imported(file, 'q.json');
    const again = await importAll(await store.export(collection.id, 'passages'));
    expect(again.passages.map((one) => one.passage)).toEqual(await all([collection.id]));
    const questions = (await importAll(await store.export(collection.id, 'questions'))).questions;
    const stored = await store.items(collection.id, 'questions', 0, 9);
    for (const [i, { id, text, answers, supporting, type, difficulty }] of questions.entries())
      expect(stored[i]).toMatchObject({
        id,
        text,
        answers,
        supporting,
        ...(type && { type }),
        ...(difficulty && { difficulty }),
      });
    expect(questions[1]?.chain?.map(({ object }) => object)).toEqual(['Ivo Holm', 'Vera Holm']);
  });

  test('are searched for words, in any case', async () => {
    const { id } = await imported(passages(0, 1100));
    expect(await store.find(id, 'passages', 'PASSAGE t1099')).toEqual([1099]);
    expect(await store.find(id, 'passages', 'É 70')).toEqual(
      Array.from({ length: 1100 }, (_, i) => i).filter((i) => String(i).includes('70')),
    );
    expect(await store.find(id, 'questions', 'x')).toEqual([]);
  });

  test('records of another version are left alone', async () => {
    const { id } = await imported(passages(0, 2));
    await db.collections.add({ id: 'later', format: 'forage.collection/2' } as never);
    expect((await store.list()).map((one) => one.id)).toEqual([id]);
    await store.purge();
    expect(await db.collections.count()).toBe(2);
  });
});

import { IDBFactory, IDBKeyRange } from 'fake-indexeddb';
import { expect, test } from 'vitest';
import { CollectionsDatabase } from '../../../../src/lab/corpus/collections/passages/database.ts';
import { CollectionStore } from '../../../../src/lab/corpus/collections/store.ts';
import { importFiles, resumeImport } from '../../../../src/lab/corpus/collections/importing.ts';
import { ownLocks } from '../../../runs/collections/own-locks.ts';
import { jsonl } from '../../../fixtures/import/files.ts';

/** A batch that ends in the middle of its writes, as in a browser that is killed, is there whole or not at all. */

const PASSAGES = 1600;
const file = jsonl(
  ...Array.from({ length: PASSAGES }, (_, i) => ({
    id: `p${i}`,
    title: `T${i}`,
    text: `It ${i}.`,
  })),
);
const entry = { file, name: 'a.jsonl', origin: { kind: 'file' }, choice: {} } as const;

const opened = () => {
  const db = new CollectionsDatabase('test', { indexedDB: new IDBFactory(), IDBKeyRange });
  return { db, store: new CollectionStore(db, ownLocks()) };
};

const calm = async () => {
  const { store } = opened();
  return (await importFiles(store, { name: 'n' }, [entry])).collection.hash;
};

// Which write of its kind is of the second batch of 500: a collection is written once before the first.
test.each([
  ['passages', 2, (db: CollectionsDatabase, fail: () => void) => db.bodies.hook('creating', fail)],
  [
    'their index',
    2,
    (db: CollectionsDatabase, fail: () => void) => db.index.hook('creating', fail),
  ],
  [
    'the count',
    3,
    (db: CollectionsDatabase, fail: () => void) => db.collections.hook('updating', fail),
  ],
  [
    'how far it is',
    2,
    (db: CollectionsDatabase, fail: () => void) => db.imports.hook('updating', fail),
  ],
] as const)('at %s: nothing doubled, nothing lost after resuming', async (_, nth, at) => {
  const { db, store } = opened();
  let writes = 0;
  at(db, () => {
    if (++writes === nth) throw new Error('killed');
  });
  await expect(importFiles(store, { name: 'n' }, [entry])).rejects.toThrow('killed');
  const [broken] = await store.list();
  expect(broken).toMatchObject({ passages: 500 });
  expect([await db.bodies.count(), await db.index.count()]).toEqual([1, 1]);
  expect(broken?.unfinished).toMatchObject([{ passages: 500 }]);
  const { collection } = await resumeImport(store, broken!.unfinished[0]!.id, file);
  expect(collection).toMatchObject({ passages: PASSAGES, duplicates: 0, hash: await calm() });
  expect((await store.list())[0]?.unfinished).toEqual([]);
});

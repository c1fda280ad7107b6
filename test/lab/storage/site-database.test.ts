import { forceCloseDatabase, IDBFactory, IDBKeyRange } from 'fake-indexeddb';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { onStorageNews, type StorageNews } from '../../../src/lab/contract/storage-news.ts';
import { SiteDatabase } from '../../../src/lab/storage/site-database.ts';

let news: StorageNews[];
let stop: () => void;
beforeEach(() => {
  news = [];
  stop = onStorageNews((one) => news.push(one));
});
afterEach(() => stop());

const opened = async (indexedDB: IDBFactory, version = 1): Promise<SiteDatabase> => {
  const db = new SiteDatabase('test', { indexedDB, IDBKeyRange });
  db.version(version).stores({ rows: 'id' });
  await db.table('rows').put({ id: version });
  return db;
};

const failing = (fault: Error): IDBFactory =>
  ({
    open: () => {
      throw fault;
    },
  }) as unknown as IDBFactory;

const deleted = (indexedDB: IDBFactory): Promise<void> =>
  new Promise((resolve, reject) => {
    const request = indexedDB.deleteDatabase('test');
    request.onsuccess = () => resolve();
    request.onerror = () => reject(request.error ?? new Error('not deleted'));
  });

it('pages learn that another tab deleted a database, and the next write goes to a new one', async () => {
  const indexedDB = new IDBFactory();
  const db = await opened(indexedDB);
  await deleted(indexedDB);
  await expect.poll(() => news).toEqual(['deleted']);
  expect(await db.table('rows').count()).toBe(0);
  await db.table('rows').put({ id: 2 });
  expect(await db.table('rows').toArray()).toEqual([{ id: 2 }]);
});

it('pages learn that the browser closed it, also after it was opened again', async () => {
  const db = await opened(new IDBFactory());
  for (let times = 1; times <= 2; times++) {
    forceCloseDatabase(db.backendDB() as unknown as typeof IDBDatabase);
    await expect.poll(() => news.length).toBe(times);
    await db.table('rows').count();
  }
  expect(new Set(news)).toEqual(new Set(['deleted']));
});

it.each([
  [new DOMException('The operation is insecure.', 'SecurityError'), 'denied'],
  [new DOMException('Internal error opening backing store', 'UnknownError'), 'broken'],
])('pages learn that it cannot be opened: %s', async (fault, expected) => {
  await expect(opened(failing(fault))).rejects.toThrow();
  await expect.poll(() => news).toEqual([expected]);
});

it('closing it, and a newer version in another tab, deletes nothing', async () => {
  const indexedDB = new IDBFactory();
  const old = await opened(indexedDB, 1);
  const newer = await opened(indexedDB, 2);
  expect(await newer.table('rows').count()).toBe(2);
  old.close();
  newer.close();
  // What was posted before arrives first.
  await expect(opened(failing(new DOMException('', 'SecurityError')))).rejects.toThrow();
  await expect.poll(() => news).toEqual(['denied']);
});

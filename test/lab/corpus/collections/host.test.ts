import { IDBFactory, IDBKeyRange } from 'fake-indexeddb';
import { beforeEach, expect, test } from 'vitest';
import { CollectionsDatabase } from '../../../../src/lab/corpus/collections/passages/database.ts';
import { CollectionsHost } from '../../../../src/lab/corpus/collections/host.ts';
import { CollectionStore } from '../../../../src/lab/corpus/collections/store.ts';
import { ownLocks } from '../../../runs/collections/own-locks.ts';
import type { FileToImport } from '../../../../src/lab/contract/collections.ts';
import { blob, jsonl } from '../../../fixtures/import/files.ts';

let db: CollectionsDatabase;
let store: CollectionStore;
let host: CollectionsHost;
beforeEach(() => {
  db = new CollectionsDatabase('test', { indexedDB: new IDBFactory(), IDBKeyRange });
  store = new CollectionStore(db, ownLocks());
  host = new CollectionsHost(store);
});

const passage = (i: number) => ({ id: `p${i}`, title: `T${i}`, text: `Passage ${i}.` });
const passages = (count: number): Blob =>
  jsonl(...Array.from({ length: count }, (_, i) => passage(i)));
const entry = (file: Blob, name = 'a.jsonl'): FileToImport => ({
  file,
  name,
  origin: { kind: 'file' },
  choice: {},
});
const nothing = (): void => undefined;

test('import failures are returned as values, by kind', async () => {
  const unreadable = await host.importFiles('j', { name: 'n' }, [entry(blob('{}'))], nothing);
  expect(unreadable).toMatchObject({ status: 'failed', reason: 'unreadable' });
  db.bodies.hook('creating', () => {
    throw new DOMException('full', 'QuotaExceededError');
  });
  const full = await host.importFiles('j', { name: 'n' }, [entry(passages(9))], nothing);
  expect(full).toMatchObject({ status: 'failed', reason: 'full' });
  expect(full.status === 'failed' && full.message).toMatch(/storage is full.*kept.*resume/u);
  const [row] = await host.list();
  const importId = row!.unfinished[0]!.id;
  const other = await host.resumeImport('j', importId, passages(8), nothing);
  expect(other).toMatchObject({ status: 'failed', reason: 'other-file' });
  await store.locks.hold(row!.id, async () => {
    const busy = await host.resumeImport('j', importId, passages(9), nothing);
    expect(busy).toMatchObject({ status: 'failed', reason: 'busy' });
  });
});

test('a job that is cancelled says so, what it stored stays', async () => {
  const importing = host.importFiles('j', { name: 'n' }, [entry(passages(5000))], () => {
    void host.cancel('j');
  });
  expect(await importing).toEqual({ status: 'cancelled' });
  const [row] = await host.list();
  expect(row!.passages).toBeGreaterThan(0);
  expect(row!.unfinished[0]).toMatchObject({ status: 'cancelled' });
  await host.dismissImport(row!.unfinished[0]!.id);
  expect((await host.list())[0]!.unfinished).toEqual([]);
});

test('a preview says what a file would give and where it was imported already', async () => {
  const file = blob(`${await passages(3).text()}{"id":"x"}\n`);
  const first = await host.preview('p', file, 'a.jsonl', {});
  expect(first).toMatchObject({
    status: 'ready',
    sameFile: [],
    preview: { items: { count: 4, exact: true }, rejected: [{ line: 4, key: 'text' }] },
  });
  expect(await db.collections.count()).toBe(0);
  await host.importFiles('j', { name: 'mine' }, [entry(file)], nothing);
  expect(await host.preview('p', file, 'b.jsonl', {})).toMatchObject({ sameFile: ['mine'] });
  const failed = await host.preview('p', blob('{}'), 'a.json', {});
  expect(failed).toMatchObject({
    status: 'failed',
    message: expect.stringMatching(/^expected/u) as string,
  });
});

test('what was deleted an hour ago is removed when the page is opened, what was deleted now is not', async () => {
  let now = new Date(Date.now() - 7_200_000);
  store = new CollectionStore(db, ownLocks(), () => now.toISOString());
  host = new CollectionsHost(store);
  for (const name of ['old', 'new']) {
    await host.importFiles('j', { name }, [entry(passages(2))], nothing);
    const row = (await host.list()).find((one) => one.name === name)!;
    if (name === 'new') now = new Date();
    await host.remove(row.id);
  }
  await store.create('half', 'building');
  await host.purge(new Date(Date.now() - 3_600_000).toISOString());
  expect((await db.collections.toArray()).map(({ name }) => name)).toEqual(['new']);
});

test('questions of several collections come together', async () => {
  for (const name of ['a', 'b'])
    await host.importFiles(
      'j',
      { name },
      [entry(jsonl({ id: name, question: `${name}?`, answer: 'yes' }), name)],
      nothing,
    );
  const rows = await host.list();
  const questions = await host.questions(rows.map(({ id }) => id));
  expect(questions.map(({ id }) => id).toSorted()).toEqual(['a', 'b']);
  expect(await host.question(rows.find(({ name }) => name === 'b')!.id, 'b')).toMatchObject({
    text: 'b?',
    answers: ['yes'],
  });
});

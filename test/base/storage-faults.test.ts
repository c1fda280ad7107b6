import { IDBFactory, IDBKeyRange } from 'fake-indexeddb';
import { Dexie } from 'dexie';
import { describe, expect, it } from 'vitest';
import { messageOf } from '../../src/base/errors.ts';
import { storageFault, StoredFileGone } from '../../src/base/storage-faults.ts';
import { packError, unpackError } from '../../src/lab/rpc/wire.ts';

const named = (name: string, more: object = {}): Error =>
  Object.assign(new Error('internal words'), { name, ...more });

const FULL = /^The browser’s storage for this site is full; delete .* then try again; .* is kept$/u;
const DENIED = /^This browser does not let the page store anything; allow cookies /u;
const GONE = /^The data stored for this page was deleted, .*; reload the page/u;
const BROKEN = /^The browser cannot read or write its storage for this site; reload the page/u;

/** What the first and a later operation reject with where the database cannot be opened. */
async function rejections(fault: Error): Promise<unknown[]> {
  const indexedDB = {
    open: () => {
      throw fault;
    },
  } as unknown as IDBFactory;
  const db = new Dexie('test', { indexedDB, IDBKeyRange });
  db.version(1).stores({ rows: 'id' });
  const thrown = (call: PromiseLike<unknown>) =>
    call.then(
      () => 'done',
      (error: unknown) => error,
    );
  return [
    await thrown(db.table('rows').get(1)),
    await thrown(db.table('rows').put({ id: 1 })),
    await thrown(db.transaction('rw', 'rows', () => db.table('rows').clear())),
  ];
}

describe('faults of the browser’s storage', () => {
  it.each([
    ['a write without room', new DOMException('', 'QuotaExceededError'), FULL],
    [
      'a transaction without room',
      named('AbortError', { inner: named('QuotaExceededError') }),
      FULL,
    ],
    ['the same by its cause', named('AbortError', { cause: named('QuotaExceededError') }), FULL],
    ['many writes', named('BulkError', { failures: [named('QuotaExceededError')] }), FULL],
    [
      'a lock that is refused',
      new DOMException('The request was denied.', 'SecurityError'),
      DENIED,
    ],
    ['a file that is gone', new StoredFileGone(), GONE],
    ['a database that was closed', named('DatabaseClosedError'), GONE],
    [
      'a broken connection',
      named('DatabaseClosedError', { inner: named('InvalidStateError') }),
      BROKEN,
    ],
  ])('%s: what happened and what to do', (_, error, sentence) => {
    expect(messageOf(error)).toMatch(sentence);
    expect(messageOf(error)).not.toContain('internal words');
    // On the page, after it crossed from a worker.
    const crossed = unpackError(packError(error));
    expect(messageOf(crossed)).toBe(messageOf(error));
    expect(storageFault(crossed)).toBe(storageFault(error));
  });

  it.each([
    ['blocked', new DOMException('The operation is insecure.', 'SecurityError'), DENIED],
    [
      'blocked in Chromium',
      named('UnknownError', { message: 'The user denied permission to access the database.' }),
      DENIED,
    ],
    ['damaged', new DOMException('Internal error opening backing store', 'UnknownError'), BROKEN],
    ['in a wrong state', new DOMException('closing', 'InvalidStateError'), BROKEN],
  ])('a database that cannot be opened, %s: each operation says so', async (_, fault, sentence) => {
    const errors = await rejections(fault);
    for (const error of errors) {
      expect(messageOf(error)).toMatch(sentence);
      expect(messageOf(unpackError(packError(error)))).toBe(messageOf(error));
    }
  });

  it('faults of other parts of the browser keep their own words', () => {
    for (const name of ['InvalidStateError', 'UnknownError', 'AbortError'])
      expect(messageOf(named(name))).toBe('internal words');
  });

  it('a sentence of its own stays where it wraps a fault', () => {
    const own = new Error('14 MB are missing', { cause: named('QuotaExceededError') });
    expect(messageOf(own)).toBe('14 MB are missing');
  });

  it('a database that works is not one', async () => {
    const db = new Dexie('test', { indexedDB: new IDBFactory(), IDBKeyRange });
    db.version(1).stores({ rows: 'id' });
    await db.table('rows').put({ id: 1 });
    const error: unknown = await db
      .table('rows')
      .add({ id: 1 })
      .catch((thrown: unknown) => thrown);
    expect(messageOf(error)).toMatch(/already exists/u);
  });
});

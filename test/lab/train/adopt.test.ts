import { IDBFactory, IDBKeyRange } from 'fake-indexeddb';
import { readFileSync } from 'node:fs';
import { beforeEach, expect, test } from 'vitest';
import { ForageDatabase } from '../../../src/lab/storage/database.ts';
import { RunStore } from '../../../src/lab/storage/run-store.ts';
import { TabLocks } from '../models/checkpoints/tab-locks.ts';
import { adoptRun } from '../../../src/lab/train/adopt.ts';
import { BUILT_IN_SETUP } from '../../../src/records/setup.ts';
import { ARCHIVE, config } from '../../handover/adopt/returned.ts';
import { MemoryBlobs } from '../storage/memory-blobs.ts';

/** A cluster's folder in storage: all of it, or nothing. */

const REASON = new Error('cancelled by its user');

let blobs: MemoryBlobs;
let store: RunStore;
beforeEach(() => {
  const db = new ForageDatabase('test', { indexedDB: new IDBFactory(), IDBKeyRange });
  blobs = new MemoryBlobs();
  store = new RunStore(db, blobs);
});

/** Takes the folder of TRL in. @param progress what is done at each step that is stored */
const take = (progress: (done: number, abort: () => void) => void) => {
  const controller = new AbortController();
  const facts = {
    id: 'policy',
    revision: '73a6c7860a7f',
    config,
    engines: 1,
    open: () => Promise.reject(new Error('weights were asked for')),
  };
  return adoptRun(
    {
      store,
      locks: new TabLocks(),
      policies: () => Promise.resolve([BUILT_IN_SETUP.policy]),
      policy: () => Promise.resolve(facts),
      device: 'wasm',
    },
    [{ path: 'x.tar.gz', blob: new Blob([readFileSync(ARCHIVE)]) }],
    {
      onProgress: (done) => progress(done, () => controller.abort(REASON)),
      signal: controller.signal,
    },
  );
};

test('all of it', async () => {
  const told: number[] = [];
  const run = await take((done) => told.push(done));
  expect(told).toEqual([0, 1]);
  expect((await store.runs()).map(({ id, deletedAt }) => [id, deletedAt])).toEqual([
    [run.id, null],
  ]);
  expect((await store.steps(run.id)).map(({ step }) => step)).toEqual([1, 2]);
  expect(await store.rollouts(run.id, 2)).toHaveLength(8);
});

test.each([0, 1])('cancelled with %s of 2 steps stored, nothing is left', async (at) => {
  const cancelled = take((done, abort) => {
    if (done === at) abort();
  });
  await expect(cancelled).rejects.toBe(REASON);
  expect(await store.runs()).toEqual([]);
  expect([...blobs.files.keys()]).toEqual([]);
});

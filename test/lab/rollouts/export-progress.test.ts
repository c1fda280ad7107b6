import { IDBFactory, IDBKeyRange } from 'fake-indexeddb';
import { beforeEach, expect, test } from 'vitest';
import { RolloutsDatabase } from '../../../src/lab/rollouts/database.ts';
import { RolloutsHost } from '../../../src/lab/rollouts/host.ts';
import { RolloutsStore } from '../../../src/lab/rollouts/store.ts';
import { verl } from '../../fixtures/inspect/records.ts';
import { blobOf } from '../../formats/rollouts/helpers.ts';

/** A long export: how far it is, and that it ends where it is told to. */

const ROLLOUTS = 500;

let host: RolloutsHost;
let id: string;
let read: number;
beforeEach(async () => {
  const database = new RolloutsDatabase('test', { indexedDB: new IDBFactory(), IDBKeyRange });
  const store = new RolloutsStore(database);
  read = 0;
  const rollout = store.rollout.bind(store);
  store.rollout = (...args) => {
    read += 1;
    return rollout(...args);
  };
  host = new RolloutsHost(store);
  const records = Array.from({ length: ROLLOUTS }, (_, step) => ({ ...verl, step }));
  const outcome = await host.importFile('i', blobOf(...records), 'a.jsonl', () => undefined);
  if (outcome.status !== 'ready') throw new Error(outcome.status);
  id = outcome.file.id;
});

const exported = (
  order: Uint32Array,
  onProgress: (done: number, total: number) => void,
): Promise<Blob | null> => host.exportRows('export', id, order, 'verl', [], undefined, onProgress);

test('rises to the number of rollouts that were chosen, in steps, and all of them are in the file', async () => {
  // Backwards, and not all: what is counted is what is written.
  const order = Uint32Array.from({ length: 450 }, (_, i) => ROLLOUTS - 1 - i);
  const told: number[] = [];
  const blob = await exported(order, (done, total) => {
    expect(total).toBe(450);
    // No more is claimed than was read.
    expect(done).toBeLessThanOrEqual(read);
    told.push(done);
  });
  expect(told[0]).toBe(0);
  expect(told.at(-1)).toBe(450);
  expect(told.length).toBeGreaterThan(10);
  for (const [i, done] of told.slice(1).entries()) expect(done).toBeGreaterThan(told[i] ?? NaN);
  const lines = (await blob!.text()).trim().split('\n');
  expect(lines.map((line) => (JSON.parse(line) as { step: number }).step)).toEqual([...order]);
});

const ALL = Uint32Array.from({ length: ROLLOUTS }, (_, i) => i);

test('cancelled in the middle it reads no more, and gives no file', async () => {
  const told: number[] = [];
  const blob = await exported(ALL, (done) => {
    told.push(done);
    if (done >= 200) void host.cancel('export');
  });
  expect(blob).toBeNull();
  const last = told.at(-1)!;
  expect(last).toBeGreaterThanOrEqual(200);
  expect(last).toBeLessThan(250);
  expect(read).toBeLessThanOrEqual(last + 1);
  await new Promise((resolve) => void setTimeout(resolve, 20));
  expect(read).toBeLessThanOrEqual(last + 1);
});

test('hears of it between two turns of the event loop, as a worker does', async () => {
  // Slow enough for a message to come in between.
  const busy = (until: number): void => {
    while (performance.now() < until);
  };
  const told: number[] = [];
  const blob = await exported(ALL, (done) => {
    told.push(done);
    if (done === 0) setTimeout(() => void host.cancel('export'));
    busy(performance.now() + 10);
  });
  expect(blob).toBeNull();
  expect(told.at(-1)).toBeLessThan(ROLLOUTS / 2);
});

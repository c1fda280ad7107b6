import { IDBFactory, IDBKeyRange } from 'fake-indexeddb';
import { beforeEach, describe, expect, test } from 'vitest';
import { ImportError } from '../../../src/formats/rollouts/import.ts';
import { FilterError } from '../../../src/evaluate/rollouts/filter/error.ts';
import { RolloutsDatabase } from '../../../src/lab/rollouts/database.ts';
import { RolloutsStore } from '../../../src/lab/rollouts/store.ts';
import { r1Searcher, verl } from '../../fixtures/inspect/records.ts';
import { blobOf, OWN_FILE, ownLines } from '../../formats/rollouts/helpers.ts';

let database: RolloutsDatabase;
let store: RolloutsStore;
let clock: number;

beforeEach(() => {
  database = new RolloutsDatabase('test', { indexedDB: new IDBFactory(), IDBKeyRange });
  clock = 0;
  store = new RolloutsStore(database, () => `2026-01-01T00:00:0${clock++}Z`);
});

/** Rollouts of one question, of which each even one is right. */
const many = (count: number): Blob =>
  blobOf(
    ...Array.from({ length: count }, (_, i) => ({
      ...verl,
      score: 1 - (i % 2),
      output: `<think>number ${i}</think><answer>${i % 2 === 0 ? 'Ida Holm' : 'no'}</answer>`,
    })),
  );

const counts = async () => [
  await database.files.count(),
  await database.rows.count(),
  await database.bodies.count(),
];

describe('import', () => {
  test('rows come back in order, and each rollout is the one that was read', async () => {
    const file = await store.importFile(many(300), 'many.jsonl');
    expect(file).toMatchObject({ status: 'ready', rollouts: 300, faultCount: 0 });
    const rows = await store.rows(file.id);
    expect(rows.map(({ line }) => line)).toEqual(Array.from({ length: 300 }, (_, i) => i + 1));
    for (const at of [0, 15, 16, 143, 144, 299]) {
      const rollout = await store.rollout(file.id, rows[at]!);
      expect(rollout.id).toBe(rows[at]!.row.id);
      expect(rollout.segments.map(({ text }) => text).join('')).toContain(`number ${at}<`);
    }
  });

  test('records of our own come back as they were', async () => {
    const file = await store.importFile(
      new Blob([`${ownLines().join('\n')}\n`]),
      OWN_FILE.pathname,
    );
    const rows = await store.rows(file.id);
    for (const [i, line] of ownLines().entries())
      expect(await store.rollout(file.id, rows[i]!)).toEqual(JSON.parse(line));
  });

  test('a broken line is kept with its number, and the rest loads; the file is counted', async () => {
    const source = new Blob([
      await blobOf(verl).text(),
      '{oops\n',
      await blobOf(r1Searcher).text(),
    ]);
    const file = await store.importFile(source, 'mixed.jsonl');
    expect(file.faults.map(({ line }) => line)).toEqual([2]);
    expect(file.layouts).toEqual({ verl: 1, 'r1-searcher': 1 });
    expect(file.statistics).toMatchObject({ rollouts: 2, em: { count: 2 } });
    expect((await store.files())[0]).toEqual(file);
  });

  test('progress grows, and what it names can be read before the end', async () => {
    const seen: Promise<number>[] = [];
    const bytes: number[] = [];
    const source = many(300);
    await store.importFile(source, 'many.jsonl', {
      onProgress: ({ fileId, readBytes }) => {
        bytes.push(readBytes);
        seen.push(store.rows(fileId).then((rows) => rows.length));
      },
    });
    expect(bytes).toEqual([...bytes].sort((a, b) => a - b));
    expect(bytes.at(-1)).toBe(source.size);
    expect((await Promise.all(seen))[0]).toBeGreaterThanOrEqual(16);
  });

  test('stopped half-way, or no file of rollouts: nothing stays', async () => {
    const stop = new AbortController();
    const importing = store.importFile(many(400), 'many.jsonl', {
      signal: stop.signal,
      onProgress: () => stop.abort(),
    });
    await expect(importing).rejects.toThrow(/abort/i);
    expect(await counts()).toEqual([0, 0, 0]);
    const junk = new Blob(['nothing\n'.repeat(1200)]);
    await expect(store.importFile(junk, 'junk.txt')).rejects.toThrow(ImportError);
    expect(await counts()).toEqual([0, 0, 0]);
  });

  test('a check that needs the whole file labels the rows as well', async () => {
    // A reward that belongs to another rollout of the group: right without it, wrong with it.
    const swapped = [1, 0, 1, 0].map((score, i) => ({
      ...verl,
      score,
      output: `<answer>${i % 2 === 0 ? 'no' : 'Ida Holm'}</answer>`,
    }));
    const file = await store.importFile(blobOf(...swapped), 'swapped.jsonl');
    const labels = (await store.rows(file.id)).flatMap(({ row }) => row.lint);
    expect(labels).toContain('reward-misplaced');
    expect(file.lint['reward-misplaced']).toBeGreaterThan(0);
  });

  test('an import that a closed page broke off is called so', async () => {
    const file = await store.importFile(many(3), 'many.jsonl');
    await database.files.update(file.id, { status: 'importing' });
    await store.recover();
    expect((await store.files())[0]!.status).toBe('interrupted');
    expect(await store.rows(file.id)).toHaveLength(3);
  });
});

describe('selection', () => {
  test('by rows and by texts', async () => {
    const { id } = await store.importFile(many(200), 'many.jsonl');
    const lines = async (filter: string) =>
      (await store.select(id, filter)).map(({ line }) => line);
    expect(await lines('em = 1')).toHaveLength(100);
    expect(await lines('em = 1 and think contains "number 15"')).toEqual([151, 153, 155, 157, 159]);
    expect(await lines('think matches /number 7$/')).toEqual([]);
    expect(await lines(String.raw`think matches /number 7\b/`)).toEqual([8]);
    await expect(store.select(id, 'em ~ 1')).rejects.toThrow(FilterError);
    await expect(store.select(id, '', AbortSignal.abort())).rejects.toThrow(/abort/i);
  });

  test('tags are the reader’s, stay with the file’s name, and are found', async () => {
    const first = await store.importFile(many(4), 'many.jsonl');
    await store.mark('many.jsonl', 'many.jsonl:2', { tags: ['odd'] });
    await store.mark('many.jsonl', 'many.jsonl:2', { note: 'why?' });
    expect(await store.select(first.id, 'tags has odd')).toHaveLength(1);
    const again = await store.importFile(many(4), 'many.jsonl');
    expect((await store.select(again.id, 'tags has odd'))[0]!.line).toBe(2);
    expect(await store.marks('many.jsonl')).toMatchObject([{ tags: ['odd'], note: 'why?' }]);
    await store.mark('many.jsonl', 'many.jsonl:2', { tags: [], note: '' });
    expect(await store.marks('many.jsonl')).toEqual([]);
  });

  test('views are kept by name', async () => {
    const view = {
      name: 'wrong',
      filter: 'em = 0',
      columns: ['em'],
      sort: null,
      group: ['step' as const],
    };
    await store.saveView(view);
    await store.saveView({ ...view, filter: 'em = 0 and recall = 1' });
    expect(await store.views()).toEqual([{ ...view, filter: 'em = 0 and recall = 1' }]);
    await store.removeView('wrong');
    expect(await store.views()).toEqual([]);
  });
});

describe('deletion', () => {
  test('can be undone until it is made final', async () => {
    const keep = await store.importFile(many(2), 'keep.jsonl');
    const file = await store.importFile(many(2), 'many.jsonl');
    await store.remove(file.id);
    expect((await store.files()).map(({ name }) => name)).toEqual(['keep.jsonl']);
    await store.restore(file.id);
    expect(await store.rows(file.id)).toHaveLength(2);
    await store.remove(file.id);
    await store.purge('2026-01-01T00:00:00Z');
    expect(await counts()).toEqual([2, 2, 2]);
    await store.purge();
    expect(await counts()).toEqual([1, 1, 1]);
    expect(await store.rows(keep.id)).toHaveLength(2);
  });

  test('what is stored is checked: a damaged part is an error, not a wrong rollout', async () => {
    const file = await store.importFile(blobOf(verl), 'one.jsonl');
    const [row] = await store.rows(file.id);
    await database.bodies.update([file.id, 0], { gz: new Uint8Array([1, 2, 3]) });
    await expect(store.rollout(file.id, row!)).rejects.toThrow();
    await expect(store.rollout(file.id, { chunk: 9, index: 0 })).rejects.toThrow(/not stored/);
  });
});

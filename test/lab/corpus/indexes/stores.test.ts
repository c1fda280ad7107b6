import { IDBFactory, IDBKeyRange } from 'fake-indexeddb';
import { describe, expect, it } from 'vitest';
import { IndexStore } from '../../../../src/lab/corpus/index-store.ts';
import { LearnedStore } from '../../../../src/lab/corpus/learned-store.ts';
import { VectorStore } from '../../../../src/lab/corpus/vector-store.ts';
import { MemoryBlobs } from '../../storage/memory-blobs.ts';

const store = (limitBytes?: number) => {
  let clock = 0;
  return new VectorStore({
    dexie: { indexedDB: new IDBFactory(), IDBKeyRange },
    now: () => ++clock,
    limitBytes,
  });
};
const table = (...values: number[]) => ({ dimensions: 2, values: new Float32Array(values) });

describe('stored vectors', () => {
  it('come back bit for bit, under their encoder only', async () => {
    const vectors = store();
    await vectors.write('e1', ['a', 'b'], table(0.1, 0.2, 0.3, 0.4));
    const found = await vectors.read('e1', ['b', 'x', 'a']);
    expect(found).toEqual([new Float32Array([0.3, 0.4]), undefined, new Float32Array([0.1, 0.2])]);
    expect(await vectors.read('e2', ['a'])).toEqual([undefined]);
  });

  it('make room by dropping the encoder that was not used for longest', async () => {
    const vectors = store(24);
    await vectors.write('e1', ['a'], table(1, 2));
    await vectors.write('e2', ['a'], table(3, 4));
    await vectors.read('e1', ['a']);
    await vectors.write('e3', ['a', 'b'], table(5, 6, 7, 8));
    expect(await vectors.read('e2', ['a'])).toEqual([undefined]);
    expect(await vectors.read('e1', ['a'])).toEqual([new Float32Array([1, 2])]);
    expect(await vectors.usage()).toEqual({ bytes: 24, vectors: 3 });
  });

  it('written twice count once, and nothing is left after a clear', async () => {
    const vectors = store();
    await vectors.write('e1', ['a'], table(1, 2));
    await vectors.write('e1', ['a', 'b'], table(1, 2, 3, 4));
    expect(await vectors.usage()).toEqual({ bytes: 16, vectors: 2 });
    await vectors.clear();
    expect(await vectors.usage()).toEqual({ bytes: 0, vectors: 0 });
    expect(await vectors.read('e1', ['a'])).toEqual([undefined]);
  });

  it('that cannot be reached are not known, and writing them does no harm', async () => {
    const vectors = store();
    vectors.close();
    await vectors.write('e1', ['a'], table(1, 2));
    expect(await vectors.read('e1', ['a'])).toEqual([undefined]);
  });
});

describe('stored indexes', () => {
  const bytes = (...values: number[]) => new Uint8Array(values);

  it('come back under their name; a newer one replaces the older', async () => {
    const indexes = new IndexStore(new MemoryBlobs());
    await indexes.write('one', bytes(1, 2));
    await indexes.write('two', bytes(3));
    await indexes.write('one', bytes(4, 5));
    expect(await indexes.read('one')).toEqual(bytes(4, 5));
    expect(await indexes.read('two')).toEqual(bytes(3));
    expect(await indexes.read('three')).toBeNull();
  });

  it('keeps the four that were written last', async () => {
    const blobs = new MemoryBlobs();
    const indexes = new IndexStore(blobs);
    for (const name of ['a', 'b', 'c', 'd', 'e', 'f']) await indexes.write(name, bytes(1));
    expect(blobs.files.size).toBe(4);
    expect(await indexes.read('b')).toBeNull();
    expect(await indexes.read('c')).toEqual(bytes(1));
  });

  it('is not taken where the file is cut short, and goes', async () => {
    const blobs = new MemoryBlobs();
    const indexes = new IndexStore(blobs);
    blobs.lives = 0;
    await indexes.write('one', bytes(1, 2, 3, 4));
    blobs.lives = Infinity;
    expect(blobs.files.size).toBe(1);
    expect(await indexes.read('one')).toBeNull();
    expect(blobs.files.size).toBe(0);
  });
});

describe('what indexes of clusters learned', () => {
  const learned = (queries: number) => ({ queries, weights: [1, 0.9], hits: [queries, 0] });

  it('is there for the next visit, as it was at the last query', async () => {
    const dexie = { indexedDB: new IDBFactory(), IDBKeyRange };
    const first = new LearnedStore({ dexie, delayMs: 1 });
    let now = 1;
    first.keep('index', () => learned(now));
    first.keep('other', () => learned(9));
    now = 2;
    first.keep('index', () => learned(now));
    now = 3;
    expect(await first.read('index')).toEqual(learned(3));
    const second = new LearnedStore({ dexie });
    expect(await second.read('index')).toEqual(learned(3));
    expect(await second.read('other')).toEqual(learned(9));
    expect(await second.read('none')).toBeNull();
  });

  it('is not taken where it is damaged, and of 70 indexes the last 64 are kept', async () => {
    const dexie = { indexedDB: new IDBFactory(), IDBKeyRange };
    let clock = 0;
    const store = new LearnedStore({ dexie, delayMs: 0, now: () => ++clock });
    store.keep('damaged', () => ({ queries: 1, weights: [Number.NaN], hits: [0] }));
    expect(await store.read('damaged')).toBeNull();
    for (let i = 0; i < 70; i++) {
      store.keep(`index ${i}`, () => learned(i));
      await store.read('');
    }
    const found = await Promise.all([5, 6, 69].map((i) => store.read(`index ${i}`)));
    expect(found).toEqual([null, learned(6), learned(69)]);
  });

  it('that cannot be reached is not known, and keeping it does no harm', async () => {
    const store = new LearnedStore({
      dexie: { indexedDB: new IDBFactory(), IDBKeyRange },
      delayMs: 0,
    });
    store.close();
    store.keep('index', () => learned(1));
    expect(await store.read('index')).toBeNull();
  });
});

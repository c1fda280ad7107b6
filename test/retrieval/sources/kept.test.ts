import { describe, expect, test } from 'vitest';
import type { Hit } from '../../../src/records/hits.ts';
import type { Passage } from '../../../src/records/records.ts';
import { ExactIndex } from '../../../src/retrieval/dense/dense.ts';
import { BestK } from '../../../src/retrieval/dense/best-k.ts';
import { HnswIndex } from '../../../src/retrieval/dense/hnsw.ts';
import { LOCAL_METHODS, localMethod } from '../../../src/retrieval/methods/list.ts';
import { openLocalSource } from '../../../src/retrieval/open-local.ts';
import { encodedSimilarities } from '../../../src/retrieval/similarities.ts';
import { encodeCached } from '../../../src/retrieval/vector-cache.ts';
import { passage } from '../passages.ts';

const p = (id: string, text = id) => passage(id, `T ${id}`, text);
const ids = ({ hits }: { hits: readonly Hit[] }) => hits.map(({ passage: { id } }) => id);

describe('opened passages', () => {
  const passages = [passage('a', 'Wolf', 'Grey.', 'Big.'), passage('b', 'Owl', 'Brown.')];
  const encoder = {
    id: 'letters',
    dimensions: 2,
    encodeQuery: async (text: string) => Float32Array.from(/^w/i.test(text) ? [1, 0] : [0, 1]),
    encodePassages: async (some: readonly Passage[]) => ({
      dimensions: 2,
      values: Float32Array.from(some.flatMap(({ title }) => (title === 'Wolf' ? [1, 0] : [0, 1]))),
    }),
  };

  test('say what searches them and what they take', async () => {
    const noted = async (method: string) => {
      const { note, memory } = await openLocalSource(passages, { method }, { encoder });
      return { note, memory };
    };
    // 64 for each, its title, and its text twice: "Grey. Big." and "Brown.".
    const texts = 64 + 4 + 20 + 64 + 3 + 12;
    expect(await noted('lexical')).toEqual({
      note: 'BM25+',
      memory: { passages: texts, lexical: expect.any(Number), dense: 0 },
    });
    expect(await noted('flat')).toEqual({
      note: 'letters, exact scan',
      memory: { passages: texts, lexical: 0, dense: 16 },
    });
    expect((await noted('hnsw')).note).toBe('letters, HNSW graph');
    expect((await noted('hnsw')).memory.dense).toBe(2 * 16 + 2 * (2 * 16 * 4 + 16));
    expect((await noted('cluster')).note).toBe('letters, 1 clusters');
    const hybrid = await noted('hybrid');
    expect(hybrid.note).toBe('BM25+ and letters, fused 1 : 1');
    expect(hybrid.memory).toMatchObject({ dense: 16 });
    expect(hybrid.memory.lexical).toBe((await noted('lexical')).memory.lexical);
    const reranker = { id: 'best', score: async () => [1, 2] };
    const { note, source } = await openLocalSource(passages, { method: 'lexical' }, { reranker });
    expect(note).toBe('BM25+, reranked by best');
    expect(ids(await source.search('wolf owl', 1))).toEqual(['b']);
  });

  test('vectors that are known already are not made', async () => {
    const vectors = { dimensions: 2, values: Float32Array.of(0, 1, 1, 0) };
    const never = { ...encoder, encodePassages: () => Promise.reject(new Error('asked')) };
    const { source, vectors: held } = await openLocalSource(
      passages,
      { method: 'flat' },
      { encoder: never, vectors },
    );
    expect(ids(await source.search('wolf', 1))).toEqual(['b']);
    expect(await held?.read()).toBe(vectors);
  });

  test.each(['lexical', 'flat', 'hybrid'])(
    'by %s are not opened for one who left',
    async (method) => {
      const signal = AbortSignal.abort(new Error('left'));
      const vectors = { dimensions: 2, values: Float32Array.of(0, 1, 1, 0) };
      const opened = openLocalSource([], { method }, { encoder, vectors }, { signal });
      await expect(opened).rejects.toThrow('left');
    },
  );

  test('the ways of searching, as menus and stored setups name them', () => {
    expect(
      LOCAL_METHODS.map(({ id, name, words, dense }) => [id, name, words, dense !== null]),
    ).toEqual([
      ['lexical', 'lexical (BM25)', true, false],
      ['flat', 'dense, exact', false, true],
      ['hnsw', 'dense, HNSW', false, true],
      ['cluster', 'dense, clusters', false, true],
      ['hybrid', 'hybrid (BM25 + dense)', true, true],
    ]);
    expect(LOCAL_METHODS.map(({ way }) => way)).toEqual([
      'words only (BM25)',
      'exact search over all vectors',
      'a graph (HNSW)',
      'clusters of the vectors',
      'words (BM25) and exact search over all vectors, fused',
    ]);
    expect(localMethod('flat').id).toBe('flat');
  });
});

describe('vectors that are kept', () => {
  test('in blocks of 512, told as they are known or made', async () => {
    const many = Array.from({ length: 515 }, (_, i) => p(`${i}`, i === 3 ? '2' : `${i}`));
    many[3] = { ...(many[2] as Passage), id: 'twin' };
    const kept = new Map<string, Float32Array>();
    const reads: number[] = [];
    const cache = {
      read: async (_: string, keys: readonly string[]) => {
        reads.push(keys.length);
        return keys.map((key) => kept.get(key));
      },
      write: async (_: string, keys: readonly string[], { values }: { values: Float32Array }) =>
        keys.forEach((key, i) => kept.set(key, values.slice(i, i + 1))),
    };
    const encoder = {
      id: 'numbers',
      dimensions: 1,
      encodePassages: async (
        some: readonly Passage[],
        onProgress?: (done: number, total: number) => void,
      ) => {
        onProgress?.(some.length, some.length);
        return { dimensions: 1, values: Float32Array.from(some, ({ text }) => Number(text)) };
      },
    };
    const told: [number, number][] = [];
    const onProgress = (...now: [number, number]) => told.push(now);
    const { values } = await encodeCached(encoder, many, cache, { onProgress });
    expect([...values.subarray(0, 5), values[514]]).toEqual([0, 1, 2, 2, 4, 514]);
    expect(reads).toEqual([512, 3]);
    // 511 different texts are made; the twin is known with its like.
    expect(told).toEqual([
      [512, 515],
      [512, 515],
      [515, 515],
      [515, 515],
    ]);
    told.length = 0;
    await encodeCached(encoder, many.slice(0, 512), cache, { onProgress });
    expect(told).toEqual([[512, 512]]);
    expect(kept.size).toBe(514);
    // A stored vector of another length is made again.
    const [first = ''] = kept.keys();
    kept.set(first, Float32Array.of(9, 9));
    expect((await encodeCached(encoder, many.slice(0, 1), cache)).values[0]).toBe(0);
    const signal = AbortSignal.abort(new Error('left'));
    await expect(encodeCached(encoder, many, cache, { signal })).rejects.toThrow('left');
  });

  test('4,096 of those that are met in searches', async () => {
    let encoded = 0;
    const similar = encodedSimilarities({
      id: 'one',
      dimensions: 1,
      encodeQuery: async () => Float32Array.of(2),
      encodePassages: async () => (encoded++, { dimensions: 1, values: Float32Array.of(3) }),
    });
    const many = Array.from({ length: 4097 }, (_, i) => p(`${i}`));
    expect((await similar('q', many.slice(0, 4096)))[4095]).toBe(6);
    await similar('q', many.slice(0, 1));
    expect(encoded).toBe(4096);
    await similar('q', many.slice(4096));
    await similar('q', many.slice(0, 1));
    expect(encoded).toBe(4097);
    await similar('q', many.slice(1, 2));
    expect(encoded).toBe(4098);
  });
});

describe('scans of vectors', () => {
  test('of more than 512 neighbours are as those of fewer', () => {
    const values = Float32Array.from({ length: 700 }, (_, i) => (i * 37) % 64);
    const index = new ExactIndex({ dimensions: 1, values });
    const query = Float32Array.of(2);
    const all = [...values.keys()]
      .map((row) => ({ index: row, similarity: 2 * (values[row] ?? NaN) }))
      .toSorted((a, b) => b.similarity - a.similarity || a.index - b.index);
    for (const k of [1, 511, 512, 513, 514, 700, 900])
      expect(index.search(query, k)).toEqual(all.slice(0, k));
    expect(index.search(query, -1)).toEqual([]);
    expect([index.size, index.bytes, index.similarity(query, 1)]).toEqual([700, 2800, 74]);
  });

  test('keep their best in order, negative ones too', () => {
    const best = new BestK(3);
    [-5, -1, -9, -1, -3].forEach((score, row) => best.offer(row, score));
    expect(best.list()).toEqual([
      { index: 1, similarity: -1 },
      { index: 3, similarity: -1 },
      { index: 4, similarity: -3 },
    ]);
  });

  test('a graph of few vectors: all are found; progress in sixteens', async () => {
    const values = Float32Array.from({ length: 40 }, (_, i) => ((i % 20) * (i < 20 ? 1 : -1)) / 20);
    const told: [number, number][] = [];
    const graph = await HnswIndex.build(
      { dimensions: 2, values },
      { m: 8 },
      { onProgress: (...now) => told.push(now) },
    );
    expect(told).toEqual([
      [0, 20],
      [16, 20],
      [20, 20],
    ]);
    expect(graph.bytes).toBe(2 * 160 + 20 * (2 * 8 * 4 + 16));
    expect([graph.size, graph.dimensions]).toEqual([20, 2]);
    const query = Float32Array.of(1, 0.5);
    const exact = new ExactIndex({ dimensions: 2, values });
    expect(graph.search(query, 30)).toEqual(exact.search(query, 20));
    const signal = AbortSignal.abort(new Error('left'));
    await expect(HnswIndex.build({ dimensions: 2, values }, {}, { signal })).rejects.toThrow(
      'left',
    );
  });
});

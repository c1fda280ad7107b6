import { describe, expect, test } from 'vitest';
import type { Hit } from '../../../src/records/hits.ts';
import type { Passage } from '../../../src/records/records.ts';
import { createRetriever } from '../../../src/retrieval/create.ts';
import type { DenseIndex } from '../../../src/retrieval/dense/dense.ts';
import { ExactIndex } from '../../../src/retrieval/dense/dense.ts';
import { BestK } from '../../../src/retrieval/dense/best-k.ts';
import { HnswIndex } from '../../../src/retrieval/dense/hnsw.ts';
import { LexicalIndex } from '../../../src/retrieval/lexical/lexical.ts';
import { LocalSource } from '../../../src/retrieval/local.ts';
import { LOCAL_METHODS, localMethod } from '../../../src/retrieval/methods/list.ts';
import { openLocalSource } from '../../../src/retrieval/open-local.ts';
import { encodedSimilarities } from '../../../src/retrieval/sources/similarities.ts';
import type { Source, SourceResult } from '../../../src/retrieval/sources/sources.ts';
import { encodeCached } from '../../../src/retrieval/sources/vector-cache.ts';
import { passage } from '../passages.ts';

/** A source that gives these passages, and remembers what it was asked. */
function given(name: 'local' | 'web', found: readonly Passage[], more: Partial<SourceResult> = {}) {
  const asked: unknown[] = [];
  const source: Source = {
    name,
    search: async (...args) => {
      asked.push(args);
      const hits = found.map((one, i): Hit => ({ passage: one, score: 1 / (i + 1), source: name }));
      return { hits, ...more };
    },
  };
  return { source, asked };
}
const p = (id: string, text = id) => passage(id, `T ${id}`, text);
const ids = ({ hits }: { hits: readonly Hit[] }) => hits.map(({ passage: { id } }) => id);
const failing = (name: 'local' | 'web', reason: unknown): Source => ({
  name,
  search: () => Promise.reject(reason),
});

describe('one of the two sources', () => {
  test('is asked as it is, and gives no text twice and no more than wanted', async () => {
    const local = given('local', [p('a'), { ...p('a'), id: 'again' }, p('b'), p('c'), p('d')]);
    const web = given('web', [p('w')], { requests: 3, bytes: 40 });
    let now = 100;
    const retriever = createRetriever({
      local: local.source,
      web: web.source,
      now: () => (now += 7),
    });
    const { signal } = new AbortController();
    const found = await retriever.search('local', 'q', 3, signal);
    expect(found).toEqual({
      query: 'q',
      source: 'local',
      hits: expect.anything(),
      latencyMs: 7,
      addedDelayMs: 0,
    });
    expect(ids(found)).toEqual(['a', 'b', 'c']);
    expect(local.asked).toEqual([['q', 3, signal]]);
    expect(web.asked).toEqual([]);
    expect(await retriever.search('web', 'q', 1)).toMatchObject({ requests: 3, bytes: 40 });
    expect(await retriever.search('web', 'q', 1)).not.toHaveProperty('failures');
  });
});

describe('both sources', () => {
  test('are asked for twice as many, and share their lists', async () => {
    const local = given('local', [p('a'), p('b')], { requests: 1 });
    const web = given('web', [p('c'), { ...p('a'), id: 'x' }], { bytes: 5 });
    const found = await createRetriever({ local: local.source, web: web.source }).search(
      'both',
      'nothing',
      2,
    );
    expect(local.asked).toEqual([['nothing', 4, undefined]]);
    expect(web.asked).toEqual([['nothing', 4, undefined]]);
    // No word is shared, so all are ordered by their texts: T a, T b, T c.
    // a: 1/61 + 1/62 + 1/61; c: 1/61 + 1/63; b: 1/62 + 1/62, which is the greater.
    expect(found.hits.map(({ passage: { id }, score, source }) => [id, score, source])).toEqual([
      ['a', expect.closeTo(2 / 61 + 1 / 62, 12), 'local'],
      ['c', expect.closeTo(1 / 61 + 1 / 63, 12), 'web'],
    ]);
    expect(found).toMatchObject({ requests: 1, bytes: 5 });
    expect(found).not.toHaveProperty('failures');
  });

  test('with a constant of fusion of their own', async () => {
    const parts = { local: given('local', [p('a')]).source, web: given('web', [p('c')]).source };
    const { hits } = await createRetriever({ ...parts, rrfK: 0 }).search('both', 'none', 2);
    expect(hits.map(({ score }) => score)).toEqual([2, 1.5]);
  });

  test('by similarity, of equal ones by text; sources that know no words of it', async () => {
    const alike = (name: 'local' | 'web', id: string, similarity: number): Source => ({
      name,
      search: async () => ({ hits: [{ passage: p(id), score: 1, source: name, similarity }] }),
    });
    const search = async (local: number, web: number) =>
      ids(
        await createRetriever({
          local: alike('local', 'b', local),
          web: alike('web', 'a', web),
          compareBy: 'similarity',
        }).search('both', 'b', 2),
      );
    expect(await search(0.5, 0.5)).toEqual(['a', 'b']);
    expect(await search(0.6, 0.5)).toEqual(['b', 'a']);
    expect(await search(0.5, 0.6)).toEqual(['a', 'b']);
    expect(await search(0, 0)).toEqual(['a', 'b']);
  });

  test('a failure of one is told, in its words or in ours', async () => {
    const { source } = given('web', [p('w')]);
    const broken = { local: failing('local', 'odd'), web: source };
    const found = await createRetriever(broken).search('both', 'q', 2);
    expect(ids(found)).toEqual(['w']);
    expect(found.failures).toEqual([{ source: 'local', message: 'it could not be asked' }]);
    const nothing = { local: failing('local', null), web: source };
    const { failures } = await createRetriever(nothing).search('both', 'q', 2);
    expect(failures).toEqual([{ source: 'local', message: 'it could not be asked' }]);
  });

  test('one who left hears why, although a source failed for it', async () => {
    const stop = new AbortController();
    const leaving: Source = {
      name: 'local',
      search: () => {
        stop.abort(new Error('left'));
        return Promise.reject(new Error('stopped'));
      },
    };
    const both = createRetriever({ local: leaving, web: given('web', [p('w')]).source });
    await expect(both.search('both', 'q', 1, stop.signal)).rejects.toThrow('left');
  });

  test('the delay of the web is for calls of the web, and never below nothing', async () => {
    const parts = { local: given('local', [p('a')]).source, web: given('web', [p('c')]).source };
    const delayed = (ms: number) => createRetriever({ ...parts, webDelayMs: () => ms });
    expect((await delayed(1).search('both', 'q', 1)).addedDelayMs).toBe(1);
    expect((await delayed(1).search('local', 'q', 1)).addedDelayMs).toBe(0);
    expect((await delayed(-5).search('web', 'q', 1)).addedDelayMs).toBe(0);
  });
});

describe('the local source', () => {
  const passages = Array.from({ length: 80 }, (_, i) =>
    p(`p${String(i).padStart(2, '0')}`, 'wolf'),
  );
  const encoder = { dimensions: 1, encodeQuery: async () => Float32Array.of(1) };
  /** All rows, the last first; says how many it was asked for. */
  const backwards = () => {
    const asked: number[] = [];
    const index: DenseIndex = {
      size: passages.length,
      dimensions: 1,
      search: (_, k) => {
        asked.push(k);
        return Array.from({ length: k }, (__, i) => ({ index: 79 - i, similarity: 1 - i / 100 }));
      },
      similarity: (_, row) => row / 100,
    };
    return { asked, index };
  };

  test('takes one list as deep as is asked, and fuses two of fifty at least', async () => {
    const alone = backwards();
    const dense = new LocalSource(passages, null, { index: alone.index, encoder });
    const found = await dense.search('wolf', 3);
    expect(alone.asked).toEqual([3]);
    expect(ids(found)).toEqual(['p79', 'p78', 'p77']);
    expect(found.hits[1]).toEqual({
      passage: passages[78],
      score: 1 / 62,
      source: 'local',
      denseRank: 2,
      similarity: 0.78,
    });
    const two = backwards();
    const both = new LocalSource(passages, new LexicalIndex(passages), {
      index: two.index,
      encoder,
    });
    await both.search('wolf', 3);
    await both.search('wolf', 60);
    expect(two.asked).toEqual([50, 60]);
    const shallow = backwards();
    const options = { depth: 5, rrfK: 0, weights: { lexical: 0, dense: 3 } };
    const weighted = new LocalSource(
      passages,
      new LexicalIndex(passages),
      { index: shallow.index, encoder },
      options,
    );
    const { hits } = await weighted.search('wolf', 2);
    expect(shallow.asked).toEqual([5]);
    expect(hits.map(({ score }) => score)).toEqual([3, 1.5]);
  });

  test('asks what knows the words in the place of the index', async () => {
    const { index, asked } = backwards();
    const queries: unknown[] = [];
    const search = (text: string, vector: Float32Array, k: number) => {
      queries.push([text, [...vector], k]);
      return [{ index: 7, similarity: 0.5 }];
    };
    const source = new LocalSource(passages, null, { index, encoder, search });
    expect(ids(await source.search('wolf', 4))).toEqual(['p07']);
    expect(queries).toEqual([['wolf', [1], 4]]);
    expect(asked).toEqual([]);
  });

  test('needs a list, and vectors of its passages', () => {
    expect(() => new LocalSource(passages, null, null)).toThrow(
      'a local source needs a lexical or a dense index',
    );
    const { index } = backwards();
    expect(() => new LocalSource(passages.slice(1), null, { index, encoder })).toThrow(
      '80 vectors for 79 passages',
    );
  });

  test('is not asked by who has gone', async () => {
    const source = new LocalSource(passages, new LexicalIndex(passages), null);
    await expect(source.search('wolf', 1, AbortSignal.abort(new Error('gone')))).rejects.toThrow(
      'gone',
    );
  });
});

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
      'words alone (BM25)',
      'the exact scan of all vectors',
      'a graph (HNSW)',
      'clusters of the vectors',
      'words (BM25) and the exact scan of all vectors, fused',
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

import { describe, expect, test } from 'vitest';
import type { Hit } from '../../../src/records/hits.ts';
import type { Passage } from '../../../src/records/records.ts';
import { createRetriever } from '../../../src/retrieval/create.ts';
import type { DenseIndex } from '../../../src/retrieval/dense/dense.ts';
import { LexicalIndex } from '../../../src/retrieval/lexical/lexical.ts';
import { LocalSource } from '../../../src/retrieval/local.ts';
import type { Source, SourceResult } from '../../../src/retrieval/sources.ts';
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
      // As the index says it, of its second: a list alone is not fused.
      score: 0.99,
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

  test('gives the scores of words where they alone are searched: a better match scores more', async () => {
    const index = new LexicalIndex(passages);
    const source = new LocalSource(passages, index, null);
    const scores = async (query: string) =>
      (await source.search(query, 3)).hits.map(({ score }) => score);
    const [weak, strong] = [await scores('wolf'), await scores('wolf p07')];
    expect(weak).toEqual(index.search('wolf', 3).map(({ score }) => score));
    expect(strong[0]).toBeGreaterThan(weak[0] ?? Infinity);
  });

  test('is not asked by who has gone', async () => {
    const source = new LocalSource(passages, new LexicalIndex(passages), null);
    await expect(source.search('wolf', 1, AbortSignal.abort(new Error('gone')))).rejects.toThrow(
      'gone',
    );
  });
});

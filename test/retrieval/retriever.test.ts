import { describe, expect, it } from 'vitest';
import { createRetriever } from '../../src/retrieval/create.ts';
import { ExactIndex } from '../../src/retrieval/dense/dense.ts';
import { LexicalIndex } from '../../src/retrieval/lexical/lexical.ts';
import { LocalSource, type DensePart } from '../../src/retrieval/local.ts';
import { relevance } from '../../src/retrieval/lexical/relevance.ts';
import type { Source } from '../../src/retrieval/sources.ts';
import { WebIndex } from '../../src/retrieval/web/client.ts';
import { buildWebIndex } from '../../src/retrieval/world/write.ts';
import { WebSource } from '../../src/retrieval/open.ts';
import { fetchFrom, passage } from './passages.ts';

const local = [
  passage('l1', 'Silent Harbor', 'Silent Harbor was directed by Mara Voss.'),
  passage('l2', 'Quiet Harbor', 'Quiet Harbor was directed by Ilse Brandt.'),
  passage('l3', 'Mara Voss', 'Mara Voss was born in Orlen.'),
];
const web = [
  passage('w1', 'Silent Harbor', 'Silent Harbor was directed by Mara Voss.'),
  passage('w2', 'Orlen', 'Orlen lies on the Tessa.'),
  passage('w3', 'Silent Harbor (book)', 'Silent Harbor is a book.'),
];

/** Vectors chosen by hand; the query vector is the same for every query. */
const dense: DensePart = {
  index: new ExactIndex({ dimensions: 2, values: new Float32Array([0.6, 0.8, 1, 0, 0, 1]) }),
  encoder: { dimensions: 2, encodeQuery: () => Promise.resolve(new Float32Array([1, 0])) },
};
const localSource = (part: DensePart | null): LocalSource =>
  new LocalSource(local, new LexicalIndex(local), part);
const webSource = (): WebSource =>
  new WebSource(() => WebIndex.open(fetchFrom(buildWebIndex(web))));
const retriever = (webDelayMs = 0) =>
  createRetriever({ local: localSource(dense), web: webSource(), webDelayMs: () => webDelayMs });

describe('the local source', () => {
  it('fuses the lexical and the dense list and shows both ranks', async () => {
    const { hits } = await localSource(dense).search('director of Silent Harbor', 3);
    expect(hits.map(({ passage: { id } }) => id)).toEqual(['l1', 'l2', 'l3']);
    expect(hits[0]).toMatchObject({ source: 'local', lexicalRank: 1, denseRank: 2 });
    expect(hits[0]?.similarity).toBeCloseTo(0.6, 6);
    expect(hits[0]?.score).toBeCloseTo(1 / 61 + 1 / 62, 12);
    expect(hits[1]?.score).toBeCloseTo(1 / 62 + 1 / 61, 12);
    expect(hits[2]!.lexicalRank).toBeUndefined();
  });

  it('is lexical alone without an encoder', async () => {
    const { hits } = await localSource(null).search('Mara', 3);
    expect(hits.map(({ passage: { id } }) => id)).toEqual(['l3', 'l1']);
    expect(hits[0]!.similarity).toBeUndefined();
  });

  it('refuses vectors of another corpus', () => {
    const index = new ExactIndex({ dimensions: 2, values: new Float32Array(4) });
    expect(() => localSource({ ...dense, index })).toThrow('2 vectors for 3 passages');
  });
});

describe('the retriever', () => {
  it('asks both, fuses the two lists and drops the duplicate text', async () => {
    const { hits, requests } = await retriever().search('both', 'director of Silent Harbor', 5);
    const titles = hits.map(({ passage: { title } }) => title);
    expect(titles[0]).toBe('Silent Harbor');
    expect(titles.filter((title) => title === 'Silent Harbor')).toHaveLength(1);
    expect(hits[0]).toMatchObject({ source: 'local', passage: { id: 'l1' } });
    // First in both lists and, as web hits have no similarity here, first of all by their words.
    expect(hits[0]?.score).toBeCloseTo(3 / 61, 12);
    expect(hits.some(({ source }) => source === 'web')).toBe(true);
    expect(requests).toBeGreaterThan(0);
  });

  it('compares hits by similarity only where all have one, and is told that one encoder made them', async () => {
    const similar = (name: 'local' | 'web', similarities: (number | undefined)[]): Source => ({
      name,
      search: async () => ({
        hits: similarities.map((similarity, i) => ({
          passage: passage(`${name}${i}`, `${name} ${i}`, i === 0 ? 'harbor' : 'harbor film'),
          score: 1 / (i + 1),
          source: name,
          similarity,
        })),
      }),
    });
    const order = async (web: (number | undefined)[], compareBy?: 'similarity' | 'words') => {
      const parts = { local: similar('local', [0.1, 0.2]), web: similar('web', web) };
      const retriever = createRetriever({ ...parts, ...(compareBy && { compareBy }) });
      const { hits } = await retriever.search('both', 'film', 4);
      return hits.map(({ passage: { id } }) => id);
    };
    // Similarity speaks for the web's; by words those with "film" gain: 1/62 + 1/61 and 1/62 + 1/62.
    expect(await order([0.9, 0.8], 'similarity')).toEqual(['web0', 'web1', 'local0', 'local1']);
    const byWords = ['local1', 'local0', 'web1', 'web0'];
    expect(await order([0.9, 0.8])).toEqual(byWords);
    expect(await order([0.9, undefined], 'similarity')).toEqual(byWords);
  });

  it('lets lexical hits win beside web hits with similarities: gold that is first locally is in the top', async () => {
    const rivers = Array.from({ length: 30 }, (_, i) =>
      passage(`r${i}`, `River ${i}`, `River ${i} runs through the town of Albi${i}.`),
    );
    const fiction = Array.from({ length: 30 }, (_, i) =>
      passage(`f${i}`, `Film ${i}`, `Film ${i} was made in the town by a director.`),
    );
    const web = new WebSource(
      () => WebIndex.open(fetchFrom(buildWebIndex(fiction))),
      async (_, passages) => passages.map((_, i) => 0.9 - i / 100),
    );
    const local = new LocalSource(rivers, new LexicalIndex(rivers), null);
    const both = createRetriever({ local, web });
    for (const nth of [3, 17, 28]) {
      const query = `Which river runs through the town of Albi${nth}?`;
      expect((await local.search(query, 1)).hits[0]?.passage.id).toBe(`r${nth}`);
      for (const k of [2, 6, 20]) {
        const { hits } = await both.search('both', query, k);
        expect(hits[0]?.passage.id).toBe(`r${nth}`);
      }
    }
    // And the other way round: what only the web has is first where it is the better match.
    const { hits } = await both.search('both', 'director of Film 11', 6);
    expect(hits[0]?.passage.id).toBe('f11');
  });

  it('goes on with the source that answers where the other one fails, and says which did', async () => {
    const failing = (name: 'local' | 'web'): Source => ({
      name,
      search: () => Promise.reject(new Error(`${name} is down`)),
    });
    const sources = { local: localSource(dense), web: failing('web') };
    const { hits, failures } = await createRetriever(sources).search('both', 'Mara Voss', 3);
    expect(hits[0]?.passage.id).toBe('l3');
    expect(failures).toEqual([{ source: 'web', message: 'web is down' }]);
    const none = createRetriever({ local: failing('local'), web: failing('web') });
    await expect(none.search('both', 'Mara Voss', 3)).rejects.toThrow('local is down');
    const alone = createRetriever(sources).search('web', 'Mara Voss', 3);
    await expect(alone).rejects.toThrow('web is down');
  });

  it('reports the delay that was asked for apart from the rest', async () => {
    const slow = await retriever(40).search('web', 'Orlen', 3);
    expect(slow.addedDelayMs).toBe(40);
    expect(slow.latencyMs).toBeGreaterThanOrEqual(39);
    const notDelayed = await retriever(40).search('local', 'Orlen', 3);
    expect(notDelayed.addedDelayMs).toBe(0);
    expect(notDelayed.requests).toBeUndefined();
  });

  it('gives the same hits every time', async () => {
    const first = await retriever().search('both', 'Silent Harbor', 3);
    const second = await retriever().search('both', 'Silent Harbor', 3);
    expect(second.hits).toEqual(first.hits);
  });

  it('ends with the reason of the signal, before and during a call', async () => {
    const early = AbortSignal.abort(new Error('cancelled'));
    await expect(retriever().search('local', 'x', 1, early)).rejects.toThrow('cancelled');
    const controller = new AbortController();
    const started = performance.now();
    const late = retriever(10_000).search('web', 'Orlen', 1, controller.signal);
    setTimeout(() => controller.abort(new Error('cancelled')), 10);
    await expect(late).rejects.toThrow('cancelled');
    expect(performance.now() - started).toBeLessThan(5_000);
  });

  it('tries again after the web index could not be opened', async () => {
    let broken = true;
    const source = new WebSource(() =>
      broken ? Promise.reject(new Error('offline')) : WebIndex.open(fetchFrom(buildWebIndex(web))),
    );
    await expect(source.search('Orlen', 1)).rejects.toThrow('offline');
    broken = false;
    expect((await source.search('Orlen', 1)).hits).toHaveLength(1);
  });
});

describe('relevance', () => {
  it('is the mean similarity and the share of query terms found', async () => {
    const { hits } = await localSource(dense).search('Silent Harbor river', 2);
    const found = relevance('Silent Harbor river', hits);
    expect(found.meanSimilarity).toBeCloseTo((0.6 + 1) / 2, 6);
    expect(found.termOverlap).toBeCloseTo(2 / 3, 12);
  });

  it('is null and zero without hits', () => {
    expect(relevance('anything', [])).toEqual({ meanSimilarity: null, termOverlap: 0 });
    expect(relevance('', [])).toEqual({ meanSimilarity: null, termOverlap: 0 });
  });
});

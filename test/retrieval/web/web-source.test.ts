import { describe, expect, it } from 'vitest';
import { buildWebIndex } from '../../../src/retrieval/world/write.ts';
import { WebIndex } from '../../../src/retrieval/web/client.ts';
import { WebSource } from '../../../src/retrieval/open.ts';
import { fetchFrom, passage } from '../passages.ts';

const corpus = [
  passage('w1', 'Silent Harbor', 'Silent Harbor is a film.', 'It was directed by Mara Voss.'),
  passage('w2', 'Mara Voss', 'Mara Voss was born in Orlen.'),
];
const files = buildWebIndex(corpus, { termShards: 2, passagesPerShard: 1 });
const open = (): Promise<WebIndex> => WebIndex.open(fetchFrom(files));

describe('the web corpus as a source', () => {
  it('ranks by BM25 and tells the rank, and what the call cost', async () => {
    const { hits, requests, bytes } = await new WebSource(open).search('Mara Voss', 5);
    expect(
      hits.map(({ passage: { id }, source, lexicalRank }) => [id, source, lexicalRank]),
    ).toEqual([
      ['w2', 'web', 1],
      ['w1', 'web', 2],
    ]);
    expect(hits[0]!.similarity).toBeUndefined();
    expect(requests).toBeGreaterThan(0);
    expect(bytes).toBeGreaterThan(0);
  });

  it('fills in how similar each passage is, where an encoder tells, and keeps the order', async () => {
    const source = new WebSource(open, (_, passages) =>
      Promise.resolve(passages.map(({ id }) => (id === 'w1' ? 0.9 : 0))),
    );
    const { hits } = await source.search('Mara Voss', 5);
    expect(hits.map(({ passage: { id }, similarity }) => [id, similarity])).toEqual([
      ['w2', 0],
      ['w1', 0.9],
    ]);
  });

  it('opens its index once, with the first search or ahead of it', async () => {
    let opened = 0;
    const source = new WebSource(() => {
      opened++;
      return open();
    });
    expect(opened).toBe(0);
    await source.prepare();
    await source.search('film', 1);
    expect(opened).toBe(1);
  });

  it('tries again after an index that did not open', async () => {
    let tries = 0;
    const source = new WebSource(() =>
      ++tries === 1 ? Promise.reject(new Error('offline')) : open(),
    );
    await expect(source.search('film', 1)).rejects.toThrow('offline');
    expect((await source.search('film', 1)).hits).toHaveLength(1);
  });

  it('pays for every call with the cache off', async () => {
    const source = new WebSource(open);
    await source.search('film', 1);
    expect((await source.search('film', 1)).requests).toBe(0);
    source.cache = 'off';
    expect((await source.search('film', 1)).requests).toBeGreaterThan(0);
  });

  it('tells whether one passage mentions words together; words alike it cannot list', async () => {
    const { mentions } = new WebSource(open);
    expect(await mentions.together(['mara', 'orlen'])).toBe(true);
    expect(await mentions.together(['silent', 'orlen'])).toBe(false);
    expect(await mentions.almost('orlenn')).toBe(false);
  });
});

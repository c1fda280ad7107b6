import { describe, expect, it } from 'vitest';
import { openWebSource, type EngineSpec } from '../../../src/retrieval/engines/open.ts';
import { testConnection } from '../../../src/retrieval/engines/test-connection.ts';

/**
 * The same client against servers that others wrote: a MediaWiki (test/fixtures/mediawiki/serve.sh) and
 * the published retrieval servers (test/fixtures/retrieval-servers/run.py). Run by hand: they have to
 * be started first.
 */

const builtIn = () => {
  throw new Error('the built-in web was asked for');
};
const open = (spec: EngineSpec) => openWebSource(spec, { builtIn });

const wiki = process.env.FORAGE_WIKI ?? '';

describe.skipIf(wiki === '')('a real MediaWiki', () => {
  const spec = { kind: 'mediawiki' as const, url: wiki };

  it('passes the test of its connection', async () => {
    expect(await testConnection(spec, { query: 'wolf' })).toMatchObject({ outcome: 'ok' });
    expect(await testConnection(spec, { query: 'zzzz' })).toMatchObject({ outcome: 'empty' });
    const notThere = { ...spec, url: wiki.replace('api.php', 'index.php') };
    expect(await testConnection(notThere)).toMatchObject({ outcome: 'not-found' });
  });

  it.each([
    ['Old Wolf', 'Old Wolf', 1],
    ['Who was the author of Old Wolf?', 'Old Wolf', 2],
    ['Kerlund', 'Victor Kerlund', 1],
    ['Who directed The Grey Pack?', 'The Grey Pack', 2],
    ['Étoile-sur-Mer', 'Étoile-sur-Mer', 1],
  ])('finds for %j the page %j in %i requests', async (query, title, requests) => {
    const found = await open(spec).search(query, 5);
    expect(found.hits.map(({ passage }) => passage.title)).toContain(title);
    expect(found.requests).toBe(requests);
  });

  it('gives twenty introductions in one request, each with its address', async () => {
    const { hits, requests } = await open(spec).search('wolf', 20);
    expect([hits.length, requests]).toEqual([20, 1]);
    expect(
      hits.every(({ passage }) => passage.url?.startsWith('http') && passage.text !== ''),
    ).toBe(true);
  });

  it('gives more than its extracts allow in one answer', async () => {
    const { hits, requests } = await open(spec).search('wolf', 30);
    expect(hits.length).toBe(30);
    expect(requests).toBeLessThanOrEqual(4);
  });
});

const servers = process.env.FORAGE_SERVERS ?? '';

describe.skipIf(servers === '')('the published servers', () => {
  it.each([
    ['search-r1', 'http://127.0.0.1:8401/retrieve', [0.91, 0.75]],
    ['r1-searcher', 'http://127.0.0.1:8402/queries', [1, 0.5]],
    ['research', 'http://127.0.0.1:8403/batch_search', [0.91, 0.75]],
  ] as const)('%s answers', async (kind, url, scores) => {
    const { hits } = await open({ kind, url }).search('old wolf', 2);
    expect(hits.map(({ passage }) => [passage.id, passage.title])).toEqual([
      [`${kind}/14`, 'Old Wolf'],
      [`${kind}/7`, 'The Grey Pack'],
    ]);
    expect(hits.map(({ score }) => score)).toEqual(scores);
    expect(await testConnection({ kind, url })).toMatchObject({ outcome: 'ok' });
    const elsewhere = { kind, url: url.replace(/\/\w+$/u, '/elsewhere') };
    expect(await testConnection(elsewhere)).toMatchObject({ outcome: 'not-found', status: 404 });
  });
});

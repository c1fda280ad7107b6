import { afterEach, describe, expect, it } from 'vitest';
import type { WebSpec } from '../../../src/records/setup.ts';
import { openWebSource } from '../../../src/retrieval/engines/open.ts';
import { json, serve, type Reply, type TestServer } from './server.ts';
import {
  r1SearcherReply,
  researchReply,
  searchR1Reply,
  searxngReply,
  wikiFixture,
  wikiReply,
} from './strict.ts';

const servers: TestServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

async function open(kind: Exclude<WebSpec['kind'], 'built-in'>, reply: Reply, path: string) {
  const server = await serve(reply);
  servers.push(server);
  const builtIn = () => {
    throw new Error('the built-in web was asked for');
  };
  const source = openWebSource({ kind, url: server.url + path }, { builtIn });
  return { server, source };
}

const shown = (hits: readonly { passage: { id: string; title: string; text: string } }[]) =>
  hits.map(({ passage }) => [passage.id, passage.title, passage.text]);

const LOCAL_TEXTS = [
  ['14', 'Old Wolf', 'Old Wolf is a novel by Victor Kerlund. It came out in 1931.'],
  ['7', 'The Grey Pack', 'The Grey Pack is a 1958 film.'],
];

describe('MediaWiki', () => {
  it('reads the introductions of the pages found, in one call, in the order of the wiki', async () => {
    const { server, source } = await open('mediawiki', wikiReply, '/w/api.php');
    const result = await source.search('wolf', 5);
    expect(server.asked).toHaveLength(1);
    expect(result).toMatchObject({ requests: 1, cached: false });
    expect(result.bytes).toBe(Buffer.byteLength(wikiFixture('wolf')));
    expect(result.hits.map(({ passage }) => passage.title).slice(0, 3)).toEqual([
      'Old Wolf',
      'Wolf (disambiguation)',
      'Wolf 0',
    ]);
    const [first] = result.hits;
    expect(first?.passage).toMatchObject({
      id: `${new URL(server.url).host}/2`,
      url: 'http://127.0.0.1:8399/index.php/Old_Wolf',
      sentences: [
        'Old Wolf is a novel by Victor Kerlund.',
        'It was published in 1931.',
        'A film of it, The Grey Pack, followed in 1958.',
      ],
    });
    expect(first?.source).toBe('web');
    expect(result.hits.map(({ score }) => score)).toEqual([1, 1 / 2, 1 / 3, 1 / 4, 1 / 5]);
    for (const { passage } of result.hits) expect(passage.text).toBe(passage.sentences.join(' '));
  });

  it('says who it is', async () => {
    const { server, source } = await open('mediawiki', wikiReply, '/w/api.php');
    await source.search('wolf', 5);
    expect(server.asked[0]?.headers['api-user-agent']).toContain('Forage');
  });

  it('asks a question that finds nothing again with its names', async () => {
    const { server, source } = await open('mediawiki', wikiReply, '/w/api.php');
    const { hits, requests } = await source.search('Where does Wolf live?', 2);
    expect(server.asked.map(({ url }) => url.searchParams.get('gsrsearch'))).toEqual([
      'Where does Wolf live',
      'Wolf',
    ]);
    expect(requests).toBe(2);
    expect(hits).toHaveLength(2);
  });

  it('follows a continuation until the batch is complete', async () => {
    const parts = ['wolf-part1', 'wolf'];
    const { server, source } = await open(
      'mediawiki',
      (_, response) => json(response, wikiFixture(parts.shift() ?? 'nothing')),
      '/api.php',
    );
    const { hits } = await source.search('wolf', 5);
    expect(server.asked).toHaveLength(2);
    expect(server.asked[1]?.url.searchParams.get('excontinue')).toBe('2');
    expect(hits.every(({ passage }) => passage.text.length > 20)).toBe(true);
  });

  it('shows snippets without their markup where a wiki has no extracts', async () => {
    const { source } = await open(
      'mediawiki',
      ({ url }, response) =>
        json(
          response,
          wikiFixture(url.searchParams.has('generator') ? 'no-extracts' : 'wolf-snippets'),
        ),
      '/api.php',
    );
    const { hits, requests } = await source.search('wolf', 5);
    expect(requests).toBe(2);
    expect(hits[0]?.passage.text).toMatch(
      /^Old Wolf is a novel by Victor Kerlund\. It was published in 1931\. A film o/u,
    );
    expect(hits.map(({ passage }) => passage.text).join('')).not.toMatch(/<span|&#|'''|\[\[/u);
  });

  it('waits as long as a lagging wiki asks, and then asks again', async () => {
    let lagging = true;
    const { server, source } = await open(
      'mediawiki',
      (_, response) => {
        // Manual:Maxlag_parameter: status 200, an error and a Retry-After header.
        if (!lagging) return json(response, wikiFixture('wolf'));
        lagging = false;
        return json(
          response,
          { error: { code: 'maxlag', info: 'Waiting for a database server: 6 seconds lagged.' } },
          200,
          { 'Retry-After': '1' },
        );
      },
      '/api.php',
    );
    const start = performance.now();
    const { hits, requests } = await source.search('wolf', 1);
    expect(performance.now() - start).toBeGreaterThan(990);
    expect([hits.length, requests, server.asked.length]).toEqual([1, 2, 2]);
  });

  it('gives the wiki’s own error', async () => {
    const { source } = await open(
      'mediawiki',
      (_, response) => json(response, { error: { code: 'readapidenied', info: 'no' } }),
      '/api.php',
    );
    await expect(source.search('wolf', 1)).rejects.toMatchObject({
      fault: 'engine',
      message: expect.stringContaining('logging in'),
    });
  });
});

describe('the other protocols', () => {
  it('SearXNG: markup becomes text, addresses that run code and empty results go', async () => {
    const { source } = await open('searxng', searxngReply, '/');
    const { hits } = await source.search('old wolf', 5);
    expect(
      hits.map(({ passage, score }) => [passage.title, passage.text, passage.url, score]),
    ).toEqual([
      [
        'Old Wolf & others',
        'A novel by Victor Kerlund – from 1931.',
        'https://example.org/old-wolf',
        4,
      ],
      ['Bad', 'An address that is none.', undefined, 1],
    ]);
  });

  it('Search-R1: contents with the title in quotes, scores of the server', async () => {
    const { source } = await open('search-r1', searchR1Reply, '/retrieve');
    const { hits } = await source.search('old wolf', 2);
    expect(shown(hits)).toEqual(LOCAL_TEXTS.map(([id, ...rest]) => [`search-r1/${id}`, ...rest]));
    expect(hits.map(({ score }) => score)).toEqual([0.91, 0.75]);
  });

  it('Search-R1: documents without scores or ids, and more of them than were asked for', async () => {
    const document = { title: 'Old Wolf', text: 'A novel.', contents: '"Old Wolf"\nA novel.' };
    const { source } = await open(
      'search-r1',
      (_, response) =>
        json(response, { result: [[document, { document }, { id: 3, contents: 'x' }]] }),
      '/retrieve',
    );
    const { hits } = await source.search('old wolf', 2);
    // The two documents are one: their ids come from their text.
    expect(shown(hits).map(([, ...rest]) => rest)).toEqual([['Old Wolf', 'A novel.']]);
    expect(hits[0]?.passage.id).toMatch(/^search-r1\/[0-9a-f]{16}$/u);
  });

  it('R1-Searcher: the number goes, title and text part, CSV quotes are undone', async () => {
    const { source } = await open('r1-searcher', r1SearcherReply, '/queries');
    const { hits } = await source.search('old wolf', 2);
    expect(shown(hits)).toEqual([
      ['r1-searcher/14', 'Old Wolf', 'Old Wolf is a novel by Victor Kerlund. It came out in 1931.'],
      ['r1-searcher/7', 'The Grey Pack', '"The Grey Pack" is a 1958 film.'],
    ]);
  });

  it('ReSearch: the pair of documents and scores', async () => {
    const { source } = await open('research', researchReply, '/batch_search');
    const { hits } = await source.search('old wolf', 2);
    expect(shown(hits)).toEqual(LOCAL_TEXTS.map(([id, ...rest]) => [`research/${id}`, ...rest]));
    expect(hits.map(({ score }) => score)).toEqual([0.91, 0.75]);
  });

  it('ReSearch: documents alone', async () => {
    const { source } = await open(
      'research',
      (_, response) => json(response, [[{ id: '1', contents: 'A\nB.' }]]),
      '/batch_search',
    );
    const { hits } = await source.search('x', 2);
    expect(shown(hits)).toEqual([['research/1', 'A', 'B.']]);
  });
});

describe('a web source', () => {
  it('answers the second time from memory, and asks again for another k', async () => {
    const { server, source } = await open('search-r1', searchR1Reply, '/retrieve');
    const first = await source.search('old wolf', 2);
    const second = await source.search(' old  wolf ', 2);
    expect(second.hits).toEqual(first.hits);
    expect(second).toMatchObject({ requests: 0, bytes: 0, cached: true });
    await source.search('old wolf', 3);
    expect(server.asked).toHaveLength(2);
  });

  it('asks once for equal searches at the same time', async () => {
    const { server, source } = await open('search-r1', searchR1Reply, '/retrieve');
    const results = await Promise.all(
      Array.from({ length: 8 }, () => source.search('old wolf', 2)),
    );
    expect(server.asked).toHaveLength(1);
    expect(results.reduce((sum, { requests = 0 }) => sum + requests, 0)).toBe(1);
    expect(new Set(results.map(({ hits }) => hits.length))).toEqual(new Set([2]));
  });

  it('lets go of one caller without disturbing the others', async () => {
    let release: (() => void) | undefined;
    const { source } = await open(
      'search-r1',
      async (asked, response) => {
        await new Promise<void>((resolve) => (release = resolve));
        await searchR1Reply(asked, response);
      },
      '/retrieve',
    );
    const controller = new AbortController();
    const leaving = source.search('old wolf', 2, controller.signal);
    const staying = source.search('old wolf', 2);
    await expect.poll(() => release).toBeDefined();
    controller.abort(new Error('enough'));
    await expect(leaving).rejects.toThrow('enough');
    release?.();
    expect((await staying).hits).toHaveLength(2);
  });

  it('asks for nothing where there is nothing to ask', async () => {
    const { server, source } = await open('search-r1', searchR1Reply, '/retrieve');
    expect((await source.search('  ', 3)).hits).toEqual([]);
    expect((await source.search('wolf', 0)).hits).toEqual([]);
    expect(server.asked).toHaveLength(0);
  });

  it('is the built-in one where the setup says so', () => {
    const own = { name: 'web' as const, search: () => Promise.resolve({ hits: [] }) };
    expect(openWebSource({ kind: 'built-in' }, { builtIn: () => own })).toBe(own);
  });
});

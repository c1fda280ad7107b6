import { describe, expect, test } from 'vitest';
import type { HttpDeps } from '../../../src/retrieval/engines/http/http.ts';
import { engineKind, ENGINES } from '../../../src/retrieval/engines/kinds/list.ts';
import { openWebSource } from '../../../src/retrieval/engines/open.ts';
import {
  testConnection,
  type ConnectionTest,
} from '../../../src/retrieval/engines/test-connection.ts';
import type { Source } from '../../../src/retrieval/sources.ts';

const deps = (fetch: HttpDeps['fetch']): HttpDeps => {
  let now = 0;
  return {
    fetch,
    // Every look at the clock is ten milliseconds later.
    now: () => (now += 10),
    sleep: () => Promise.resolve(),
    random: () => 0,
  };
};

const SPEC = { kind: 'search-r1', url: 'http://lab.test:8000/retrieve' };
const ADDRESS = 'The address ends in /retrieve.';

const tested = (
  reply: () => Response | Promise<Response>,
  { spec = SPEC, ...options }: ConnectionTest & { spec?: typeof SPEC } = {},
) => testConnection(spec, { http: deps(async () => reply()), stream: null, ...options });

const status = (code: number, headers = {}) =>
  tested(() => new Response('no', { status: code, headers }));

describe('what a person is told', () => {
  test('where it works: how many, and the first', async () => {
    const asked: unknown[] = [];
    const http = deps(async (_, init) => {
      asked.push(JSON.parse(init?.body as string));
      return Response.json({
        result: [
          [
            { title: 'T', text: 'One.' },
            { title: 'U', text: 'Two.' },
          ],
        ],
      });
    });
    const report = await testConnection(SPEC, { http });
    expect(report).toEqual({
      outcome: 'ok',
      said: '2 found for “history”.',
      advice: '',
      status: null,
      latencyMs: expect.any(Number),
      requests: 1,
      bytes: expect.any(Number),
      sample: { title: 'T', text: 'One.' },
    });
    expect(report.sample!.url).toBeUndefined();
    expect(report.latencyMs).toBeGreaterThan(0);
    expect(asked).toEqual([{ queries: ['history'], topk: 3, return_scores: true }]);
  });

  test('where nothing is found', async () => {
    const report = await tested(() => Response.json({ result: [[]] }), { query: 'zebra' });
    expect(report).toMatchObject({
      outcome: 'empty',
      said: 'The server answered, but found nothing for “zebra”.',
      advice: 'Try words that its corpus contains.',
      sample: null,
      requests: 1,
    });
  });

  const LOGIN =
    'Ask its owner for access without a login from this machine, or use another server.';
  const OTHER = `Another kind of server may answer there. ${ADDRESS}`;
  const LOG = 'Look at its log; the request was correct as far as this page can tell.';
  const login = (code: number) =>
    `The server wants a login or refuses this caller (HTTP ${code}: no).`;
  const lacks = (code: number) =>
    `lab.test:8000 answers, but has no such call there (HTTP ${code}: no).`;
  const kind = `${ADDRESS} If it is right, another kind of server runs there.`;
  const puzzled = (code: number) => `The server does not understand the call (HTTP ${code}: no).`;
  test.each([
    [400, 'http', puzzled(400), OTHER],
    [401, 'unauthorized', login(401), LOGIN],
    [402, 'http', 'The server refused (HTTP 402: no).', ADDRESS],
    [403, 'unauthorized', login(403), LOGIN],
    [404, 'not-found', lacks(404), kind],
    [405, 'not-found', lacks(405), kind],
    [415, 'http', puzzled(415), OTHER],
    [422, 'http', puzzled(422), OTHER],
    [
      429,
      'rate-limited',
      'The server has had enough calls for now (HTTP 429: no).',
      'Wait a minute and try again.',
    ],
    [499, 'http', 'The server refused (HTTP 499: no).', ADDRESS],
    [500, 'server-error', 'The server failed (HTTP 500: no).', LOG],
    [503, 'server-error', 'The server failed (HTTP 503: no).', LOG],
  ])('status %i: %s', async (code, outcome, said, advice) => {
    expect(await status(code)).toMatchObject({ outcome, said, advice, status: code, requests: 1 });
  });

  test('how long to wait, in whole seconds', async () => {
    const { advice } = await status(429, { 'Retry-After': '5' });
    expect(advice).toBe('Try again in 5 s.');
  });

  test('a SearXNG without JSON, and one that wants a login', async () => {
    const spec = { kind: 'searxng', url: 'http://lab.test:8000/' };
    const reply = (code: number) => tested(() => new Response('no', { status: code }), { spec });
    expect(await reply(403)).toMatchObject({
      outcome: 'unauthorized',
      said: 'The instance refuses JSON (HTTP 403: no).',
      advice: 'Add json to search.formats in its settings.yml. Many public instances leave it out.',
    });
    expect((await reply(401)).advice).toBe(LOGIN);
  });

  test.each([
    [
      '<p>',
      'not-json',
      'lab.test:8000 answered, but the answer is a web page, not JSON.',
      `The address may be that of a page for people. ${ADDRESS}`,
    ],
    [
      '[]',
      'wrong-shape',
      /^lab\.test:8000 answered with JSON of another kind: the answer does not have the format of Search-R1’s \/retrieve: .+\.$/,
      OTHER,
    ],
    [
      `"${'x'.repeat(200)}"`,
      'too-large',
      'lab.test:8000 sent too much: the answer has more than 100 bytes.',
      ADDRESS,
    ],
  ])('an answer like %s', async (body, outcome, said, advice) => {
    const report = await tested(() => new Response(body), { limits: { maxBytes: 100 } });
    expect(report).toMatchObject({
      outcome,
      said: typeof said === 'string' ? said : expect.stringMatching(said),
      advice,
      status: null,
      requests: 1,
    });
  });

  test.each([
    [
      'maxlag',
      'The engine answered with an error: maxlag: late.',
      'It says that this is temporary. Try again in a minute.',
    ],
    ['badvalue', 'The engine answered with an error: badvalue: late.', ''],
  ])('the engine’s own error %s', async (code, said, advice) => {
    const spec = { kind: 'mediawiki', url: 'http://lab.test:8000/api.php' };
    const report = await tested(() => Response.json({ error: { code, info: 'late' } }), { spec });
    expect(report).toMatchObject({ outcome: 'engine', said, advice, requests: 1 });
  });

  const fails = () => Promise.reject(new TypeError('Failed to fetch'));
  test('nobody there', async () => {
    expect(await tested(fails)).toMatchObject({
      outcome: 'unreachable',
      said: 'Nothing answers at lab.test:8000: refused, no such host, or no network.',
      advice:
        'Check that the server runs and that host and port are right; open the address in a tab.',
      requests: 1,
    });
  });

  test('no answer in time', async () => {
    const hangs = deps(
      (_, init) =>
        new Promise((_resolve, reject) => {
          init?.signal?.addEventListener('abort', () => reject(new Error('stopped')));
        }),
    );
    const report = await testConnection(SPEC, { http: hangs, limits: { timeoutMs: 20 } });
    expect(report).toMatchObject({
      outcome: 'timeout',
      said: 'lab.test:8000 accepted the call but gave no answer within 0.02 s.',
      advice:
        'It may still be loading its index, or a firewall drops the call. Try again in a minute.',
    });
  });

  test.each([
    ['https://page.test', 'http://lab.test:8000/x', 'mixed-content'],
    ['https://page.test', 'https://lab.test:8000/x', 'unreachable'],
    ['http://page.test', 'http://lab.test:8000/x', 'unreachable'],
    [null, 'http://lab.test:8000/x', 'unreachable'],
    ['https://page.test', 'http://localhost:8000/x', 'unreachable'],
    ['https://page.test', 'http://127.0.0.1:8000/x', 'unreachable'],
    ['https://page.test', 'http://127.1.2.3:8000/x', 'unreachable'],
    ['https://page.test', 'http://[::1]:8000/x', 'unreachable'],
    ['https://page.test', 'http://a.localhost/x', 'unreachable'],
    ['https://page.test', 'http://localhost.test/x', 'mixed-content'],
    ['https://page.test', 'http://my-localhost/x', 'mixed-content'],
  ])('a page at %s that asks %s: %s', async (origin, url, outcome) => {
    const report = await tested(fails, { origin, spec: { ...SPEC, url } });
    expect(report.outcome).toBe(outcome);
    if (outcome === 'mixed-content')
      expect([report.said, report.advice]).toEqual([
        'This page is served by HTTPS, and a browser lets it call HTTP only on this machine.',
        'Give the server HTTPS, or serve Forage by HTTP from a host that you trust.',
      ]);
  });

  test.each(ENGINES.map(({ id }) => id))(
    'a server of kind %s that hides its answers',
    async (kindId) => {
      const http = deps((_, init) =>
        init?.mode === 'no-cors' ? Promise.resolve(new Response(null)) : fails(),
      );
      const report = await testConnection(
        { kind: kindId, url: 'http://lab.test:8000/x' },
        { http },
      );
      expect(report).toMatchObject({
        outcome: 'cors',
        said: 'lab.test:8000 is there, but the browser may not let this page read its answer (CORS).',
        advice: engineKind(kindId).corsAdvice,
      });
    },
  );

  test('one who left hears why', async () => {
    const signal = AbortSignal.abort(new Error('left'));
    await expect(tested(() => Response.json({}), { signal })).rejects.toThrow('left');
  });
});

test('the kinds, as the menu shows them and as setups name them', () => {
  expect(ENGINES.map(({ id, name, example }) => [id, name, example])).toEqual([
    ['mediawiki', 'MediaWiki (Wikipedia)', 'en.wikipedia.org'],
    ['searxng', 'SearXNG', 'localhost:8080'],
    ['search-r1', 'Search-R1 server', 'localhost:8000/retrieve'],
    ['r1-searcher', 'R1-Searcher server', 'localhost:5004/queries'],
    ['research', 'ReSearch server', 'localhost:8000/batch_search'],
  ]);
  expect(ENGINES.map(({ id, open }) => open(`http://a.test/${id}`).id)).toEqual([
    'mediawiki:http://a.test/mediawiki',
    'searxng:http://a.test/searxng/search',
    'search-r1:http://a.test/search-r1',
    'r1-searcher:http://a.test/r1-searcher',
    'research:http://a.test/research',
  ]);
});

describe('the web source of a setup', () => {
  const builtIn: Source = { name: 'web', search: async () => ({ hits: [] }) };
  const asking = (result: object[]) => {
    let asked = 0;
    const http = deps(async () => (asked++, Response.json({ result: [result] })));
    return { http, asked: () => asked };
  };
  const documents = [
    { id: 1, title: 'A', text: 'One.' },
    { id: 2, title: 'B', text: 'Two.' },
    { id: 1, title: 'A again', text: 'Three.' },
    { id: 3, title: 'C', text: 'Four.' },
  ];

  test('is the built-in one, or one with the order of its engine', async () => {
    expect(openWebSource({ kind: 'built-in' }, { builtIn: () => builtIn })).toBe(builtIn);
    const { http } = asking(documents);
    const source = openWebSource(SPEC, { builtIn: () => builtIn, http });
    const { hits, ...rest } = await source.search(' who\n is  it? ', 3);
    expect(hits.map(({ passage, score, ...hit }) => [passage.title, score, hit])).toEqual([
      ['A', 1, { source: 'web', lexicalRank: 1 }],
      ['B', 0.5, { source: 'web', lexicalRank: 2 }],
    ]);
    expect(rest).toMatchObject({ requests: 1, cached: false });
    expect(rest.bytes).toBeGreaterThan(10);
    expect(rest.latencyMs).toBeGreaterThan(0);
  });

  test('gives an answer twice, unless each call is to pay for itself', async () => {
    const twice = async (cache: 'memory' | 'off') => {
      const { http, asked } = asking(documents);
      const source = openWebSource(SPEC, { builtIn: () => builtIn, http, cache });
      await source.search('who', 2);
      const again = await source.search(' who ', 2);
      return { asked: asked(), again };
    };
    const { asked: once, again } = await twice('memory');
    expect(once).toBe(1);
    expect(again).toMatchObject({ requests: 0, bytes: 0, cached: true });
    expect(again.hits.map(({ passage }) => passage.title)).toEqual(['A', 'B']);
    expect((await twice('off')).asked).toBe(2);
  });

  test('has the similarities that are filled in, in its own order', async () => {
    const { http } = asking(documents);
    const asked: unknown[] = [];
    const source = openWebSource(SPEC, {
      builtIn: () => builtIn,
      http,
      similarities: async (query, passages) => {
        asked.push([query, passages.map(({ title }) => title)]);
        return [0.25, 0.75, 0.5];
      },
    });
    const { hits } = await source.search('who', 4);
    expect(asked).toEqual([['who', ['A', 'B', 'C']]]);
    expect(hits.map(({ similarity }) => similarity)).toEqual([0.25, 0.75, 0.5]);
  });

  test.each([
    [60, 50],
    [50, 50],
    [1.9, 1],
  ])('of %d wanted asks for %i', async (k, topk) => {
    const asked: unknown[] = [];
    const http = deps(async (_, init) => {
      asked.push(JSON.parse(init?.body as string));
      return Response.json({ result: [[]] });
    });
    await openWebSource(SPEC, { builtIn: () => builtIn, http }).search('who', k);
    expect(asked).toEqual([{ queries: ['who'], topk, return_scores: true }]);
  });

  test.each([
    ['  ', 3],
    ['who', 0],
    ['who', 0.9],
    ['who', -1],
  ])('asks nothing for %j and %d', async (query, k) => {
    const { http, asked } = asking(documents);
    const source = openWebSource(SPEC, { builtIn: () => builtIn, http });
    expect(await source.search(query, k)).toEqual({
      hits: [],
      requests: 0,
      bytes: 0,
      latencyMs: 0,
    });
    expect(asked()).toBe(0);
  });

  test('keeps answers where it is told to', async () => {
    const texts = new Map<string, string>();
    const store = {
      get: async (key: string) => texts.get(key),
      set: async (key: string, text: string) => void texts.set(key, text),
    };
    const first = asking(documents);
    const open = (http: HttpDeps) => openWebSource(SPEC, { builtIn: () => builtIn, http, store });
    await open(first.http).search('who', 2);
    expect([...texts.keys()]).toEqual(['["search-r1:http://lab.test:8000/retrieve",2,"who"]']);
    const second = asking([]);
    const { hits } = await open(second.http).search('who', 2);
    expect([hits.length, second.asked()]).toEqual([2, 0]);
  });
});

import { afterEach, describe, expect, it } from 'vitest';
import { completeAddress } from '../../../src/retrieval/engines/address.ts';
import {
  testConnection,
  type ConnectionTest,
} from '../../../src/retrieval/engines/test-connection.ts';
import type { EngineSpec } from '../../../src/retrieval/engines/open.ts';
import { systemDeps } from '../../../src/retrieval/engines/http/http.ts';
import { json, serve, type Reply, type TestServer } from './server.ts';
import { searchR1Reply, wikiReply } from './strict.ts';
import type { OpenStream } from '../../../src/base/reachable.ts';

const servers: TestServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

async function told(reply: Reply, spec: Partial<EngineSpec> = {}, options: ConnectionTest = {}) {
  const server = await serve(reply);
  servers.push(server);
  const kind = spec.kind ?? 'search-r1';
  const path = kind === 'mediawiki' ? '/w/api.php' : kind === 'search-r1' ? '/retrieve' : '/';
  const report = await testConnection({ kind, url: server.url + path }, options);
  expect(report.latencyMs).toBeGreaterThan(0);
  return report;
}

const failing =
  (status: number, headers = {}): Reply =>
  (_, response) =>
    json(response, { detail: 'no' }, status, headers);

describe('a test of the connection tells', () => {
  it('a server that works, with a sample', async () => {
    expect(await told(searchR1Reply)).toMatchObject({
      outcome: 'ok',
      requests: 1,
      sample: { title: 'Old Wolf' },
    });
    expect(await told(wikiReply, { kind: 'mediawiki' }, { query: 'wolf' })).toMatchObject({
      outcome: 'ok',
      sample: { title: 'Old Wolf', url: 'http://127.0.0.1:8399/index.php/Old_Wolf' },
    });
  });

  it('one that finds nothing', async () => {
    expect(await told(wikiReply, { kind: 'mediawiki' }, { query: 'zebra' })).toMatchObject({
      outcome: 'empty',
      said: expect.stringContaining('zebra'),
    });
  });

  it.each([
    [401, 'unauthorized'],
    [403, 'unauthorized'],
    [404, 'not-found'],
    [405, 'not-found'],
    [422, 'http'],
    [429, 'rate-limited'],
    [500, 'server-error'],
    [502, 'server-error'],
    [418, 'http'],
  ])('status %i as %s', async (status, outcome) => {
    const report = await told(failing(status));
    expect(report).toMatchObject({ outcome, status, sample: null, requests: 1 });
    expect(report.advice.length).toBeGreaterThan(10);
  });

  it('how long a busy server asks to wait', async () => {
    const report = await told(failing(429, { 'Retry-After': '90' }));
    expect(report.advice).toBe('Try again in 90 s.');
  });

  it('a SearXNG without JSON', async () => {
    const report = await told(failing(403), { kind: 'searxng' });
    expect(report.advice).toContain('search.formats');
  });

  it('a page for people, JSON of another kind, and too much of it', async () => {
    const page = await told((_, response) => void response.end('<!doctype html><h1>Hello'));
    expect(page.outcome).toBe('not-json');
    const other = await told((_, response) => json(response, { result: [{ a: 1 }] }));
    expect(other).toMatchObject({
      outcome: 'wrong-shape',
      said: expect.stringContaining('result.0'),
    });
    const much = await told(
      (_, response) => json(response, { result: 'x'.repeat(5000) }),
      {},
      {
        limits: { maxBytes: 2000 },
      },
    );
    expect(much.outcome).toBe('too-large');
  });

  it('a server that never answers', async () => {
    const report = await told(() => undefined, {}, { limits: { timeoutMs: 80 } });
    expect(report.outcome).toBe('timeout');
  });

  it('a port where nothing listens', async () => {
    const server = await serve(() => undefined);
    await server.close();
    const report = await testConnection({ kind: 'search-r1', url: `${server.url}/retrieve` });
    expect(report).toMatchObject({ outcome: 'unreachable', status: null });
  });

  it('a server that is there but whose answer the page may not read', async () => {
    // What a browser does: the call with CORS fails, the one without is sent.
    const http = {
      ...systemDeps(),
      fetch: (_: unknown, init?: RequestInit) =>
        init?.mode === 'no-cors'
          ? Promise.resolve(new Response(null))
          : Promise.reject(new TypeError('Failed to fetch')),
    };
    for (const kind of ['mediawiki', 'searxng', 'search-r1', 'r1-searcher', 'research'] as const) {
      const report = await testConnection({ kind, url: 'http://lab.test:8000/x' }, { http });
      expect(report.outcome).toBe('cors');
      expect(report.advice).toMatch(/CORS|Access-Control/u);
    }
  });

  it.each([
    [2, 'cors'],
    [0, 'unreachable'],
  ])(
    'the same in a page without opaque answers, from a stream in state %i',
    async (state, outcome) => {
      const http = {
        ...systemDeps(),
        fetch: () => Promise.reject(new TypeError('Failed to fetch')),
      };
      let closed = 0;
      const stream: OpenStream = () => ({
        readyState: state,
        addEventListener: (type, listener) => void (type === 'error' && setTimeout(listener, 1)),
        close: () => void (closed += 1),
      });
      const url = 'http://lab.test:8000/retrieve';
      expect((await testConnection({ kind: 'search-r1', url }, { http, stream })).outcome).toBe(
        outcome,
      );
      expect(closed).toBe(1);
    },
  );

  it('HTTP called from HTTPS', async () => {
    const http = { ...systemDeps(), fetch: () => Promise.reject(new TypeError('Failed to fetch')) };
    const options = { http, origin: 'https://forage.test' };
    const far = await testConnection({ kind: 'searxng', url: 'http://lab.test/' }, options);
    expect(far.outcome).toBe('mixed-content');
    const near = await testConnection({ kind: 'searxng', url: 'http://localhost:8080/' }, options);
    expect(near.outcome).toBe('unreachable');
  });

  it('nothing to a caller who has gone', async () => {
    const signal = AbortSignal.abort(new Error('gone'));
    await expect(told(searchR1Reply, {}, { signal })).rejects.toThrow('gone');
  });
});

describe('an address', () => {
  it.each([
    ['mediawiki', 'de.wikipedia.org', 'https://de.wikipedia.org/w/api.php'],
    ['mediawiki', 'https://en.wikipedia.org/wiki/Wolf', 'https://en.wikipedia.org/w/api.php'],
    ['mediawiki', 'http://lab/wiki/index.php/Main_Page', 'http://lab/wiki/api.php'],
    ['mediawiki', 'http://lab/w/api.php?x=1#y', 'http://lab/w/api.php'],
    ['searxng', 'localhost:8080/search?q=x', 'http://localhost:8080/'],
    ['searxng', 'https://lab.org/searx/search', 'https://lab.org/searx'],
    ['search-r1', '127.0.0.1:8000', 'http://127.0.0.1:8000/retrieve'],
    ['search-r1', 'http://lab:8000/v2/retrieve', 'http://lab:8000/v2/retrieve'],
    ['r1-searcher', 'http://lab:5004/', 'http://lab:5004/queries'],
    ['research', 'lab.org', 'https://lab.org/batch_search'],
    // Left over from another kind of server.
    ['research', 'lab.org/retrieve', 'https://lab.org/batch_search'],
  ] as const)('of %s typed as %s is %s', (kind, typed, address) => {
    expect(completeAddress(kind, typed)).toBe(address);
  });

  it.each(['', 'two words', 'ftp://lab/', 'javascript:alert(1)', 'http://', 'http://me:pw@lab/'])(
    'is none: %s',
    (typed) => {
      expect(completeAddress('searxng', typed)).toBeNull();
    },
  );
});

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { serveRetrieval } from '../../src/cli/parts/retrieval-server.ts';
import type { HttpServer } from '../../src/cli/shared/http-server.ts';
import { request } from 'node:http';
import { openCorpus, readCorpus } from '../../src/cli/shared/import-files.ts';
import { openWebSource } from '../../src/retrieval/engines/open.ts';
import { labHere } from './lab.ts';

/** Passages over HTTP as PeterGriffinJin/Search-R1's retrieval_server.py gives them. */

const PASSAGES = [
  { id: '14', contents: '"Old Wolf"\nOld Wolf is a novel by Victor Kerlund.' },
  { id: '7', contents: '"The Grey Pack"\nThe Grey Pack is a film of 1958 about wolves at sea.' },
  { id: '3', contents: '"Lighthouse"\nA lighthouse shows ships where the coast begins.' },
  { id: '9', contents: '"Kerlund"\nVictor Kerlund wrote Old Wolf and four other novels.' },
];

const folder = mkdtempSync(join(tmpdir(), 'forage-retrieval-'));
let server: HttpServer;
beforeAll(async () => {
  const file = join(folder, 'passages.jsonl');
  writeFileSync(file, PASSAGES.map((one) => JSON.stringify(one)).join('\n'));
  const ignore = (): void => undefined;
  const corpus = await openCorpus(await readCorpus([file], ignore), 'lexical', '', ignore);
  server = await serveRetrieval({
    search: async (query, k) => {
      if (query === 'fail') throw new Error('the index is gone');
      return (await corpus.search(query, k)).hits;
    },
    host: '127.0.0.1',
    port: 0,
    token: null,
    origins: ['https://me.github.io'],
  });
});
afterAll(async () => {
  await server.close(0);
  rmSync(folder, { recursive: true, force: true });
});

const post = async (body: unknown, headers: Record<string, string> = {}) => {
  const response = await fetch(server.url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  return { status: response.status, headers: response.headers, json: await response.json() };
};

/** The status of a call that `fetch` would not make. */
const raw = (options: {
  path: string;
  method: string;
  headers: Record<string, string>;
}): Promise<number> =>
  new Promise((resolve, reject) => {
    const { port } = new URL(server.url);
    request({ host: '127.0.0.1', port, ...options }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    })
      .on('error', reject)
      .end('{"queries": []}');
  });

describe('answers', () => {
  test('a list for each query, best first, scores where they are asked for', async () => {
    const { status, json } = await post({
      queries: ['lighthouse coast', 'Victor Kerlund novel'],
      topk: 2,
      return_scores: true,
    });
    expect(status).toBe(200);
    const { result } = json as { result: { document: unknown; score: number }[][] };
    expect(result[0]?.map(({ document }) => document)).toEqual([PASSAGES[2]]);
    expect(result[1]?.map(({ document }) => document)).toEqual(
      expect.arrayContaining([PASSAGES[0], PASSAGES[3]]),
    );
    const [first, second] = result[1] ?? [];
    expect(first?.score).toBeGreaterThanOrEqual(second?.score ?? Infinity);
  });

  test('bare documents, three at most, where a call says no more than its queries', async () => {
    const { json } = await post({ queries: ['Old Wolf Grey Pack Kerlund lighthouse'] });
    const { result } = json as { result: unknown[][] };
    expect(result).toHaveLength(1);
    expect(result[0]).toHaveLength(3);
    for (const document of result[0] ?? []) expect(PASSAGES).toContainEqual(document);
  });

  test('what the client for Search-R1 servers asks of any of them', async () => {
    const builtIn = () => {
      throw new Error('the built-in web was asked for');
    };
    const source = openWebSource({ kind: 'search-r1', url: server.url }, { builtIn });
    const { hits } = await source.search('who wrote Old Wolf?', 2);
    expect(hits.map(({ passage }) => passage.title).sort()).toEqual(['Kerlund', 'Old Wolf']);
    expect(hits[0]?.passage.id).toMatch(/^search-r1\/(9|14)$/);
  });
});

describe('refuses, and says why', () => {
  test.each([
    ['no JSON', '{', 400, /not JSON/],
    ['no queries', {}, 422, /^queries: /],
    ['a query that is no text', { queries: [1] }, 422, /^queries\.0: /],
    ['no passages', { queries: ['a'], topk: 0 }, 422, /^topk: /],
    ['more passages than it gives', { queries: ['a'], topk: 101 }, 422, /^topk: /],
    [
      'a body without end',
      { queries: ['a'.repeat(5 * 2 ** 20)] },
      413,
      /send fewer queries per call/,
    ],
    ['a search that fails', { queries: ['fail'] }, 500, /the index is gone/],
  ])('%s', async (_name, body, status, why) => {
    const answer = await post(body);
    expect(answer.status).toBe(status);
    expect((answer.json as { detail: string }).detail).toMatch(why);
    expect((await post({ queries: [] })).json).toEqual({ result: [] });
  });

  test('queries that are too much work together', async () => {
    const answer = await post({ queries: Array(300).fill('wolf '.repeat(200)) });
    expect(answer.status).toBe(413);
    expect((answer.json as { detail: string }).detail).toMatch(
      /300000 characters.*send fewer queries per call/,
    );
  });

  test('other methods, other paths and odd addresses', async () => {
    expect((await fetch(server.url)).status).toBe(405);
    const json = { 'Content-Type': 'application/json' };
    for (const path of ['/x', '//', '/%', '/retrieve/', '/?retrieve'])
      expect(await raw({ path, method: 'POST', headers: json })).toBe(404);
  });

  test('a form of another page, and a name that only leads here', async () => {
    const plain = { 'Content-Type': 'text/plain' };
    expect(await raw({ path: '/retrieve', method: 'POST', headers: plain })).toBe(415);
    const rebound = { 'Content-Type': 'application/json', Host: 'evil.example' };
    expect(await raw({ path: '/retrieve', method: 'POST', headers: rebound })).toBe(403);
  });
});

test.each([
  ['http://localhost:4173', true],
  ['http://127.0.0.1', true],
  ['https://me.github.io', true],
  ['https://you.github.io', false],
  ['http://localhost.evil.example', false],
  ['null', false],
])('a page of %s may read it: %s', async (origin, may) => {
  const preflight = await fetch(server.url, {
    method: 'OPTIONS',
    headers: { Origin: origin, 'Access-Control-Request-Private-Network': 'true' },
  });
  expect(preflight.status).toBe(204);
  const allowed = may ? origin : null;
  expect(preflight.headers.get('Access-Control-Allow-Origin')).toBe(allowed);
  expect(preflight.headers.get('Access-Control-Allow-Private-Network')).toBe(may ? 'true' : null);
  const { headers } = await post({ queries: ['wolf'] }, { Origin: origin });
  expect(headers.get('Access-Control-Allow-Origin')).toBe(allowed);
});

test('with a token, a call must send it: as Bearer, or as the password that requests sends', async () => {
  const open = await serveRetrieval({
    search: () => Promise.resolve([]),
    host: '127.0.0.1',
    port: 0,
    token: 'secret',
    origins: [],
  });
  const status = async (authorization?: string): Promise<number> => {
    const headers = { 'Content-Type': 'application/json', ...(authorization && { authorization }) };
    return (await fetch(open.url, { method: 'POST', headers, body: '{"queries": []}' })).status;
  };
  expect(await status()).toBe(401);
  expect(await status('Bearer wrong')).toBe(401);
  expect(await status('Bearer secret')).toBe(200);
  expect(await status(`Basic ${btoa('any:secret')}`)).toBe(200);
  expect(await status(`Basic ${btoa('secret:wrong')}`)).toBe(401);
  await open.close(0);
});

test('calls are answered between the queries of a long one', async () => {
  const order: string[] = [];
  const busy = await serveRetrieval({
    search: (query) => {
      order.push(query);
      return Promise.resolve([]);
    },
    host: '127.0.0.1',
    port: 0,
    token: null,
    origins: [],
  });
  const ask = (queries: string[]) =>
    fetch(busy.url, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ queries }),
    });
  const long = ask(Array(500).fill('long'));
  while (order.length === 0) await new Promise((resolve) => setImmediate(resolve));
  await ask(['short']);
  await long;
  expect(order.indexOf('short')).toBeLessThan(order.lastIndexOf('long'));
  await busy.close(0);
});

test.each([
  [['--host', '0.0.0.0'], /--host 0\.0\.0\.0 is open to other machines; set --token TEXT/],
  [['--method', 'hybrid'], /--method needs --corpus FILE/],
  [['--corpus', 'a.jsonl', '--source', 'web'], /--source and --corpus exclude each other/],
  [['--corpus', '/nowhere.jsonl'], /\/nowhere\.jsonl is not a readable file/],
  [['--origin', 'me.github.io'], /--origin is 'me\.github\.io'; it must be like https:/],
  [['--port', '70000'], /--port is 70000; it must be at most 65535/],
])('lab serve-retrieval %j ends with one line', async (args, message) => {
  const { status, out, err } = await labHere('serve-retrieval', ...args);
  expect(err.trim()).toMatch(message);
  expect(err.trim().split('\n')).toHaveLength(1);
  expect([status, out]).toEqual([2, '']);
});

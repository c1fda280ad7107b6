import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { serveRetrieval, type RetrievalServer } from '../../../src/cli/retrieval/server.ts';
import { openCorpus, readCorpus } from '../../../src/cli/shared/import-files.ts';
import { openWebSource } from '../../../src/retrieval/engines/open.ts';
import { labHere } from '../lab.ts';

/** Passages over HTTP as PeterGriffinJin/Search-R1's retrieval_server.py gives them. */

const PASSAGES = [
  { id: '14', contents: '"Old Wolf"\nOld Wolf is a novel by Victor Kerlund.' },
  { id: '7', contents: '"The Grey Pack"\nThe Grey Pack is a film of 1958 about wolves at sea.' },
  { id: '3', contents: '"Lighthouse"\nA lighthouse shows ships where the coast begins.' },
  { id: '9', contents: '"Kerlund"\nVictor Kerlund wrote Old Wolf and four other novels.' },
];

const folder = mkdtempSync(join(tmpdir(), 'forage-retrieval-'));
let server: RetrievalServer;
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
    origins: ['https://me.github.io'],
  });
});
afterAll(async () => {
  await server.close();
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
    ['no JSON', '{', 400, /no JSON/],
    ['no queries', {}, 422, /^queries: /],
    ['a query that is no text', { queries: [1] }, 422, /^queries\.0: /],
    ['no passages', { queries: ['a'], topk: 0 }, 422, /^topk: /],
    ['more passages than it gives', { queries: ['a'], topk: 101 }, 422, /^topk: /],
    ['a body without end', { queries: ['a'.repeat(5 * 2 ** 20)] }, 413, /ask in parts/],
    ['a search that fails', { queries: ['fail'] }, 500, /the index is gone/],
  ])('%s', async (_name, body, status, why) => {
    const answer = await post(body);
    expect(answer.status).toBe(status);
    expect((answer.json as { detail: string }).detail).toMatch(why);
    expect((await post({ queries: [] })).json).toEqual({ result: [] });
  });

  test('other methods and other paths', async () => {
    expect((await fetch(server.url)).status).toBe(405);
    expect((await fetch(`${server.url}/x`, { method: 'POST', body: '{}' })).status).toBe(404);
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

test.each([
  [['--method', 'hybrid'], /--method needs --corpus FILE/],
  [['--corpus', 'a.jsonl', '--source', 'web'], /--source and --corpus exclude each other/],
  [['--corpus', '/nowhere.jsonl'], /\/nowhere\.jsonl is no file/],
  [['--origin', 'me.github.io'], /--origin is 'me\.github\.io'; it must be like https:/],
  [['--port', '70000'], /--port is 70000; it must be at most 65535/],
])('lab serve-retrieval %j ends with one line', async (args, message) => {
  const { status, out, err } = await labHere('serve-retrieval', ...args);
  expect(err.trim()).toMatch(message);
  expect(err.trim().split('\n')).toHaveLength(1);
  expect([status, out]).toEqual([2, '']);
});

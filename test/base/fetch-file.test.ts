import { createServer } from 'node:http';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { fetchFromUrl, parseJson } from '../../src/base/fetch-file.ts';

const seen: { url?: string | undefined; cache?: string | undefined }[] = [];
const server = createServer((request, response) => {
  seen.push({ url: request.url, cache: request.headers['cache-control'] });
  if (request.url !== '/world/a.bin') response.writeHead(404).end();
  else response.end(new Uint8Array([1, 2, 3]));
});
let base = '';
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  base = `http://127.0.0.1:${address.port}/world/`;
});
afterAll(() => void server.close());

it('reads a file of a folder', async () => {
  expect(await fetchFromUrl(base)('a.bin')).toEqual(new Uint8Array([1, 2, 3]));
  expect(seen.at(-1)?.cache).toBeUndefined();
});

it('goes past every cache where it is told to', async () => {
  await fetchFromUrl(base)('a.bin', { fresh: true });
  expect(seen.at(-1)?.cache).toBe('no-cache');
});

it('names the file that is missing, and what the server said', async () => {
  await expect(fetchFromUrl(base)('b.bin')).rejects.toThrow(`${base}b.bin: HTTP 404`);
});

it('rejects with the reason of the signal', async () => {
  const signal = AbortSignal.abort(new Error('closed'));
  await expect(fetchFromUrl(base)('a.bin', { signal })).rejects.toThrow('closed');
});

it('parses JSON, and names the file that is none', () => {
  expect(parseJson(new TextEncoder().encode('{"a":1}'), 'a.json')).toEqual({ a: 1 });
  expect(() => parseJson(new TextEncoder().encode('{'), 'a.json')).toThrow(
    'a.json: not valid JSON',
  );
  // A byte that no UTF-8 text has.
  expect(() => parseJson(new Uint8Array([0x22, 0xff, 0x22]), 'a.json')).toThrow('not valid JSON');
});

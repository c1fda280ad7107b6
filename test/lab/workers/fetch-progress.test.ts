import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { precompress } from '../../../scripts/serve/precompress.mjs';
import { serve, type Served } from '../../../scripts/serve/server.mjs';
import { fetchWithProgress } from '../../../src/lab/workers/fetch-progress.ts';
import type { ByteProgress } from '../../../src/lab/contract/progress.ts';

const text = JSON.stringify(Array.from({ length: 4000 }, (_, i) => `question ${i}`));
let root: string;
let server: Served;

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'forage-progress-'));
  writeFileSync(join(root, 'questions.json'), text);
  writeFileSync(join(root, 'weights.f16'), text);
  await precompress(root);
  server = await serve({ root });
});
afterAll(async () => {
  await server.close();
  rmSync(root, { recursive: true, force: true });
});

it('knows how many bytes will come, of files that are sent compressed too', async () => {
  const seen: ByteProgress[] = [];
  const read = fetchWithProgress(server.url, (progress) => seen.push(progress));
  const first = await read('questions.json', {});
  expect(new TextDecoder().decode(first)).toBe(text);
  expect(seen.every(({ total }) => total === text.length)).toBe(true);
  expect(seen.at(-1)).toEqual({ loaded: text.length, total: text.length });
  await read('weights.f16', {});
  expect(seen.at(-1)).toEqual({ loaded: 2 * text.length, total: 2 * text.length });
});

it('says when all that was asked for is here, so that its words do not outlive the fetching', async () => {
  const told: string[] = [];
  const read = fetchWithProgress(
    server.url,
    ({ loaded, total }) => told.push(loaded === total ? 'all bytes' : 'some bytes'),
    () => told.push('fetched'),
  );
  const names = ['questions.json', 'weights.f16', 'no-such.json'];
  const [first, second, third] = await Promise.allSettled(names.map((name) => read(name)));
  expect([first, second, third].map((one) => one?.status)).toEqual([
    'fulfilled',
    'fulfilled',
    'rejected',
  ]);
  expect(told.at(-1)).toBe('fetched');
  expect(told.filter((one) => one === 'fetched')).toHaveLength(1);
});

/** A server that sends each of its files, bit by bit, when it is told to. */
const heldServer = async () => {
  const waiting = new Map<string, ServerResponse>();
  const held = createServer((asked, response) => void waiting.set(asked.url ?? '', response));
  await new Promise((resolve) => held.listen(0, '127.0.0.1', () => resolve(undefined)));
  const { port } = held.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/`,
    answer: (name: string) => vi.waitUntil(() => waiting.get(`/${name}`)),
    close: () => {
      held.closeAllConnections();
      held.close();
    },
  };
};

it('is never full before the last file has come, though the large one has not begun', async () => {
  const slow = await heldServer();
  try {
    const seen: ByteProgress[] = [];
    const read = fetchWithProgress(slow.url, (progress) => seen.push(progress));
    const [small, large] = [read('tokenizer.json'), read('model.safetensors')];
    (await slow.answer('tokenizer.json'))
      .writeHead(200, { 'Content-Length': 64 })
      .end('x'.repeat(64));
    await small;
    // Nothing says how large the other is: no whole of 64 bytes.
    expect(seen.at(-1)).toEqual({ loaded: 64, total: 0 });
    const weights = (await slow.answer('model.safetensors')).writeHead(200, {
      'Content-Length': 936,
    });
    weights.write('x'.repeat(36));
    await vi.waitUntil(() => seen.at(-1)?.loaded === 100);
    expect(seen.at(-1)?.total).toBe(1000);
    weights.end('x'.repeat(900));
    await large;
    expect(seen.at(-1)).toEqual({ loaded: 1000, total: 1000 });
  } finally {
    slow.close();
  }
});

it('counts the whole from the start where an index has said the sizes, and not the index', async () => {
  const slow = await heldServer();
  try {
    const seen: ByteProgress[] = [];
    const read = fetchWithProgress(slow.url, (progress) => seen.push(progress));
    const index = read('manifest.json', { index: true });
    (await slow.answer('manifest.json')).end('{}');
    await index;
    expect(seen.every(({ total }) => total === 0)).toBe(true);
    const both = [read('local.json', { bytes: 10 }), read('questions.json', { bytes: 90 })];
    // Of a length that the server does not say.
    (await slow.answer('local.json')).end('x'.repeat(10));
    await both[0];
    expect(seen.at(-1)).toEqual({ loaded: 10, total: 100 });
    (await slow.answer('questions.json')).end('x'.repeat(90));
    await both[1];
    expect(seen.at(-1)).toEqual({ loaded: 100, total: 100 });
  } finally {
    slow.close();
  }
});

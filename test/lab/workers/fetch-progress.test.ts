import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
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

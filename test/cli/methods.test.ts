import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test, vi } from 'vitest';
import type { Rollout } from '../../src/records/rollout.ts';
import { lab, labHere } from './lab.ts';
import { METHOD_IDS } from '../../src/retrieval/setup.ts';

// World and policy are opened: seconds on an idle machine, more on a busy one.
vi.setConfig({ testTimeout: 600_000 });

const folder = mkdtempSync(join(tmpdir(), 'forage-methods-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const corpus = join(folder, 'films.json');
const films = Array.from({ length: 40 }, (_, i) => [
  `Silent Harbor ${i}`,
  [`Silent Harbor ${i} is a film.`, `Silent Harbor ${i} was directed by Mara Voss ${i}.`],
]);
writeFileSync(corpus, JSON.stringify(Object.fromEntries(films)));

const ask = ['ask', 'Who directed Silent Harbor 23?', '--recipe', 'naive-rag', '--json'];

test.each(METHOD_IDS)('a corpus is searched by --method %s', async (method) => {
  // HNSW as a user starts it, in a process without anything of this one's.
  const run = method === 'hnsw' ? lab : labHere;
  const { status, out, err } = await run(...ask, '--corpus', corpus, '--method', method);
  expect(err).not.toMatch(/^lab:|Error/m);
  expect(status).toBe(0);
  const { events } = JSON.parse(out) as Rollout;
  const retrieved = events.find((event) => event.kind === 'retrieve');
  const hits = retrieved?.hits ?? [];
  expect(hits.length).toBeGreaterThan(0);
  expect(hits.map(({ passage }) => passage.title)).toContain('Silent Harbor 23');
  const [words, vectors] = [method === 'lexical' || method === 'hybrid', method !== 'lexical'];
  expect(hits.some(({ lexicalRank }) => lexicalRank !== undefined)).toBe(words);
  expect(hits.some(({ denseRank }) => denseRank !== undefined)).toBe(vectors);
});

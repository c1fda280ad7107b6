import { existsSync, openAsBlob } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, vi } from 'vitest';
import { fetchFromDisk, openEncoderFromDisk } from '../../src/cli/shared/build-world.ts';
import { importAll } from '../../src/formats/import/collect.ts';
import type { Passage, Question } from '../../src/records/records.ts';
import { createRetriever } from '../../src/retrieval/create.ts';
import { openLocalSource } from '../../src/retrieval/open-local.ts';
import { openWorldRetriever } from '../../src/retrieval/open.ts';
import type { Source } from '../../src/retrieval/sources.ts';
import { loadWorld } from '../../src/retrieval/world/load.ts';
import { slow } from '../slow/slow.ts';

/** Corpora of the field, searched by their questions, beside the built-in web that knows nothing of them. */

vi.setConfig({ testTimeout: 240_000 });

const FOLDER = new URL('../../../shared/data/', import.meta.url);
const K = 5;

interface Data {
  passages: Passage[];
  questions: Question[];
}

async function read(folder: URL): Promise<Data> {
  const from = async (name: string) => {
    const path = fileURLToPath(new URL(name, folder));
    return importAll(await openAsBlob(path), { name: basename(path) });
  };
  const [corpus, asked] = [await from('corpus.json'), await from('questions.json')];
  return {
    passages: corpus.passages.map(({ passage }) => passage),
    questions: asked.questions.filter(({ supporting }) => supporting.length > 0),
  };
}

async function recall(source: Source, questions: readonly Question[], k = K): Promise<number> {
  let sum = 0;
  for (const { text, supporting } of questions) {
    const found = new Set((await source.search(text, k)).hits.map(({ passage }) => passage.title));
    const wanted = new Set(supporting);
    sum += [...wanted].filter((title) => found.has(title)).length / wanted.size;
  }
  return sum / questions.length;
}

const world = await loadWorld(fetchFromDisk('public/world'));
const encoder = await openEncoderFromDisk('public/encoder');

/** Gold that ranks first locally is among the first `k` of both sources. */
async function checkBoth(
  local: Source,
  questions: readonly Question[],
  k: number,
): Promise<number> {
  const { web } = openWorldRetriever(world, fetchFromDisk('public/world'), { encoder });
  const both = createRetriever({ local, web });
  let first = 0;
  for (const { text, supporting } of questions) {
    const title = (await local.search(text, 1)).hits[0]?.passage.title ?? '';
    if (!supporting.includes(title)) continue;
    first++;
    const { hits } = await both.search('both', text, k);
    expect(hits.map(({ passage }) => passage.title)).toContain(title);
  }
  return first;
}

it('a small corpus: lexical recall by hand; no less of a hybrid; gold stays in the list of both', async () => {
  const { passages, questions } = await read(new URL('../fixtures/small-corpus/', import.meta.url));
  expect([passages.length, questions.length]).toEqual([12, 4]);
  const { source: lexical } = await openLocalSource(passages, { method: 'lexical' });
  // Both of two; both of two; one of two, as nothing leads to Tarnwick; and none, in another language.
  expect(await recall(lexical, questions, 2)).toBe((1 + 1 + 0.5 + 0) / 4);
  const { source: hybrid } = await openLocalSource(passages, { method: 'hybrid' }, { encoder });
  expect(await recall(hybrid, questions, 2)).toBeGreaterThanOrEqual(0.625);
  expect(await checkBoth(lexical, questions, 3)).toBe(3);
});

it('an imported corpus: gold that is first locally is in the list of both', async () => {
  const towns = Object.fromEntries(
    Array.from({ length: 60 }, (_, i) => [
      `River ${i}`,
      [`River ${i} runs through the state of Albi${i}.`, `It was named by Mayor Öberg${i}.`],
    ]),
  );
  const { passages } = await importAll(new Blob([JSON.stringify(towns)]), { name: 'rivers.json' });
  const corpus = passages.map(({ passage }) => passage);
  const questions = Array.from({ length: 60 }, (_, i): Question => ({
    id: `q${i}`,
    text: `Which river runs through the state of Albi${i}, and who was the director?`,
    answers: [],
    supporting: [`River ${i}`],
  }));
  const { source } = await openLocalSource(corpus, { method: 'lexical' });
  expect(await checkBoth(source, questions.slice(0, 20), 3)).toBe(20);
  // An encoder that takes the names for one another gets no say, in the order neither.
  const { source: hybrid } = await openLocalSource(corpus, { method: 'hybrid' }, { encoder });
  expect(await checkBoth(hybrid, questions.slice(0, 20), 3)).toBe(20);
});

const SMALL =
  'test/retrieval/own-corpus.test.ts > a small corpus: lexical recall by hand; no less of a hybrid; gold stays in the list of both';
const IMPORTED =
  'test/retrieval/own-corpus.test.ts > an imported corpus: gold that is first locally is in the list of both';

for (const [name, expected] of [
  ['musique', 0.554],
  ['hotpotqa', 0.765],
] as const) {
  const folder = new URL(`${name}/`, FOLDER);
  const missing = !existsSync(folder);
  if (missing) console.warn(`skipped: needs ../shared/data/${name}`);
  const declare = slow(SMALL, IMPORTED);
  (missing ? it.skip : declare)(
    `${name}: lexical recall@5; no less of a hybrid whose encoder knows another English; gold stays in the list of both`,
    async () => {
      const { passages, questions } = await read(folder);
      expect(questions).toHaveLength(100);
      const { source: lexical } = await openLocalSource(passages, { method: 'lexical' });
      expect(await recall(lexical, questions)).toBeCloseTo(expected, 3);
      const { source: hybrid } = await openLocalSource(passages, { method: 'hybrid' }, { encoder });
      expect(await recall(hybrid, questions)).toBeGreaterThanOrEqual(expected - 0.0005);
      // A part of the questions: hits of the web are encoded, one by one.
      expect(await checkBoth(lexical, questions.slice(0, 25), 6)).toBeGreaterThan(10);
    },
  );
}

import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { readFaiss, scan } from '../handover/faiss/faiss-file.ts';
import { labHere } from './lab.ts';

const out = mkdtempSync(join(tmpdir(), 'forage-index-'));
afterAll(() => rmSync(out, { recursive: true, force: true }));

interface Expected {
  query: string;
  vector: number[];
  neighbours: [number, number][];
}
const json = (...path: string[]): unknown => JSON.parse(readFileSync(join(...path), 'utf8'));

test('passages of a file become an index that FAISS opens, with all that searches it', async () => {
  const colours = ['blue', 'red', 'green', 'old', 'tall'];
  const passages = Array.from({ length: 60 }, (_, i) => ({
    id: `p${i}`,
    title: `House ${i}`,
    text: `House ${i} is ${colours[i % 5]}. It was built in ${1900 + i}.`,
  }));
  const corpus = join(out, 'corpus.jsonl');
  writeFileSync(corpus, passages.map((passage) => `${JSON.stringify(passage)}\n`).join(''));
  const folder = join(out, 'index');
  const run = await labHere('export', '--index', 'faiss', '--corpus', corpus, '--out', folder);
  expect(run.status).toBe(0);
  // What is left out is said, not done silently.
  expect(run.err).toContain('refineBits');

  const index = readFaiss(readFileSync(join(folder, 'index.faiss')));
  expect(index.rows).toBe(60);
  const lines = readFileSync(join(folder, 'passages.jsonl'), 'utf8').trim().split('\n');
  expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual(passages);
  const rows = index.lists.flatMap(({ ids }) => ids).sort((a, b) => a - b);
  expect(rows).toEqual(passages.map((_, i) => i));

  // What a reader is told to expect is what the file's own codes give.
  const expected = json(folder, 'expected.json') as Expected[];
  expect(expected.length).toBeGreaterThan(0);
  for (const { vector, neighbours } of expected) {
    const scores = new Map(scan(index, vector).map(({ id, score }) => [id, score]));
    const best = [...scores.values()].slice(0, neighbours.length);
    for (const [i, [row, score]] of neighbours.entries()) {
      expect(Math.abs((scores.get(row) ?? NaN) - score)).toBeLessThanOrEqual(1e-6);
      expect(Math.abs((best[i] ?? NaN) - score)).toBeLessThanOrEqual(1e-6);
    }
  }
  const { encoder } = json(folder, 'index.json') as {
    encoder: { model: string; tokenizer: string };
  };
  expect(readdirSync(join(folder, 'encoder')).sort()).toEqual(
    ['encoder.json', encoder.model, encoder.tokenizer].sort(),
  );
});

test.each([
  [['--index', 'faiss', '--steps', '3'], '--steps applies only to an experiment'],
  [['--index', 'faiss', '--to', 'trl'], '--to applies only to an experiment'],
  [['--index', 'faiss', '--encoder', '/nowhere'], '/nowhere is not the folder of an encoder'],
  [['--index', 'faiss', '--world', '/nowhere'], '/nowhere is not a world folder'],
  [['--index', 'annoy'], '--index'],
  [[], '--index faiss'],
])('%j is refused', async (options, message) => {
  const run = await labHere('export', ...options, '--out', join(out, 'refused'));
  expect(run.status).toBe(2);
  expect(run.err).toContain(message);
});

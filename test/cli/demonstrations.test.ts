import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Rollout } from '../../src/records/rollout.ts';
import { LOCAL, WEB } from '../agent/helpers.ts';
import { labHere } from './lab.ts';

const folder = mkdtempSync(join(tmpdir(), 'demonstrations-'));
const file = (name: string): string => join(folder, name);
const lines = (items: readonly object[]): string =>
  items.map((item) => `${JSON.stringify(item)}\n`).join('');
afterAll(() => rmSync(folder, { recursive: true }));

beforeAll(() => {
  const passages = [...LOCAL, ...WEB].map(({ id, title, text }) => ({ id, title, text }));
  writeFileSync(file('corpus.jsonl.gz'), gzipSync(lines(passages)));
  writeFileSync(
    file('questions.jsonl'),
    lines([
      {
        id: 'a',
        question: 'In which city was the author of Old Wolf born?',
        answers: ['Borfield'],
        hops: 2,
        supporting: ['Old Wolf', 'Victor Kerlund'],
        decomposition: [
          { question: 'Old Wolf >> author', answer: 'Victor Kerlund', title: 'Old Wolf' },
          { question: 'where was #1 born', answer: 'Borfield', title: 'Victor Kerlund' },
        ],
      },
      { id: 'b', question: 'Who?', answers: ['Ada'], supporting: ['Nothing'] },
    ]),
  );
});

const gold = (...words: string[]) =>
  labHere(
    'demonstrations',
    '--from',
    'gold',
    '--corpus',
    file('corpus.jsonl.gz'),
    '--questions',
    file('questions.jsonl'),
    '--out',
    file('gold.jsonl'),
    ...words,
  );

const read = (name: string): Rollout[] =>
  readFileSync(file(name), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Rollout);

describe('lab demonstrations', () => {
  it('--from gold writes rollouts of a packed corpus, and says what was left out', async () => {
    const run = await gold('--k', '2', '--json');
    expect(run).toMatchObject({ status: 0 });
    expect(JSON.parse(run.out)).toMatchObject({
      of: 2,
      kept: 1,
      leftOut: { 'not-knowable': 1 },
      searches: 2,
      tokens: { least: expect.any(Number) },
    });
    const [rollout] = read('gold.jsonl');
    expect(rollout).toMatchObject({ format: 'forage.rollout/1', answer: 'Borfield' });
    expect(rollout?.recipe.settings).toMatchObject({ retrieval: { k: 2, source: 'local' } });
    const table = await gold();
    expect(table.out).toMatch(
      /2 {2}questions\n\s+1 {2}kept as demonstrations\n\s+1 {2}left out: a passage has a name that/,
    );
  });

  it('--from rollouts reads what was written, which lab rollouts reads too', async () => {
    await gold();
    const { status } = await labHere(
      'demonstrations',
      '--from',
      'rollouts',
      file('gold.jsonl'),
      '--out',
      file('again.jsonl'),
    );
    expect(status).toBe(0);
    const segments = ([one]: Rollout[]) => one?.segments.map(({ text }) => text);
    expect(segments(read('again.jsonl'))).toEqual(segments(read('gold.jsonl')));
    const seen = await labHere('rollouts', file('again.jsonl'));
    expect(seen.out).toMatch(/EM \(SQuAD\)\s+1 \(100\.0 %\)/);
  });

  it.each<[string, string[], RegExp]>([
    ['no file', ['--from', 'rollouts'], /needs files of rollouts/],
    ['a file too many', ['--from', 'gold', 'x.jsonl'], /reads no rollouts; leave x\.jsonl out/],
    ['a missing file', ['--from', 'rollouts', 'x.jsonl'], /x\.jsonl is not a readable file/],
    [
      'another loop',
      ['--from', 'gold', '--recipe', 'naive-rag'],
      /cannot be written for Naive RAG/,
    ],
  ])('%s is refused in one sentence, and an older file stays', async (_, words, message) => {
    writeFileSync(file('kept.jsonl'), 'older\n');
    const run = await labHere('demonstrations', ...words, '--out', file('kept.jsonl'));
    expect(run.status).toBe(2);
    expect(run.err.trim()).toMatch(message);
    expect(run.err.trim().split('\n')).toHaveLength(1);
    expect(readFileSync(file('kept.jsonl'), 'utf8')).toBe('older\n');
  });

  it('says so where no demonstration could be made', async () => {
    writeFileSync(file('one.jsonl'), lines([{ id: 'b', question: 'Who?', answers: ['Ada'] }]));
    const run = await gold('--questions', file('one.jsonl'));
    expect(run.status).toBe(2);
    expect(run.err).toContain('No demonstration could be made');
    expect(existsSync(file('gold.jsonl'))).toBe(true);
  });
});

import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Rollout } from '../../src/records/rollout.ts';
import { LOCAL, WEB } from '../agent/helpers.ts';
import { folderFiles } from '../../src/cli/shared/checkpoint-folder.ts';
import { builtIn } from '../../src/cli/shared/paths.ts';
import { openReader } from '../../src/policy/open/reader.ts';
import { strictServer, type Asked } from '../policy/remote/endpoint/strict-server.ts';
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

  describe('--from teacher', () => {
    /** What the model writes after a message: in pieces that are no tokens of ours. */
    const pieces = (text: string): string[] => text.match(/.{1,5}/gsu) ?? [];
    const turn = (thought: string, act: string): string[] =>
      pieces(`<think> ${thought} </think>\n${act}`);
    const reply = (place: string) => (asked: Asked) => {
      const read = 'messages' in asked ? (asked.messages.at(-1)?.content ?? '') : '';
      if (read.includes('Victor Kerlund was born'))
        return turn(
          `He was born in ${place}.`,
          `<short_answer> \\boxed{ ${place} } </short_answer>`,
        );
      return read.includes('was written by')
        ? turn('It is Victor Kerlund.', '<search> Victor Kerlund born </search>')
        : turn('Who wrote Old Wolf?', '<search> author of Old Wolf </search>');
    };
    const teach = (url: string, ...words: string[]) =>
      labHere(
        'demonstrations',
        '--from',
        'teacher',
        url,
        '--corpus',
        file('corpus.jsonl.gz'),
        '--questions',
        file('questions.jsonl'),
        '--limit',
        '1',
        '--k',
        '1',
        '--out',
        file('teacher.jsonl'),
        ...words,
      );

    it('keeps what a served model writes right, in the tokens of the model that learns', async () => {
      const server = await strictServer({ tokens: reply('Borfield') });
      try {
        const run = await teach(server.url, '--group', '2', '--json');
        expect(run).toMatchObject({ status: 0 });
        expect(JSON.parse(run.out)).toMatchObject({ of: 2, kept: 2, searches: 2 });
      } finally {
        await server.close();
      }
      const [rollout] = read('teacher.jsonl');
      const { tokenizer } = await openReader(folderFiles(builtIn('policy')));
      const own = rollout?.segments.filter(({ source }) => source === 'policy') ?? [];
      expect(own.map(({ text }) => text).join('')).toContain('It is Victor Kerlund.');
      for (const { ids, text, tokens, mask } of rollout?.segments ?? []) {
        expect(tokens).toBeUndefined();
        expect(tokenizer.decode(ids)).toBe(text);
        expect(mask).toBe(own.some((one) => one.text === text) ? 1 : 0);
      }
      expect(rollout?.policy.logprobs).toMatch(/tiny sampled this text/);
    });

    it('keeps nothing that is wrong, and says why', async () => {
      const server = await strictServer({ tokens: reply('Mondria') });
      try {
        const run = await teach(server.url, '--group', '1');
        expect(run.status).toBe(2);
        expect(run.out).toContain('1  left out: its answer is wrong');
        expect(run.err).toContain('None of the teacher’s rollouts became a demonstration');
      } finally {
        await server.close();
      }
    });

    it('says what the server said where it is at fault', async () => {
      const server = await strictServer({ key: 'secret' });
      try {
        const run = await teach(server.url);
        expect(run.status).toBe(2);
        expect(run.err).toMatch(/--teacher http.*FORAGE_API_KEY/);
      } finally {
        await server.close();
      }
    });
  });

  it.each<[string, string[], RegExp]>([
    ['no file', ['--from', 'rollouts'], /needs files of rollouts/],
    [
      'no address',
      ['--from', 'teacher', 'x.jsonl'],
      /needs the address of one OpenAI-compatible server/,
    ],
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

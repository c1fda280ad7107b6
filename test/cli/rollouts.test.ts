import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, expect, test } from 'vitest';
import type { Inspection } from '../../src/evaluate/rollouts/inspect.ts';
import { verl } from '../fixtures/inspect/records.ts';
import { labHere, type LabRun } from './lab.ts';

const folder = mkdtempSync(join(tmpdir(), 'forage-rollouts-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const OWN = 'test/fixtures/inspect/kunlun-baize-dev.jsonl';

const read = (...args: string[]): Promise<LabRun> => labHere('rollouts', ...args);

test('--json is one object: statistics, lint counts, and the lines that cannot be read', async () => {
  const file = join(folder, 'mixed.jsonl');
  writeFileSync(file, `${readFileSync(OWN, 'utf8')}{"broken\n`);
  const { status, out } = await read(file, '--json');
  expect(status).toBe(0);
  const rollouts = JSON.parse(out) as Inspection;
  expect(rollouts.layouts).toEqual({ forage: 10 });
  expect(rollouts.statistics.rollouts).toBe(10);
  expect(rollouts.faults).toEqual([{ line: 11, reason: expect.stringMatching(/^is not JSON/) }]);
  expect(Object.keys(rollouts.lint)).toContain('answer-seen-not-given');
});

test('without --json the same for people', async () => {
  const { status, out } = await read(OWN);
  expect(status).toBe(0);
  expect(out).toMatch(/^kunlun-baize-dev\.jsonl +10 rollouts: forage 10/);
  // Each score says whose normaliser it is by, and the outcomes what calls an answer right.
  expect(out).toMatch(/^EM \(SQuAD\) +6 \(60\.0 %\)$/m);
  expect(out).toMatch(/^cover-EM \(R1-Searcher, ACC_R\) +\d+ \(/m);
  expect(out).toMatch(/^outcomes +by EM: /m);
});

test('a file that is none ends with one line and status 2', async () => {
  const { status, out, err } = await read('/nowhere.jsonl');
  expect([status, out]).toEqual([2, '']);
  expect(err.trim()).toBe('/nowhere.jsonl is not a readable file.');
});

/** A folder as verl writes it, one file per step, with what else lies there. */
const dump = join(folder, 'rollouts');
const stepLines = (step: number, n: number): string =>
  Array.from({ length: n }, (_, i) => JSON.stringify({ ...verl, step, score: i % 2 })).join('\n');
mkdirSync(join(dump, 'logs'), { recursive: true });
for (const step of [1, 2, 10]) writeFileSync(join(dump, `${step}.jsonl`), stepLines(step, step));
writeFileSync(join(dump, '3.jsonl.gz'), gzipSync(stepLines(3, 3)));
writeFileSync(join(dump, 'config.yaml'), 'a: 1\n');
writeFileSync(join(dump, 'logs', 'train.log'), 'step 1\n');

test('a folder is one run in the order of its steps', async () => {
  const { status, out, err } = await read(dump, '--json');
  expect(status).toBe(0);
  const rollouts = JSON.parse(out) as Inspection;
  expect(rollouts.name).toBe('rollouts');
  expect(Object.entries(rollouts.files ?? {})).toEqual([
    ['1.jsonl', 1],
    ['2.jsonl', 2],
    ['3.jsonl.gz', 3],
    ['10.jsonl', 10],
  ]);
  expect(rollouts.statistics).toMatchObject({ rollouts: 16, steps: 4 });
  expect(err).toContain('2 other files');
  const text = await read(dump);
  expect(text.out).toMatch(
    /^files, in order +4: 1\.jsonl 1, 2\.jsonl 2, 3\.jsonl\.gz 3, 10\.jsonl 10$/m,
  );
});

test('a folder of links is read, as a snapshot in Hugging Face’s cache is one', async () => {
  const cache = join(folder, 'datasets--lab--dump');
  const snapshot = join(cache, 'snapshots', '0a1b');
  mkdirSync(join(cache, 'blobs'), { recursive: true });
  mkdirSync(join(snapshot, 'data'), { recursive: true });
  for (const step of [1, 2]) {
    writeFileSync(join(cache, 'blobs', `f${step}`), stepLines(step, step));
    symlinkSync(`../../../blobs/f${step}`, join(snapshot, 'data', `${step}.jsonl`));
  }
  // A folder elsewhere, one that holds the link itself, and links that lead nowhere.
  symlinkSync(dump, join(snapshot, 'more'));
  symlinkSync('..', join(snapshot, 'data', 'up'));
  symlinkSync('/nowhere.jsonl', join(snapshot, 'lost.jsonl'));
  symlinkSync('self.jsonl', join(snapshot, 'self.jsonl'));
  const { status, out } = await read(snapshot, '--json');
  expect(status).toBe(0);
  expect(Object.entries((JSON.parse(out) as Inspection).files ?? {})).toEqual([
    ['data/1.jsonl', 1],
    ['data/2.jsonl', 2],
    ['more/1.jsonl', 1],
    ['more/2.jsonl', 2],
    ['more/3.jsonl.gz', 3],
    ['more/10.jsonl', 10],
  ]);
});

test('several files are one run; each is read once, and each has to be there', async () => {
  const [one, ten] = [join(dump, '1.jsonl'), join(dump, '10.jsonl')];
  const { status, out } = await read(ten, one, ten, '--json');
  expect(status).toBe(0);
  const rollouts = JSON.parse(out) as Inspection;
  expect([rollouts.name, rollouts.statistics.rollouts]).toEqual(['1.jsonl and 1 more', 11]);

  const missing = await read(one, '/nowhere.jsonl');
  expect([missing.status, missing.out]).toEqual([2, '']);
  expect(missing.err.trim()).toBe('/nowhere.jsonl is not a readable file.');
});

test('what holds no rollouts is named, with what to do, and ends with status 2', async () => {
  const write = (name: string, bytes: string | Uint8Array): string => {
    const path = join(folder, name);
    writeFileSync(path, bytes);
    return path;
  };
  mkdirSync(join(folder, 'notes'));
  for (const [path, sentence] of [
    [write('empty.jsonl', ''), /^empty\.jsonl is empty/],
    [
      write('weights.bin', new Uint8Array(3000)),
      /^weights\.bin is a binary file, not text.*Open the rollouts file itself/,
    ],
    [write('a.zip', Buffer.from('PK\x03\x04 and more')), /^a\.zip is a (zip|damaged)/],
    [write('notes.txt', 'Dear diary\n'), /^notes\.txt holds no rollouts: line 1 is not JSON/],
    [write('questions.jsonl', '{"question": "Who?", "answer": "Ida"}\n'), /questions.*Corpus/],
    [join(folder, 'notes'), /is a folder without rollout files \(\.jsonl/],
    ['/dev/null', /^\/dev\/null is not a readable file/],
  ] as const) {
    const { status, out, err } = await read(path);
    expect([path, status, out]).toEqual([path, 2, '']);
    expect(err.trim()).toMatch(sentence);
    expect(err.trim()).not.toContain('\n');
  }
});

test('a named file without rollouts is a mistake beside others that have some', async () => {
  const empty = join(folder, 'empty.jsonl');
  writeFileSync(empty, '');
  const { status, out, err } = await read(join(dump, '2.jsonl'), empty, '--json');
  expect(status).toBe(2);
  expect((JSON.parse(out) as Inspection).statistics.rollouts).toBe(2);
  expect(err).toMatch(/empty\.jsonl is empty/);
});

test('a list, gzip, UTF-16 and parquet with zstd are read as what they hold', async () => {
  const text = stepLines(5, 3);
  for (const [name, bytes] of [
    ['list.json', `[${text.split('\n').join(',\n')}]`],
    ['packed.jsonl.gz', gzipSync(text)],
    ['wide.jsonl', Buffer.from(`\uFEFF${text}`, 'utf16le')],
  ] as const) {
    writeFileSync(join(folder, name), bytes);
    const { status, out } = await read(join(folder, name));
    expect([name, status]).toEqual([name, 0]);
    expect(out).toMatch(/ 3 rollouts: verl 3/);
  }
  const { out } = await read('test/fixtures/parquet/trl-zstd-v2.parquet');
  expect(out).toMatch(/ 30 rollouts: trl 30/);
});

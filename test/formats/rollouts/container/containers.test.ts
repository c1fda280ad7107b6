import { readFileSync } from 'node:fs';
import { deflateRawSync, gzipSync } from 'node:zlib';
import { describe, expect, it, test } from 'vitest';
import { importRun, type RunItem } from '../../../../src/formats/rollouts/run.ts';
import type { ImportItem } from '../../../../src/formats/rollouts/import.ts';
import { sniff } from '../../../../src/formats/rollouts/container/sniff.ts';
import {
  areSteps,
  inStepOrder,
  isRolloutName,
  withoutEnding,
} from '../../../../src/formats/rollouts/shape/names.ts';
import { FOREIGN, trl, verl } from '../../../fixtures/inspect/records.ts';
import { blobOf, inChunks, readAll, rolloutsOf } from '../helpers.ts';

const records = [verl, { ...verl, step: 41, score: 0 }, { ...verl, step: 42 }];
const lines = records.map((record) => JSON.stringify(record)).join('\n');
const steps = (items: readonly ImportItem[]): unknown[] =>
  items.map((item) => (item.kind === 'rollout' ? item.rollout.step : item.reason));
const bytes = (...parts: (string | Uint8Array)[]): Uint8Array<ArrayBuffer> =>
  new Uint8Array(Buffer.concat(parts.map((part) => Buffer.from(part))));
const PARQUET = readFileSync(
  new URL('../../../fixtures/parquet/trl-zstd-v1.parquet', import.meta.url),
);

const QUESTIONS = bytes(
  readFileSync(new URL('../../../fixtures/parquet/questions-zstd.parquet', import.meta.url)),
);

/** The same text in two bytes a character. */
const utf16 = (text: string, big = false, mark = true): Uint8Array<ArrayBuffer> => {
  const little = Buffer.from(mark ? `\uFEFF${text}` : text, 'utf16le');
  return new Uint8Array(big ? little.swap16() : little);
};

describe('the same records', () => {
  const list = JSON.stringify(records);
  const spread = JSON.stringify(records, null, 2);
  it.each<[string, Uint8Array<ArrayBuffer>]>([
    ['JSON lines', bytes(lines)],
    ['a list on one line', bytes(list)],
    ['a list laid out over lines', bytes(spread)],
    ['a list after a byte order mark and a blank line', bytes('\uFEFF\r\n', spread, '\r\n')],
    ['objects laid out over lines', bytes(records.map((r) => JSON.stringify(r, null, 1)).join(''))],
    ['gzip', bytes(gzipSync(lines))],
    ['gzip of a list', bytes(gzipSync(spread))],
    ['gzip in two members', bytes(gzipSync(lines.slice(0, 40)), gzipSync(lines.slice(40)))],
    ['UTF-16, little end first', utf16(lines)],
    ['UTF-16, big end first', utf16(lines, true)],
    ['UTF-16 without a mark', utf16(spread, false, false)],
    ['UTF-16, big end first, without a mark', utf16(lines, true, false)],
    ['gzip of UTF-16', bytes(gzipSync(utf16(lines)))],
  ])('are read out of %s', async (_, file) => {
    const plain = await rolloutsOf(new Blob([lines]));
    for (const source of [new Blob([file]), inChunks(file, 7)]) {
      const items = await readAll(source);
      expect(items.flatMap((item) => (item.kind === 'rollout' ? item.rollout : []))).toEqual(plain);
      expect(items.map(({ line }) => line)).toEqual([1, 2, 3]);
      // Progress is told in bytes of the file itself.
      expect(items.at(-1)!.bytes).toBeLessThanOrEqual(file.length);
    }
  });

  it('are read out of parquet within gzip', async () => {
    const rollouts = await rolloutsOf(new Blob([gzipSync(PARQUET)]));
    expect(rollouts).toHaveLength(30);
  });

  it('keep Python’s NaN and brackets in texts where they are', async () => {
    const odd = { ...verl, output: 'a ] } " \\ [ {' };
    const text = JSON.stringify([odd, odd]).replace('"score":1', '"score":NaN');
    const [first, second] = await rolloutsOf(new Blob([text]));
    expect([first!.reward, second!.reward]).toEqual([null, 1]);
    expect(first!.segments.at(-1)!.text).toBe(odd.output);
  });

  it('are the samples of a log that is one object', async () => {
    const log = JSON.stringify({ version: 2, eval: { task: 'qa' }, samples: records }, null, 2);
    expect(steps(await readAll(new Blob([log])))).toEqual([40, 41, 42]);
  });

  it('are the samples of a log on one line, and of several, each with a number of its own', async () => {
    const log = JSON.stringify({ version: 2, eval: { task: 'qa' }, samples: records });
    const plain = await rolloutsOf(new Blob([lines]), 'a');
    for (const text of [log, `${log}\n`, `\uFEFF${log}`])
      expect(await rolloutsOf(new Blob([text]), 'a')).toEqual(plain);
    const items = await readAll(new Blob([`${log}\n\n${log}\n{"broken`]));
    expect(items.map(({ kind, line }) => [kind, line])).toEqual([
      ...[1, 2, 3].map((line) => ['rollout', line]),
      // The blank line is counted, as it is everywhere.
      ...[5, 6, 7].map((line) => ['rollout', line]),
      ['fault', 8],
    ]);
    expect(steps(items).at(-1)).toMatch(/^is not JSON: .*\(at line 4 of the text\)$/);
  });

  it('are not sought in a log without samples, nor in a question’s', async () => {
    const empty = '{"version": 2, "samples": []}\n';
    const [item] = await readAll(new Blob([empty]));
    expect(item).toMatchObject({ kind: 'fault', line: 1 });
    const question = '{"question": "Who?", "answer": "Ida", "samples": [{"a": 1}, {"a": 2}]}\n';
    await expect(readAll(new Blob([question]), 'q')).rejects.toThrow(/holds questions/);
  });
});

describe('what is wrong with a document', () => {
  const all = async (text: string): Promise<unknown[]> => steps(await readAll(new Blob([text])));

  it('is said of its element, with the line of the text, and the others load', async () => {
    const [a, , c] = records.map((record) => JSON.stringify(record));
    expect(await all(`[\n${a},\n{"broken": tru},\n${c}\n]`)).toEqual([
      40,
      expect.stringMatching(/^is not JSON: .*\(at line 3 of the text\)$/),
      42,
    ]);
    expect(await all(`[${a}, 7, "x", [1, 2]]`)).toEqual([
      40,
      expect.stringMatching(/^holds number; /),
      expect.stringMatching(/^holds string; /),
      expect.stringMatching(/^holds a list; /),
    ]);
  });

  it('is said of its end', async () => {
    const [a] = records.map((record) => JSON.stringify(record));
    expect(await all(`[${a}, {"input": "cut`)).toEqual([
      40,
      expect.stringMatching(/^the JSON ends in the middle/),
    ]);
    expect(await all(`[${a}`)).toEqual([40, expect.stringMatching(/ends in the middle/)]);
    expect(await all(`[${a}] and so on`)).toEqual([40, expect.stringMatching(/text beside/)]);
  });
});

const reading = async (file: Blob | Uint8Array<ArrayBuffer>, name: string): Promise<RunItem[]> => {
  const items: RunItem[] = [];
  const blob = file instanceof Blob ? file : new Blob([file]);
  for await (const item of importRun([{ name, blob }], name)) items.push(item);
  return items;
};

describe('a file without rollouts says what it is and what to do', () => {
  const zeros = new Uint8Array(5000);
  it.each<[string, Uint8Array<ArrayBuffer>, RegExp]>([
    ['a.jsonl', bytes(), /^a\.jsonl is empty: it has no bytes\. Was it written to its end\?$/],
    ['a.gz', bytes(gzipSync('')), /^a\.gz is empty: it has no bytes in it/],
    ['a.jsonl', bytes(' \n\n '), /holds no rollouts: it has no records at all\. Expected are/],
    ['a.json', bytes('[]'), /it has no records at all/],
    [
      'a.txt',
      bytes('Dear diary,\n'),
      /^a\.txt holds no rollouts: line 1 is not JSON: .*Expected are/,
    ],
    ['a.zip', bytes('PK\x03\x04', zeros), /^a\.zip is a zip archive\. Unpack it and open/],
    ['a.zst', bytes(Uint8Array.of(0x28, 0xb5, 0x2f, 0xfd), zeros), /Zstandard\. Unpack.*zstd -d/],
    ['a.tar.gz', bytes(gzipSync(bytes(zeros.subarray(0, 257), 'ustar'))), /is a tar archive/],
    ['a.pkl', bytes(Uint8Array.of(0x80, 4, 0x95), zeros), /a Python pickle\. .*JSON lines/],
    ['a.pt', zeros, /is a binary file, not text/],
    ['a.db', bytes('SQLite format 3\0', zeros), /an SQLite database/],
    ['a.gz', bytes(gzipSync(gzipSync(lines))), /packed by gzip twice\. Unpack it once/],
    ['a.gz', bytes(gzipSync(lines).subarray(0, 60)), /is a gzip file that is damaged or cut off/],
    ['a.parquet', bytes(PARQUET.subarray(0, 900)), /parquet file that cannot be read: .*cut off/],
    [
      'q.jsonl',
      bytes('{"question": "Who?", "answer": "Ida"}\n'.repeat(3)),
      /^q\.jsonl holds questions with their answers and no rollouts\. .*Corpus.*--questions/,
    ],
    [
      'h.json',
      bytes(JSON.stringify({ 'Low Tide': ['It is a novel.'], 'Night Ferry': ['It is a film.'] })),
      /^h\.json holds passages by title and no rollouts\. .*--corpus/,
    ],
    ['v.parquet', QUESTIONS, /^v\.parquet holds questions and no rollouts/],
  ])('%s', async (name, file, sentence) => {
    await expect(reading(file, name)).rejects.toThrow(sentence);
  });

  it('is reported before a large file of another kind is read to its end', async () => {
    const line = JSON.stringify({ id: 'a', contents: '"Low Tide"\nIt is a novel.' });
    await expect(reading(bytes(`${line}\n`.repeat(5000)), 'c.jsonl')).rejects.toThrow(
      /^c\.jsonl holds passages and no rollouts\. .*--corpus/,
    );
  });

  it('stops at a file that unpacks to more than rollouts do', async () => {
    // 300 MB of one letter in 300 kB.
    const bomb = gzipSync(Buffer.alloc(300 * 2 ** 20, 'a'), { level: 9 });
    const before = process.memoryUsage().arrayBuffers;
    await expect(reading(bytes(bomb), 'bomb.gz')).rejects.toThrow(
      /bomb\.gz is a gzip file that unpacks to more than 200 times its size/,
    );
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(200 * 2 ** 20);
  });

  it('raw deflate and stray control bytes are no gzip and no wide text', () => {
    expect(sniff(deflateRawSync(lines)).kind).toMatch(/other|lines/);
    expect(sniff(bytes('{"a": "b"}')).kind).toBe('lines');
    expect(sniff(bytes('{\n  "a": 1}')).kind).toBe('document');
  });
});

describe('files of one run', () => {
  const stepFile = (step: number): { name: string; blob: Blob } => ({
    name: `${step}.jsonl`,
    blob: blobOf({ ...verl, step }, { ...verl, step, score: 0 }),
  });
  const run = async (files: { name: string; blob: Blob }[]): Promise<RunItem[]> => {
    const items: RunItem[] = [];
    for await (const item of importRun(files, 'dump')) items.push(item);
    return items;
  };

  test('are read in the order of their steps, under one name and with ids of their own', async () => {
    const items = await run([10, 2, 1].map(stepFile));
    expect(steps(items)).toEqual([1, 1, 2, 2, 10, 10]);
    const rollouts = items.flatMap((item) => (item.kind === 'rollout' ? item.rollout : []));
    expect(new Set(rollouts.map(({ runId }) => runId))).toEqual(new Set(['dump']));
    expect(rollouts.map(({ id }) => id)).toEqual(
      ['1', '2', '10'].flatMap((name) => [`${name}.jsonl:1`, `${name}.jsonl:2`]),
    );
    expect(items.map(({ bytes: at }) => at)).toEqual(
      items.map(({ bytes: at }) => at).toSorted((a, b) => a - b),
    );
  });

  test('of several containers are one run', async () => {
    const two = gzipSync(await stepFile(2).blob.text());
    const files = [
      { name: '3.parquet', blob: new Blob([PARQUET]) },
      { name: '2.jsonl.gz', blob: new Blob([two]) },
      { name: '1.json', blob: new Blob([JSON.stringify([FOREIGN.verl, trl])]) },
    ];
    expect(steps(await run(files)).slice(0, 6)).toEqual([40, 7, 2, 2, 1, 1]);
  });

  test('that cannot be read are reported by name; where none can, so is the first', async () => {
    const empty = { name: '2.jsonl', blob: new Blob([]) };
    const items = await run([stepFile(1), empty]);
    expect(items.at(-1)).toMatchObject({
      kind: 'fault',
      file: '2.jsonl',
      line: 0,
      reason: expect.stringMatching(/^2\.jsonl is empty/),
    });
    await expect(run([empty, { name: '3.jsonl', blob: new Blob([]) }])).rejects.toThrow(
      /^None of the 2 files of dump can be read: 2\.jsonl is empty/,
    );
  });

  test('are recognised by their names', () => {
    expect(areSteps(['1.jsonl', '20.jsonl'])).toBe(true);
    expect(areSteps(['completions_00001.parquet', 'completions_00002.parquet'])).toBe(true);
    expect(areSteps(['global_step_10.json.gz', 'global_step_20.json.gz'])).toBe(true);
    // Runs that are to be compared.
    expect(areSteps(['run1.jsonl', 'run2.jsonl'])).toBe(false);
    expect(areSteps(['1.jsonl'])).toBe(false);
    const named = ['a/10.jsonl', 'a/9.jsonl', 'a/1.jsonl'].map((name) => ({ name }));
    expect(inStepOrder(named).map(({ name }) => name)).toEqual([
      'a/1.jsonl',
      'a/9.jsonl',
      'a/10.jsonl',
    ]);
    expect(['1.jsonl', 'x.PARQUET', 'x.json.gz', 'log.eval'].every(isRolloutName)).toBe(true);
    expect(
      ['x.jsonl.gz', 'x.ndjson', 'x.PARQUET', 'a.b.json', 'log.eval', 'dump'].map(withoutEnding),
    ).toEqual(['x', 'x', 'x', 'a.b', 'log', 'dump']);
    expect(['.jsonl', 'config.yaml', 'model.safetensors', '.x.json'].some(isRolloutName)).toBe(
      false,
    );
  });
});

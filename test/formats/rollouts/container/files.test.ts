import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { readRecord } from '../../../../src/formats/rollouts/detect.ts';
import { elsewhere } from '../../../../src/formats/rollouts/run.ts';
import { importRun, type RunItem } from '../../../../src/formats/rollouts/run.ts';
import { isTooDeep, parseJson } from '../../../../src/formats/rollouts/shape/json.ts';
import { readAll } from '../helpers.ts';

const ROLLOUT = '{"input":"Question: who?","output":"<answer>x</answer>","score":1}';
const QUESTION = '{"question":"Who?","answer":"Ida"}';
const lines = (...parts: readonly (readonly [line: string, count: number])[]): Blob =>
  new Blob(parts.map(([line, count]) => `${line}\n`.repeat(count)));

describe('a file of something else is given up', () => {
  test('after a thousand lines without a rollout, with the first fault', async () => {
    const late = await readAll(lines(['no', 999], [ROLLOUT, 1]));
    expect(late.at(-1)).toMatchObject({ kind: 'rollout', line: 1000 });
    await expect(readAll(lines(['no', 1000], [ROLLOUT, 1]), 'a')).rejects.toThrow(
      /^a holds no rollouts in its first 1000 lines: line 1 is not JSON: /,
    );
    // With one rollout it is read to its end.
    expect(await readAll(lines([ROLLOUT, 1], ['no', 1200]))).toHaveLength(1201);
  });

  test('after a hundred questions, with where they belong', async () => {
    const SAID =
      'a holds questions with their answers and no rollouts. Open it under Corpus, or give it to "lab rollout" or "lab evaluate" as --questions.';
    await expect(readAll(lines([QUESTION, 100], [ROLLOUT, 1]), 'a')).rejects.toThrow(SAID);
    expect(await readAll(lines([QUESTION, 99], [ROLLOUT, 1]))).toHaveLength(100);
    expect(await readAll(lines([ROLLOUT, 1], [QUESTION, 150]))).toHaveLength(151);
    await expect(readAll(lines([QUESTION, 3]), 'a')).rejects.toThrow(SAID);
    // Of questions and other lines, nobody can say what it is.
    expect(await readAll(lines([QUESTION, 3], ['no', 1]))).toHaveLength(4);
  });
});

describe('a line that is not a rollout is reported', () => {
  const place = { name: 'a', line: 1 };
  const why = (value: unknown): string => {
    try {
      readRecord(value, place);
      return 'read';
    } catch (error) {
      return (error as Error).message;
    }
  };
  test.each<[unknown, string]>([
    [[1], 'holds a list; expected one object per line'],
    [null, 'holds null; expected one object per line'],
    [5, 'holds number; expected one object per line'],
    ['x', 'holds string; expected one object per line'],
    [{ format: 'forage.rollout/9' }, '"format" is "forage.rollout/9"; this version reads forage.rollout/1'],
  ])('%j', (value, reason) => expect(why(value)).toBe(reason)); // prettier-ignore

  test('by its keys, the first eight, and those that were expected', () => {
    const many = Object.fromEntries('abcdefghij'.split('').map((key) => [key, 1]));
    expect(why(many)).toMatch(/^no rollout layout is known with the keys a, b, c, d, e, f, g, h; /);
    expect(why({})).toMatch(/^no rollout layout is known with the keys \(none\); expected /);
    expect(why({})).toMatch(/prompt and completion \(trl\).* or format: forage\.rollout\/1$/);
    // A format of another kind is only a key.
    expect(why({ format: 5 })).toMatch(/with the keys format;/);
    expect(why({ format: 'x forage.' })).toMatch(/with the keys format;/);
  });

  test.each([
    [{ question: 'q', answer: 'a' }],
    [{ question: 'q', answers: ['a'] }],
    [{ question: 'q', golden_answers: ['a'] }],
    [{ question: 'q', answer: 'a', gen_text_store: ' ' }],
    [{ question: 'q', answer: 'a', gen_text_store: null }],
  ])('a question: %j', (value) =>
    expect(why(value)).toMatch(/open files of questions under Corpus/),
  );
  test.each([
    [{ question: 'q', answer: 'a', gen_text_store: 'said' }, 'read'],
    [{ question: 'q', answer: 'a', gen_text_store: '', pred_ans: null }, 'read'],
    [{ question: 'q' }, 'no rollout layout'],
    [{ answer: 'a' }, 'no rollout layout'],
    [{ question: 'q', answer: 'a', input: '', output: '' }, 'read'],
  ])('none: %j', (value, said) => expect(why(value)).toContain(said));

  test('more than a thousand lists and objects within one another', () => {
    const nested = (depth: number): unknown => {
      let value: unknown = 1;
      for (let i = 0; i < depth; i++) value = i % 2 === 0 ? [value] : { a: value };
      return value;
    };
    expect(isTooDeep(nested(1000))).toBe(false);
    expect(isTooDeep(nested(1001))).toBe(true);
    expect(isTooDeep(5)).toBe(false);
    expect(isTooDeep(null)).toBe(false);
    expect(isTooDeep([1, nested(1000)])).toBe(true);
    expect(why({ input: nested(1000) })).toBe('is nested too deeply');
  });
});

describe('numbers that JSON does not have', () => {
  test.each<[string, unknown]>([
    ['[NaN, Infinity, -Infinity, 1]', [null, null, null, 1]],
    ['{"a":NaN,"b":"NaN, -Infinity \\" NaN","c":-Infinity}', { a: null, b: 'NaN, -Infinity " NaN', c: null }],
    ['["\\\\",NaN]', ['\\', null]],
    ['"NaN"', 'NaN'],
  ])('%s', (text, value) => expect(parseJson(text)).toEqual(value)); // prettier-ignore
  test('are no excuse for what is no JSON', () => {
    expect(() => parseJson('[NaN, x]')).toThrow(SyntaxError);
    expect(() => parseJson('[NaNs]')).toThrow(SyntaxError);
    expect(() => parseJson('["NaN')).toThrow(SyntaxError);
    expect(() => parseJson('{')).toThrow(SyntaxError);
  });
});

describe('a record is named by its line', () => {
  test('with every byte order mark', async () => {
    const items = await readAll(new Blob([`\uFEFF${ROLLOUT}\n\uFEFF${ROLLOUT}\n`]));
    expect(items.map(({ kind }) => kind)).toEqual(['rollout', 'rollout']);
  });

  test('those of a log on one line count on, and the text after them is reported with its line', async () => {
    const log = `{"samples":[${ROLLOUT},${ROLLOUT}]}`;
    const items = await readAll(new Blob([`${log}\n${ROLLOUT}\n{\n${ROLLOUT}\n`]));
    expect(items.map(({ kind, line }) => [kind, line])).toEqual([
      ['rollout', 1],
      ['rollout', 2],
      ['rollout', 3],
      ['fault', 4],
      ['rollout', 5],
    ]);
    expect(items[3]).toMatchObject({ reason: expect.stringMatching(/\(at line 3 of the text\)$/) });
  });

  test('samples that are no objects are none', async () => {
    const [item] = await readAll(new Blob([`{"samples":[${ROLLOUT},5]}\n`]));
    expect(item).toMatchObject({ kind: 'fault', line: 1 });
  });

  test('a question with samples of rollouts is a log of them', async () => {
    const log = `{"question":"q","answer":"a","samples":[{"x":1},${ROLLOUT}]}\n`;
    const items = await readAll(new Blob([log]));
    expect(items.map(({ kind, line }) => [kind, line])).toEqual([
      ['fault', 1],
      ['rollout', 2],
    ]);
  });

  test('what is too long is cut in the message', async () => {
    const key = 'k'.repeat(900);
    const [item] = await readAll(new Blob([`{"${key}":1}\n`]));
    const reason = item?.kind === 'fault' ? item.reason : '';
    expect(reason).toHaveLength(601);
    expect(reason.endsWith('…')).toBe(true);
  });
});

describe('a run of no rollouts', () => {
  const all = async (...files: [string, string][]): Promise<RunItem[]> => {
    const items: RunItem[] = [];
    const blobs = files.map(([name, text]) => ({ name, blob: new Blob([text]) }));
    for await (const item of importRun(blobs, 'run')) items.push(item);
    return items;
  };
  test('says of which file, which line and why', async () => {
    await expect(all(['1.jsonl', ' \n'], ['2.jsonl', '\nno\n'])).rejects.toThrow(
      /^run holds no rollouts: 2\.jsonl line 2 is not JSON: .*\. ?Expected are JSON lines, a list in JSON, or parquet/,
    );
    await expect(all(['1.jsonl', '5\n'])).rejects.toThrow(
      /^run holds no rollouts: line 1 holds number; expected one object per line\.$/,
    );
    await expect(all(['1.jsonl', ' '], ['2.jsonl', ' '])).rejects.toThrow(
      /^run holds no rollouts: it has no records at all\. Expected are .*in a layout that is known: forage, .*, messages\.$/,
    );
  });

  test('is read with those that can be; bytes count over all files', async () => {
    const items = await all(['2.jsonl', `${ROLLOUT}\n`], ['1.jsonl', 'no\n'], ['3.jsonl', '']);
    expect(items.map(({ kind, line, bytes, file }) => [kind, line, bytes, file])).toEqual([
      ['fault', 1, 3, '1.jsonl'],
      ['rollout', 1, 3 + ROLLOUT.length + 1, '2.jsonl'],
      ['fault', 0, 3 + ROLLOUT.length + 1, '3.jsonl'],
    ]);
  });

  test('rollouts of our own keep the run that they were made in', async () => {
    const own = {
      format: 'forage.rollout/1', id: 'r', runId: 'first', step: 1, groupId: 'g',
      question: { id: 'q', text: 'who?', answers: [], supporting: [] },
      segments: [], rewards: [], reward: null, baseline: null, advantage: null, metrics: null, answer: null,
    }; // prettier-ignore
    const items = await all(['1.jsonl', JSON.stringify(own)], ['2.jsonl', ROLLOUT]);
    expect(items.map((item) => item.kind === 'rollout' && item.rollout.runId)).toEqual([
      'first',
      'run',
    ]);
  });

  test('a file for another page is recognised by its content', async () => {
    const told = (text: string) => elsewhere(new Blob([text]), 'a');
    expect(await told(QUESTION)).toBe(
      'holds questions with their answers and no rollouts. Open it under Corpus, or give it to “lab rollout” or “lab evaluate” as --questions.',
    );
    expect(await told('{"id":"1","contents":"One."}')).toMatch(/^holds passages and .*--corpus\.$/);
    expect(await told('Any text.')).toBeNull();
    expect(await told('')).toBeNull();
    expect(await told('{"question":5,"answer":"a"}')).toBeNull();
  });
});

test('a gzip file may unpack to 64 MiB and 200 times its size', async () => {
  const text = (bytes: number): Blob =>
    new Blob([gzipSync(Buffer.concat([Buffer.from(`${ROLLOUT}\n`), Buffer.alloc(bytes, ' ')]))]);
  expect(await readAll(text(80_000_000))).toHaveLength(1);
  await expect(readAll(text(90_000_000), 'a')).rejects.toThrow(
    'a is a gzip file that unpacks to more than 200 times its size, which no file of text does.',
  );
}, 60_000);

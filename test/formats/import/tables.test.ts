import { existsSync, readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { describe, expect, it } from 'vitest';
import { importAll, previewImport, type Imported } from '../../../src/formats/import/collect.ts';
import { readImport } from '../../../src/formats/import/read.ts';
import { blob, jsonl } from '../../fixtures/import/files.ts';

const asked = ({ questions }: Imported) => questions.map(({ text, answers }) => [text, ...answers]);

describe('benchmarks as they are published are questions by the names of their columns', () => {
  it.each<[string, string, string[]]>([
    [
      'simpleqa.csv',
      `metadata,problem,answer\n"{'topic': 'Art'}",Which town?,Albi`,
      ['Which town?', 'Albi'],
    ],
    [
      'frames.tsv',
      "\tPrompt\tAnswer\twiki_links\n0\tWhich town?\tAlbi\t['https://x.org']\n",
      ['Which town?', 'Albi'],
    ],
    [
      'popqa.tsv',
      'id\tsubj\tprop\tobj\tquestion\tpossible_answers\n1\ta\tb\tc\tWhich town?\t["Albi", "City of Albi"]',
      ['Which town?', 'Albi', 'City of Albi'],
    ],
    [
      'gaia.csv',
      'task_id,Question,Level,Final answer\ng1,Which town?,1,Albi',
      ['Which town?', 'Albi'],
    ],
    [
      'truthful.csv',
      'Type,Question,Best Answer,Correct Answers\nx,Which town?,Albi,"[""City of Albi""]"',
      ['Which town?', 'Albi', 'City of Albi'],
    ],
    [
      'python.csv',
      `question,answer\nWhich town?,"['Albi', 'City of Albi']"`,
      ['Which town?', 'Albi', 'City of Albi'],
    ],
  ])('%s', async (name, text, question) => {
    const imported = await importAll(blob(text), { name });
    expect(imported.rejected).toEqual([]);
    expect(imported.passages).toEqual([]);
    expect(asked(imported)).toEqual([question]);
  });

  it('the wrong answers of GPQA are options, in an order that tells nothing', async () => {
    const text =
      'Question,Correct Answer,Incorrect Answer 1,Incorrect Answer 2\nWhich town?,Nice,Oslo,Albi';
    const { questions } = await importAll(blob(text), { name: 'gpqa.csv' });
    expect(questions).toMatchObject([
      {
        text: 'Which town? A) Albi B) Nice C) Oslo',
        answers: ['Nice'],
        options: ['Albi', 'Nice', 'Oslo'],
      },
    ]);
  });

  it('in parquet, too', async () => {
    const bytes = parquetWriteBuffer({
      columnData: [
        { name: 'problem', data: ['Which town?'] },
        { name: 'answer', data: ['Albi'] },
      ],
    });
    expect(asked(await importAll(new Blob([bytes])))).toEqual([['Which town?', 'Albi']]);
  });
});

describe('a table that is no questions is never one passage that holds their answers', () => {
  it.each([
    ['a.csv', 'topic,gold\nTarn,Albi'],
    ['a.tsv', 'topic\tgold\nTarn\tAlbi'],
    ['a.csv.gz', 'topic,gold\nTarn,Albi'],
    // Without a name that says so, by its lines.
    ['', 'topic,gold\nTarn,Albi\nLot,Cahors\n'],
    ['', 'topic\tgold\nTarn\tAlbi\n'],
  ])('%s %j', async (name, text) => {
    const bytes = name.endsWith('.gz') ? gzipSync(text) : Buffer.from(text);
    const refused = importAll(new Blob([new Uint8Array(bytes)]), { name });
    await expect(refused).rejects.toThrow(
      /^expected a column `question` .*; the columns are topic, gold$/,
    );
  });

  it('nor are questions that are encrypted read as they are', async () => {
    const text =
      'problem,answer,problem_topic,canary\nYDsTNXofAzZSqs4GkG+eeBOP1Tfm6a0=,dj8YPw==,Art,key\n';
    await expect(importAll(blob(text), { name: 'browsecomp.csv' })).rejects.toThrow(
      'these are encrypted with the key in the column `canary`: decrypt them',
    );
  });

  it.each([
    ['notes.txt', 'First, second\nthird, fourth\nfifth, sixth'],
    ['', 'Dear Ada, hello.\nThe town, as you know, is small.'],
    ['a.md', '# Tarn\n\nA river, and more.'],
  ])('while running text with commas stays running text: %s', async (name, text) => {
    const { passages } = await importAll(blob(text), { name });
    expect(passages).toHaveLength(1);
  });
});

it('passages are read from parquet, also without a title', async () => {
  const bytes = parquetWriteBuffer({
    columnData: [
      { name: 'id', data: ['1', '2'] },
      { name: 'title', data: [null, 'Tarn'], nullable: true },
      { name: 'text', data: ['The Tarn passes Albi.', 'The Tarn is a river.'] },
    ],
  });
  const { passages, rejected } = await importAll(new Blob([bytes]));
  expect(rejected).toEqual([]);
  expect(passages.map(({ passage }) => [passage.id, passage.title, passage.text])).toEqual([
    ['1', '', 'The Tarn passes Albi.'],
    ['2', 'Tarn', 'The Tarn is a river.'],
  ]);
});

describe('files that are packed by gzip', () => {
  const lines = Array.from({ length: 500 }, (_, i) =>
    JSON.stringify({ id: `p${i}`, title: 'Tarn', text: `Passage ${i} about the Tarn.` }),
  );
  const packed = gzipSync(lines.join('\n'));
  const file = new Blob([new Uint8Array(packed)]);

  it('give what the same file gives unpacked, and say how far they are by their own size', async () => {
    const seen: number[] = [];
    const { passages } = await importAll(file, {
      name: 'wiki.jsonl.gz',
      batchItems: 100,
      onProgress: ({ bytes, totalBytes }) => {
        expect(totalBytes).toBe(file.size);
        seen.push(bytes);
      },
    });
    expect(passages).toEqual((await importAll(blob(lines.join('\n')))).passages);
    expect(seen).toEqual(seen.toSorted((a, b) => a - b));
    expect(Math.max(...seen)).toBe(file.size);
    const { items, format } = await previewImport(file, { name: 'wiki.jsonl.gz' });
    expect([format.container, items]).toEqual(['jsonl', { count: 500, exact: true }]);
  });

  it('resume where they were left', async () => {
    const first = await readImport(file, { batchItems: 200 }).next();
    const { passages, position } = first.value!;
    const rest = await importAll(file, { resume: position! });
    expect([...passages, ...rest.passages].map(({ passage }) => passage.id)).toEqual(
      Array.from({ length: 500 }, (_, i) => `p${i}`),
    );
  });

  it('are titled by the name of what is in them', async () => {
    const text = new Blob([new Uint8Array(gzipSync('One. Two.'))]);
    const { passages } = await importAll(text, { name: 'notes.txt.gz' });
    expect(passages[0]?.passage.title).toBe('notes');
  });

  it('are refused where they are cut off at any place', async () => {
    const small = gzipSync(lines.slice(0, 3).join('\n'));
    for (let end = 18; end < small.length; end++)
      await expect(importAll(new Blob([new Uint8Array(small.subarray(0, end))]))).rejects.toThrow(
        'it is a gzip file that is damaged or cut off',
      );
  });

  it('while those of another packer are named, with what to do', async () => {
    const zstd = new Blob([new Uint8Array([0x28, 0xb5, 0x2f, 0xfd, 0, 0, 0, 0])]);
    await expect(importAll(zstd)).rejects.toThrow(
      'this one is compressed by Zstandard. Unpack it first (zstd -d)',
    );
  });
});

describe('lines as Python writes them', () => {
  it('NaN is nothing where nothing may be, and names its line elsewhere', async () => {
    const { passages, rejected } = await importAll(
      blob('{"id":"1","title":NaN,"text":"One.","score":NaN}\n{"id":"2","title":"T","text":NaN}\n'),
    );
    expect(passages.map(({ passage }) => [passage.id, passage.title])).toEqual([['1', '']]);
    expect(rejected).toMatchObject([{ line: 2, key: 'text' }]);
  });

  it('ids beyond 2^53 are two', async () => {
    const { passages, rejected } = await importAll(
      blob('{"id":9007199254740993,"text":"One."}\n{"id":9007199254740992,"text":"Two."}\n'),
    );
    expect(rejected).toEqual([]);
    expect(passages.map(({ passage }) => passage.id)).toEqual([
      '9007199254740993',
      '9007199254740992',
    ]);
  });

  it.each([
    ['with a comma after each', '{"id":"1","text":"One."},\n{"id":"2","text":"Two."},\n'],
    ['glued', '{"id":"1","text":"One."}{"id":"2","text":"Two."}'],
    [
      'as Python prints them',
      "{'id': '1', 'text': 'One.', 'url': None}\n{'id': '2', 'text': 'Two.'}\n",
    ],
  ])('lines %s', async (_, text) => {
    const { passages, rejected } = await importAll(blob(text));
    expect(rejected).toEqual([]);
    expect(passages.map(({ passage }) => passage.text)).toEqual(['One.', 'Two.']);
  });

  it('half a line after glued ones is named', async () => {
    const { passages, rejected } = await importAll(
      blob('{"text":"One."}{"text":"Two."}{"text":\n'),
    );
    expect(passages).toHaveLength(2);
    expect(rejected).toMatchObject([{ line: 1, item: 2 }]);
  });
});

it('a question asked with a table of pandas is no passage by title', async () => {
  const table = { columns: ['step', 'prompt'], data: [['3', 'Who?']] };
  await expect(importAll(jsonl(table))).rejects.toThrow('expected lines of JSON');
});

const CASES = new URL('../../../../shared/data/cases/', import.meta.url);
const missing = !existsSync(CASES);
if (missing) console.warn('skipped: needs ../shared/data/cases');

describe.skipIf(missing)('files of public bug reports', () => {
  const read = (file: string): Promise<Imported> =>
    importAll(new Blob([readFileSync(new URL(file, CASES))]), { name: file });

  it.each([
    ['10-question-files/simpleqa.csv', 1],
    ['10-question-files/frames.tsv', 1],
    ['10-question-files/gpqa.csv', 1],
    ['10-question-files/qa-csv-pylist.csv', 2],
    ['10-question-files/triviaqa-hf.jsonl', 1],
    ['19-parquet-null-struct/questions/ground-truth-as-repr.parquet', 40],
    ['19-parquet-null-struct/questions/null-data-source.parquet', 40],
    ['19-parquet-null-struct/questions/verl-train-null-metadata.parquet', 60],
  ])('%s holds %d questions', async (file, count) => {
    const { questions, passages, rejected } = await read(file);
    expect([questions.length, passages.length, rejected.length]).toEqual([count, 0, 0]);
    for (const { answers } of questions) expect(answers.join()).not.toMatch(/[[\]]/);
  });

  it('questions encrypted by their benchmark are refused', async () => {
    await expect(read('10-question-files/browsecomp.csv')).rejects.toThrow('encrypted');
  });

  it('corpora', async () => {
    expect((await read('11-corpus/nan.jsonl')).passages).toHaveLength(2);
    expect((await read('11-corpus/same-title.json')).passages).toHaveLength(2);
    expect(
      (await read('19-parquet-null-struct/questions/corpus-null-title.parquet')).passages,
    ).toHaveLength(60);
  });
});

import { parquetWriteBuffer } from 'hyparquet-writer';
import { describe, expect, it } from 'vitest';
import { importAll, type Imported } from '../../../../src/formats/import/collect.ts';

type Column = Parameters<typeof parquetWriteBuffer>[0]['columnData'][number];

const file = (columnData: Column[], rowGroupSize?: number): Uint8Array<ArrayBuffer> =>
  new Uint8Array(parquetWriteBuffer({ columnData, ...(rowGroupSize && { rowGroupSize }) }));
const read = (...columns: Column[]): Promise<Imported> => importAll(new Blob([file(columns)]));

const QUESTION: Column = { name: 'question', data: ['Who?', 'Why?'] };
const GOLDEN: Column = { name: 'golden_answers', type: 'JSON', data: [['a'], ['b', 'c']] };

describe('questions in parquet', () => {
  it('come out of all columns that say something of them', async () => {
    const { questions, rejected } = await read(
      QUESTION,
      GOLDEN,
      { name: 'id', type: 'INT64', data: [5n, 6n] },
      { name: 'data_source', data: ['nq', 'hotpotqa'] },
      { name: 'extra_info', type: 'JSON', data: [{ split: 'dev' }, { split: 'test', index: 9 }] },
      { name: 'other', data: ['x', 'y'] },
    );
    expect(rejected).toEqual([]);
    expect(questions).toEqual([
      { id: 'nq-dev-5', text: 'Who?', answers: ['a'], supporting: [], dataset: 'nq' },
      {
        id: 'hotpotqa-test-9',
        text: 'Why?',
        answers: ['b', 'c'],
        supporting: [],
        dataset: 'hotpotqa',
      },
    ]);
  });

  it('have the answers of the reward model first; the prompt is read where no question is', async () => {
    const reward: Column = {
      name: 'reward_model',
      type: 'JSON',
      data: [{ ground_truth: { target: ['x'] } }, { ground_truth: { target: ['y'] } }],
    };
    const prompt: Column = { name: 'prompt', data: ['Question: One?', 'Question: Two?'] };
    const asked = async (...columns: Column[]): Promise<string[][]> =>
      (await read(...columns)).questions.map(({ text, answers }) => [text, ...answers]);
    expect(await asked(QUESTION, GOLDEN, reward, prompt)).toEqual([
      ['Who?', 'x'],
      ['Why?', 'y'],
    ]);
    expect(await asked(GOLDEN, prompt)).toEqual([
      ['One?', 'a'],
      ['Two?', 'b', 'c'],
    ]);
  });

  it('are none where no column holds one, which is said', async () => {
    await expect(read(GOLDEN)).rejects.toThrow('expected a parquet column `question` or `prompt`');
  });

  it('are not lost with a part of the file that is damaged: it is named, the others are read', async () => {
    const rows = Array.from({ length: 30 }, (_, i) => i);
    const bytes = file(
      [
        { name: 'question', data: rows.map((i) => `Question ${i}?`), codec: 'UNCOMPRESSED' },
        { name: 'golden_answers', type: 'JSON', data: rows.map((i) => [`a${i}`]) },
      ],
      10,
    );
    const at = Buffer.from(bytes).indexOf('Question 10?');
    // The page's header: its type and its sizes.
    bytes.fill(0xff, at - 24, at - 12);
    const { questions, rejected, progress } = await importAll(new Blob([bytes]));
    expect(questions.map(({ text }) => text)).toEqual(
      rows.filter((i) => i < 10 || i >= 20).map((i) => `Question ${i}?`),
    );
    expect(rejected).toHaveLength(1);
    expect(rejected[0]).toMatchObject({ line: null, item: 19, key: '' });
    expect(rejected[0]?.expected).toMatch(/^expected readable rows 10 to 19: /);
    expect(progress).toMatchObject({ questions: 20, bytes: bytes.length });
  });

  it('say how far the file was read by the share of its rows', async () => {
    const blob = new Blob([file([QUESTION, GOLDEN])]);
    const seen: number[] = [];
    await importAll(blob, { batchItems: 1, onProgress: ({ bytes }) => seen.push(bytes) });
    expect(seen).toEqual([Math.round(blob.size / 2), blob.size, blob.size]);
  });

  it('that are cut off are refused', async () => {
    const bytes = file([QUESTION, GOLDEN]);
    await expect(importAll(new Blob([bytes.slice(0, -1)]))).rejects.toThrow(
      'expected a whole parquet file: a parquet file ends in PAR1; is it cut off?',
    );
  });

  it('stop when reading is aborted', async () => {
    const controller = new AbortController();
    controller.abort(new Error('enough'));
    const blob = new Blob([file([QUESTION, GOLDEN])]);
    await expect(importAll(blob, { signal: controller.signal })).rejects.toThrow('enough');
  });
});

import { parquetMetadata, parquetReadObjects } from 'hyparquet';
import { expect, it } from 'vitest';
import { verlParquet } from '../../../src/handover/export/verl.ts';

const ROWS: Parameters<typeof verlParquet>[0] = [
  {
    text: 'Who wrote “Élan”?',
    answers: ['Ada', 'A. L.'],
    split: 'train',
    place: 40,
    question: 'q7',
  },
  { text: 'draw 41', answers: [], split: 'train', place: 41, question: '' },
  { text: 'Who wrote “Élan”?', answers: ['Ada'], split: 'dev', place: 0, question: 'q7' },
];

it('holds the columns that verl asks for, nested as it wants them', async () => {
  const rows = await parquetReadObjects({ file: verlParquet(ROWS).buffer });
  expect(rows).toEqual(
    ROWS.map(({ text, answers, split, place, question }, i) => ({
      data_source: 'forage',
      agent_name: 'forage',
      prompt: [{ role: 'user', content: text }],
      ability: 'qa',
      reward_model: { style: 'rule', ground_truth: answers },
      extra_info: { index: BigInt(i), split, place: BigInt(place), question },
    })),
  );
});

it('numbers the rows in one type, each once', async () => {
  const bytes = verlParquet(Array.from({ length: 1000 }, () => ROWS).flat());
  const { schema } = parquetMetadata(bytes.buffer);
  expect(schema.find(({ name }) => name === 'index')).toMatchObject({
    type: 'INT64',
    repetition_type: 'REQUIRED',
  });
  const rows = await parquetReadObjects({ file: bytes.buffer });
  const numbers = rows.map((row) => (row as { extra_info: { index: bigint } }).extra_info.index);
  expect(numbers).toEqual(Array.from({ length: 3000 }, (_, i) => BigInt(i)));
});

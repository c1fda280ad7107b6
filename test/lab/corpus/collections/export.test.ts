import { expect, it } from 'vitest';
import { importAll } from '../../../../src/formats/import/collect.ts';
import { exportLines } from '../../../../src/lab/corpus/collections/store.ts';
import { packLines, questionLine } from '../../../../src/lab/corpus/collections/passages/items.ts';

it('questions that leave a collection are read back with what they say of their task', async () => {
  const asked = [
    { id: 'a', question: 'Which town?', answer: 'B', options: ['Albi', 'Oslo'], isRetrieve: false },
    {
      id: 'b',
      question: 'Describe Albi.',
      answer: 'Tarn',
      type: 'summary',
      summary: ['It is old.'],
    },
    { id: 'c', question: '7 + 5?', answer: '12', type: 'arithmetic' },
  ];
  const blob = (lines: readonly object[]) =>
    new Blob([lines.map((line) => `${JSON.stringify(line)}\n`).join('')]);
  const { questions } = await importAll(blob(asked));
  expect(
    questions.map(({ options, mayRetrieve, summary, type }) => [
      options,
      mayRetrieve,
      summary,
      type,
    ]),
  ).toEqual([
    [['Albi', 'Oslo'], false, undefined, undefined],
    [undefined, undefined, ['It is old.'], 'summary'],
    [undefined, undefined, undefined, 'arithmetic'],
  ]);
  const lines = await exportLines('questions', await packLines(questions.map(questionLine)));
  const again = await importAll(new Blob([lines]));
  expect(again.rejected).toEqual([]);
  expect(again.questions).toEqual(questions);
});

import { expect, test } from 'vitest';
import { importAll } from '../../../src/formats/import/collect.ts';
import { splitIn } from '../../../src/formats/import/values/split.ts';

test.each([
  [{ split: 'train' }, undefined, 'train'],
  [{ split: ' Validation ' }, undefined, 'dev'],
  [{ split: 'held-out' }, undefined, 'dev'],
  [{ split: 'test' }, undefined, 'test'],
  [{ split: 'constructor' }, undefined, undefined],
  [{ split: 3 }, undefined, undefined],
  [{ extra_info: { split: 'test' } }, 'extra_info.split', 'test'],
  [{ extra_info: { split: 'test' } }, undefined, undefined],
  [{ fold: 'dev' }, 'fold', 'dev'],
  ['train', undefined, undefined],
])('%j by %s is in %s', (item, field, split) => {
  expect(splitIn(item, field)).toBe(split);
});

test('questions of JSON lines and of CSV keep the split that their file says', async () => {
  const jsonl = [
    { question: 'Where?', answer: 'Oslo', split: 'dev' },
    { question: 'Who?', answer: 'Ada' },
  ]
    .map((line) => JSON.stringify(line))
    .join('\n');
  const lines = await importAll(new Blob([jsonl]), { name: 'q.jsonl' });
  expect(lines.questions.map(({ split }) => split)).toEqual(['dev', undefined]);
  const csv = 'question,answer,split\nWhere?,Oslo,test\nWho?,Ada,train\n';
  const table = await importAll(new Blob([csv]), { name: 'q.csv' });
  expect(table.questions.map(({ split }) => split)).toEqual(['test', 'train']);
});

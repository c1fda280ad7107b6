import { expect, test } from 'vitest';
import { judgeBulk } from '../../../src/lab/ask/judging.ts';

test('a bulk of judgements ends when the page has heard of the last of them', async () => {
  const model = { id: 'm', complete: () => Promise.resolve('True') };
  const items = ['a', 'b', 'c'].map((id) => ({ id, question: 'q?', golds: ['g'], prediction: id }));
  const heard: string[] = [];
  const slow = async ({ id }: { id: string }, by: string): Promise<void> => {
    await new Promise((resolve) => setTimeout(resolve, 20));
    heard.push(`${id} ${by}`);
  };
  expect(await judgeBulk(model, items, slow, new AbortController().signal)).toBe('complete');
  // Several are told at once, so that their order is nobody's.
  expect(heard.toSorted()).toEqual(['a lj/1:m', 'b lj/1:m', 'c lj/1:m']);
});

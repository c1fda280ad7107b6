import { expect, it } from 'vitest';
import type { SplitName } from '../../../../src/formats/import/values/split.ts';
import { splitOf, splitQuestions, splitWords } from '../../../../src/lab/corpus/retrieval/split.ts';

const share = (ids: string[], split: string): number =>
  ids.filter((id) => splitOf(id) === split).length / ids.length;

it.each([
  ['numbers', (i: number) => `${i}`],
  ['names with a number', (i: number) => `river-${i}`],
  ['hexadecimal ids, as HotpotQA has', (i: number) => `5a8b57f25542995d1e6f${i.toString(16)}`],
])('70 %% of imported questions train, 15 %% each are for dev and test: %s', (_, name) => {
  const ids = Array.from({ length: 4000 }, (__, i) => name(i));
  expect(Math.abs(share(ids, 'train') - 0.7)).toBeLessThan(0.03);
  expect(Math.abs(share(ids, 'dev') - 0.15)).toBeLessThan(0.03);
  expect(Math.abs(share(ids, 'test') - 0.15)).toBeLessThan(0.03);
});

it('a run that is taken up again, or another device, splits the same way', () => {
  // Kept values: another hash would train on what was held out before.
  const ids = ['q0', 'q1', 'q2', 'q3', 'q4', 'q5', 'q6', 'q7'];
  expect(ids.map(splitOf).join(' ')).toBe('train dev test train train train train train');
});

const asked = (splits: (SplitName | undefined)[]) =>
  splits.map((split, i) => ({ id: `q${i}`, split }));
const placed = (splits: (SplitName | undefined)[], seed?: number) => {
  const { questions, split } = splitQuestions(asked(splits), seed);
  return { names: questions.map((q) => q.split ?? '–').join(' '), split };
};

it('a file that says the split is followed, and questions in none of its splits are left out', () => {
  const { names, split } = placed(['train', 'dev', 'test', undefined, 'train']);
  expect(names).toBe('train dev test – train');
  expect(split).toEqual({ by: 'field', seed: 0, train: 2, dev: 1, test: 1, left: 1 });
  expect(splitWords(split)).toBe(
    '2 for training, 1 held out, 1 for testing, as their file says; 1 in no split are left out',
  );
});

it('a file that holds none out gives a share of its training questions, and none of its test', () => {
  const { names, split } = placed(
    Array.from({ length: 200 }, (_, i) => (i < 180 ? 'train' : 'test')),
  );
  expect(split).toMatchObject({ by: 'field+share', test: 20, left: 0 });
  expect(split.train + split.dev).toBe(180);
  expect(split.dev).toBeGreaterThan(10);
  expect(split.dev).toBeLessThan(45);
  expect(names.split(' ').slice(180)).toEqual(Array.from({ length: 20 }, () => 'test'));
});

it('a file without questions for training is split by the page’s own share, or by a seed', () => {
  const ids: undefined[] = Array.from({ length: 8 });
  expect(placed(ids).names).toBe('train dev test train train train train train');
  expect(placed(['test', 'test', 'test']).split.by).toBe('share');
  const many: undefined[] = Array.from({ length: 400 });
  expect(placed(many, 1).names).not.toBe(placed(many).names);
  expect(placed(many, 1).names).toBe(placed(many, 1).names);
});

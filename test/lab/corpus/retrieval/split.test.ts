import { expect, it } from 'vitest';
import { splitOf } from '../../../../src/lab/corpus/retrieval/split.ts';

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

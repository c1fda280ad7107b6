import { expect, test } from 'vitest';
import { differences } from '../../bench/learning/differences.ts';

const step = (reward: number, at: string) => ({
  step: 1,
  at,
  reward: { mean: reward },
  kl: null,
  seconds: { total: reward },
});

test('runs that differ in clock times alone repeat each other', () => {
  expect(differences([step(0.5, 'Monday')], [step(0.5, 'Tuesday')])).toEqual({
    compared: 3,
    different: [],
  });
});

test('a last bit, a missing field and a missing step are seen', () => {
  const ulp = 0.5 + Number.EPSILON / 2;
  expect(differences([step(0.5, '')], [step(ulp, '')]).different).toEqual(['step 1.reward.mean']);
  expect(differences([{ ...step(0.5, ''), em: 1 }], [step(0.5, '')]).different).toEqual([
    'step 1.em',
  ]);
  expect(differences([step(0.5, ''), step(0.5, '')], [step(0.5, '')]).different).toEqual([
    'step 2',
  ]);
});

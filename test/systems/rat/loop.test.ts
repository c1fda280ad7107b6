import { expect, it } from 'vitest';
import { claimsOf } from '../../../src/systems/rat/loop.ts';

it('RAT cuts a draft into claims, three of three', () => {
  const draft = 'K was written by M. M was born in B.\nB is in C.';
  expect(claimsOf(draft, 3)).toEqual(['K was written by M.', 'M was born in B.', 'B is in C.']);
  expect(claimsOf(draft, 2)).toHaveLength(2);
});

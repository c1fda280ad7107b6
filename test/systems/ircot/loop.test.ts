import { expect, it } from 'vitest';
import { lastThoughtQuery, saysAnswer } from '../../../src/systems/ircot/loop.ts';

it('IRCoT asks with the last sentence that is no conclusion, else with the question', () => {
  const question = 'When was the author of K born?';
  const fact = 'the author of K is M .';
  expect(lastThoughtQuery([fact], question)).toBe(fact);
  expect(lastThoughtQuery([fact, 'so the answer is 1907 .'], question)).toBe(fact);
  expect(lastThoughtQuery([fact, '1931 - 1907 = 24'], question)).toBe(fact);
  expect(lastThoughtQuery(['Therefore, M.'], question)).toBe(question);
  expect(lastThoughtQuery(['who wrote K is M .'], question)).toBe('wrote K is M .');
});

it('IRCoT ends where a sentence says the answer', () => {
  expect(saysAnswer('so the answer is 1907 .')).toBe(true);
  expect(saysAnswer('the author of K is M .')).toBe(false);
});

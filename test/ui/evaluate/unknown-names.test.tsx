import { expect, it } from 'vitest';
import type { UnknownInSet } from '../../../src/lab/contract/evaluations.ts';
import { UnknownNames } from '../../../src/ui/evaluate/chooser/UnknownNames.tsx';
import { htmlOf, wordsIn } from '../kit/render.tsx';

/** Of 50 questions 45 name something that is not there; the look-up gives the first of them. */
const found: UnknownInSet = {
  set: 0,
  retrievals: [0],
  questions: 50,
  naming: 45,
  first: Array.from({ length: 40 }, (_, at) => ({
    id: `q${at}`,
    text: `Who is the mayor of Town ${at}?`,
    names: [`Town ${at}`],
  })),
};

const drawn = (sets: UnknownInSet[], set = 0): string =>
  htmlOf(<UnknownNames nameCheck={{ state: 'known', sets }} set={set} />);

it('lists twenty of many questions, and the rest after a click', () => {
  const html = drawn([found]);
  expect(wordsIn(html)).toContain(
    '⚠ 45 of 50 questions name something that no passage searched mentions',
  );
  expect(html.match(/<li\b/g)).toHaveLength(20);
  expect(wordsIn(html)).toContain('“Town 19” in “Who is the mayor of Town 19?”');
  expect(wordsIn(html)).not.toContain('“Town 20”');
  expect(wordsIn(html)).toMatch(/Show|more/);
});

it('is said of the set of questions that it was found in, and of no other', () => {
  expect(drawn([found], 1)).toBe('');
});

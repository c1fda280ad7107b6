import { expect, test } from 'vitest';
import { titleCoverage } from '../../src/retrieval/coverage.ts';

const passage = (title: string) => ({ id: title, title, text: 'x', sentences: ['x'] });
const coverage = titleCoverage([passage('Silent Harbor'), passage('Lea Rasvik')]);

test.each([
  ['director of Silent Harbor', 1],
  ['birth city of Lea Melwell', 0],
  ['born earlier of Lea Rasvik and Orbmina River', 0.5],
  ['currency', 0],
  // A question word in front of the name does not hide it.
  ['Is Lea Rasvik', 1],
])('%s: %d of its names are titles', (query, share) => {
  expect(coverage(query)).toBe(share);
});

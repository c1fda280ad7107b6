import { expect, it } from 'vitest';
import { relationWords } from '../../src/ui/kit/words/words.ts';

it.each([
  ['company.founder', 'founder'],
  ['company.foundingYear', 'founding year'],
  ['person.filmsDirected', 'films directed'],
  ['capital', 'capital'],
])('says %s as “%s”', (id, words) => {
  expect(relationWords(id)).toBe(words);
});

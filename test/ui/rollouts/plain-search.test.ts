import { expect, it } from 'vitest';
import { parseFilter } from '../../../src/evaluate/rollouts/filter/parse.ts';
import { plainSearch } from '../../../src/ui/rollouts/file/FilterField.tsx';

it('turns words that are no filter into a search of all texts', () => {
  expect(plainSearch(' Ida Holm ')).toBe('text contains "Ida Holm"');
  expect(parseFilter(plainSearch('Oslo') ?? '')).toEqual({
    kind: 'contains',
    field: 'text',
    value: 'Oslo',
  });
});

it('does not touch a filter that is being typed', () => {
  for (const text of ['em =', 'think contains', 'not ', '(em', 'a', '"open', 'em = 0 and'])
    expect([text, plainSearch(text)]).toEqual([text, null]);
});

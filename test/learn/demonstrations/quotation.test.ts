import { expect, it } from 'vitest';
import { wordsAround } from '../../../src/learn/demonstrations/mentions.ts';

it.each([
  [
    'the sentence that names it',
    'He wrote plays. He died in Munich. Later.',
    'Munich',
    'He died in Munich',
  ],
  ['whatever accents and case it has', 'She left KÖLN for good.', 'Köln', 'She left KÖLN for good'],
  ['nothing where no sentence does', 'He died in Munich.', 'Berlin', undefined],
  [
    'nothing where a name ends in the next sentence',
    'He met Robert. Jones left.',
    'Robert Jones',
    undefined,
  ],
])('quotes %s', (_, text, name, quote) => {
  expect(wordsAround(text, name)).toBe(quote);
});

it('keeps twenty words of a long sentence, five of them after the name', () => {
  const words = (from: number, to: number): string =>
    Array.from({ length: to - from }, (_, i) => `w${from + i}`).join(' ');
  expect(wordsAround(`${words(0, 30)} Old Munich ${words(30, 60)}.`, 'Old Munich')).toBe(
    `${words(17, 30)} Old Munich ${words(30, 35)}`,
  );
});

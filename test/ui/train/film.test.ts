import { expect, it } from 'vitest';
import type { TrainingFilm } from '../../../src/evaluate/training-film.ts';
import { sizesOf } from '../../../src/ui/train/film/FilmPicture.tsx';

const film = (scores: number, questions: number): TrainingFilm => ({
  steps: Array.from({ length: scores }, (_, i) => i),
  em: Array.from({ length: scores }, () => 0.5),
  rows: Array.from({ length: questions }, (_, i) => ({
    id: `q${i}`,
    text: 'Which film did the person of the seventy letters direct in that year?!',
    gold: 'x',
    cells: Array.from({ length: scores }, () => null),
  })),
});

/** Share of the width that names and columns take. */
const used = (scores: number, questions: number, width: number): number => {
  const { names, column } = sizesOf(film(scores, questions), width);
  return (names + scores * column) / width;
};

it('the film fills the width, of two scores and of two hundred, on a phone and on a wide screen', () => {
  for (const scores of [2, 3, 11, 40, 200])
    for (const width of [760, 1300, 2480])
      expect(used(scores, 64, width), `${scores} in ${width}`).toBeGreaterThan(0.95);
});

it('wide columns have room for what was answered, narrow ones are cells alone', () => {
  const wide = sizesOf(film(3, 64), 1300);
  expect(wide.column - wide.mark).toBeGreaterThan(70);
  const narrow = sizesOf(film(40, 64), 1300);
  expect(narrow.column - narrow.mark).toBeLessThanOrEqual(2);
  // Thousands of answers would hold the page up.
  const many = sizesOf(film(10, 400), 2480);
  expect(many.column - many.mark).toBeLessThanOrEqual(2);
});

import { expect, it } from 'vitest';
import { filmOf } from '../../src/evaluate/training-film.ts';
import type { HeldOutScore } from '../../src/records/training.ts';
import { trainStep } from '../fixtures/train-steps.ts';

/** A score of questions a, b, c … by their EM. */
const score = (...ems: number[]): HeldOutScore => ({
  n: ems.length,
  em: ems.reduce((sum, em) => sum + em, 0) / ems.length,
  f1: 0,
  recall: 0,
  searches: 0,
  formatValid: 1,
  questions: ems.map((em, i) => {
    const id = 'abcde'.charAt(i);
    return { id, text: `${id}?`, gold: 'x', answer: em === 1 ? 'x' : 'y', em, f1: em, searches: 1 };
  }),
});

it('the film of a run has a column a score, and its questions by when they were learned', () => {
  const film = filmOf([
    { ...trainStep(1), heldOutAtStart: score(0, 0, 1, 1, 0) },
    { ...trainStep(2), heldOut: score(0, 1, 1, 1, 0) },
    trainStep(3),
    { ...trainStep(4), heldOut: score(1, 1, 1, 0, 0) },
  ]);
  expect(film?.steps).toEqual([0, 2, 4]);
  expect(film?.em).toEqual([0.4, 0.6, 0.6]);
  // c was always right; b from step 2 on; a from step 4 on; d ends wrong; e was never right.
  expect(film?.rows.map(({ id }) => id)).toEqual(['c', 'b', 'a', 'd', 'e']);
  expect(film?.rows[1]?.cells.map((cell) => cell?.answer)).toEqual(['y', 'x', 'x']);
});

it('scores that do not tell their questions make no film', () => {
  // As every score did before each question was kept.
  expect(filmOf([trainStep(10), trainStep(20)])).toBeNull();
  const mixed = filmOf([trainStep(10), { ...trainStep(20), heldOut: score(1, 0) }]);
  expect(mixed?.steps).toEqual([20]);
});

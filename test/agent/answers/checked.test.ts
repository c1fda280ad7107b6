import { describe, expect, it } from 'vitest';
import {
  chosenOptions,
  numberOf,
  questionScores,
  rolloutMetrics,
} from '../../../src/agent/answers/checked.ts';

describe('a number', () => {
  it.each([
    ['1234', 1234],
    ['1,234', 1234],
    ['1234.0', 1234],
    [' 1,234.50 ', 1234.5],
    ['-7', -7],
    ['−7', -7],
    ['+7', 7],
    ['57.', 57],
    ['12,34', null],
    ['1234 km', null],
    ['three', null],
    ['1e3', null],
    ['', null],
  ])('%j is %j', (text, value) => {
    expect(numberOf(text)).toBe(value);
  });
});

const arithmetic = { answers: ['1234'], type: 'arithmetic' };

describe('an answer that is a number', () => {
  it.each([
    ['1,234', 1],
    ['1234.0', 1],
    ['1234', 1],
    // By SQuAD's normaliser, which deletes the point, these two would be 12340 and 1234.
    ['12340', 0],
    ['123.4', 0],
    ['1234 km', 0],
    ['', 0],
  ])('%j for 1234 scores %i', (answer, score) => {
    const all = { em: score, f1: score, coverEm: score, subEm: score };
    expect(questionScores(answer, arithmetic)).toEqual(all);
  });

  it('is checked as a number only where the question asks for one', () => {
    expect(questionScores('1234.0', { answers: ['1234'], type: 'bridge' }).em).toBe(0);
    expect(questionScores('1234.0', { answers: ['1234'] }).em).toBe(0);
    expect(questionScores('12.5', { answers: ['125'], type: 'computation' }).em).toBe(0);
  });

  it('may be a word where a gold answer is one', () => {
    const counting = { answers: ['3', 'three'], type: 'counting' };
    expect(['3', '3.0', 'Three', 'four', '33'].map((a) => questionScores(a, counting).em)).toEqual([
      1, 1, 1, 0, 0,
    ]);
  });

  it('is nothing where none is given', () => {
    expect(questionScores(null, arithmetic).em).toBe(0);
  });
});

const options = ['Ulmfield', 'Borfield', 'The Borfield Arms', 'Gilridge'];
const choice = { answers: ['Borfield'], options, type: 'choice' };

describe('multiple choice', () => {
  it.each([
    ['Borfield', 1],
    ['borfield.', 1],
    ['B', 1],
    ['b)', 1],
    ['(B)', 1],
    ['B. Borfield', 1],
    ['B) borfield', 1],
    // A letter with another option's text is neither.
    ['B) Ulmfield', 0],
    ['A', 0],
    ['C', 0],
    ['E', 0],
    ['Ulmfield', 0],
    // Half of its words are right, and it is another option.
    ['The Borfield Arms', 0],
    ['Borfield Arms', 0],
    ['Borfield town', 0],
    ['Beta', 0],
    ['', 0],
  ])('%j scores %i', (answer, score) => {
    const all = { em: score, f1: score, coverEm: score, subEm: score };
    expect(questionScores(answer, choice)).toEqual(all);
  });

  it('takes a letter as gold answer, and an option that is a letter by itself', () => {
    expect(questionScores('Borfield', { ...choice, answers: ['B'] }).em).toBe(1);
    expect(questionScores('B', { ...choice, answers: ['B'] }).em).toBe(1);
    const letters = { answers: ['A'], options: ['B', 'A', 'C'] };
    expect(questionScores('A', letters).em).toBe(1);
    expect(questionScores('B', letters).em).toBe(0);
    expect(chosenOptions('A', ['B', 'A', 'C'])).toEqual([1]);
  });

  it('takes options that are numbers as numbers, and an article for no option', () => {
    const sums = { answers: ['65'], options: ['65', '66', '63', '75'], type: 'computation' };
    expect(['65.0', 'A', '66', 'D'].map((a) => questionScores(a, sums).em)).toEqual([1, 1, 0, 0]);
    expect(chosenOptions('the', options)).toEqual([]);
  });

  it('where no option is right, compares with the gold answers', () => {
    expect(questionScores('Markas', { ...choice, answers: ['Markas'] }).em).toBe(1);
  });
});

it('questions without a check are scored by the normaliser', () => {
  const plain = { answers: ['Borfield'], type: 'bridge' };
  expect(questionScores('Borfield town', plain)).toEqual({
    em: 0,
    f1: 2 / 3,
    coverEm: 1,
    subEm: 1,
  });
});

it('a rollout’s metrics are of the check; none without a gold answer', () => {
  const counts = { recall: 0.5, searches: 1, tokens: 9, seconds: 2, formatValid: true };
  expect(rolloutMetrics('b', choice, counts)).toEqual({ em: 1, f1: 1, cover_em: 1, ...counts });
  expect(rolloutMetrics('b', { ...choice, answers: [] }, counts)).toBeNull();
});

import { describe, expect, it } from 'vitest';
import {
  proseScores,
  statementsOf,
  wantsLongAnswer,
} from '../../../src/agent/answers/long-answer.ts';
import { passage } from '../../fixtures/rollouts.ts';

const PAGES = [
  passage(
    'p1',
    'Business of Gillin Systems',
    'As of 2016, Gillin Systems employs 6400 people. It is run from Kelminster.',
  ),
  passage('p2', 'Otto Borsky', 'Otto Borsky was born in Dalgrad.'),
];

const supported = (prose: string): number => proseScores(prose, undefined, PAGES).supported;

describe('a question', () => {
  it('wants a long answer where it is a summary or has a gold one', () => {
    expect(wantsLongAnswer({ type: 'summary' })).toBe(true);
    expect(wantsLongAnswer({ summary: ['A.'] })).toBe(true);
    expect(wantsLongAnswer({ type: 'bridge' })).toBe(false);
    expect(wantsLongAnswer({})).toBe(false);
  });
});

describe('the prose of a long answer', () => {
  it('is cut into statements at the ends of sentences', () => {
    expect(statementsOf('One is 1. Two is 2 ! Three ... ')).toEqual([
      'One is 1.',
      'Two is 2 !',
      'Three ...',
    ]);
    expect(statementsOf(' . ')).toEqual([]);
  });

  it('is supported by the share of its statements that a passage holds', () => {
    expect(supported('Gillin Systems is based in Kelminster.')).toBe(1);
    // One of two: no passage says 1200.
    expect(
      supported('Gillin Systems is based in Kelminster. Gillin Systems employs 1200 people.'),
    ).toBe(0.5);
  });

  it('is not supported by two passages that hold half of a statement each', () => {
    expect(supported('Otto Borsky works at Gillin Systems.')).toBe(0);
  });

  it('needs other words beside a single name, and all of them beside none', () => {
    // "employs", "people" are there: 2 of 3. "sells red boats" does not at all.
    expect(supported('Gillin Systems employs many people.')).toBe(1);
    expect(supported('Gillin Systems sells red boats.')).toBe(0);
    expect(supported('it employs people')).toBe(1);
    expect(supported('it employs robots')).toBe(0);
  });

  it('of nonsense, and of nothing, is supported by nothing', () => {
    expect(supported('blah blah blah.')).toBe(0);
    expect(supported('')).toBe(0);
    expect(proseScores('Otto Borsky was born in Dalgrad.', undefined, []).supported).toBe(0);
  });

  it('has ROUGE-L where there is a gold summary', () => {
    expect(proseScores('a b.', undefined, PAGES).rougeL).toBeNull();
    expect(proseScores('a b.', ['a b'], PAGES).rougeL).toBe(1);
  });
});

import { describe, expect, test } from 'vitest';
import {
  compareRuns,
  hasScore,
  type ComparedFacts,
} from '../../../src/evaluate/rollouts/compare-runs.ts';

const scores = (em: number, f1 = em) => ({ em, f1, coverEm: em, subEm: em });

const fact = (
  questionId: string,
  em: number | null,
  part: Partial<ComparedFacts> = {},
): ComparedFacts => ({
  id: `${questionId}/${em}`,
  questionId,
  scores: em === null ? null : scores(em),
  byR1Searcher: null,
  judge: null,
  ...part,
});

const ids = (list: readonly { questionId: string }[]): string[] =>
  list.map(({ questionId }) => questionId);

describe('two runs on the same questions', () => {
  const a = [
    fact('gained', 0),
    fact('lost', 1),
    fact('same', 1),
    fact('half', 0, { id: 'h1' }),
    fact('half', 1, { id: 'h2' }),
    fact('only a', 1),
    fact('unscored in b', 1),
  ];
  const b = [
    fact('lost', 0),
    fact('gained', 1),
    fact('same', 1),
    fact('half', 1, { id: 'h3' }),
    fact('only b', 1),
    fact('unscored in b', null),
  ];

  test('gained, lost, as before, and flipped from wholly wrong to wholly right', () => {
    const found = compareRuns(a, b);
    expect(found.criterion).toBe('em');
    expect(ids(found.gained)).toEqual(['gained', 'half']);
    expect(ids(found.lost)).toEqual(['lost']);
    expect(ids(found.same)).toEqual(['same']);
    expect(ids(found.flipped)).toEqual(['gained', 'lost']);
    expect(found.onlyA).toEqual(['only a', 'unscored in b']);
    expect(found.onlyB).toEqual(['only b']);
    // +1, −1, 0 and +½ over four questions.
    expect(found.difference?.mean).toBe(0.125);
  });

  test('a question counts with the mean of its rollouts, which are named in order', () => {
    expect(compareRuns(a, b).gained[1]).toEqual({
      questionId: 'half',
      a: 0.5,
      b: 1,
      aIds: ['h1', 'h2'],
      bIds: ['h3'],
    });
  });

  test('no shared question, no difference', () => {
    expect(compareRuns([fact('x', 1)], [fact('y', 1)])).toMatchObject({
      gained: [],
      same: [],
      onlyA: ['x'],
      onlyB: ['y'],
      difference: null,
    });
  });
});

describe('the criterion', () => {
  const one = fact('q', 0, {
    scores: { em: 0, coverEm: 1, subEm: 0.5, f1: 0.25 },
    byR1Searcher: { em: 0.1, coverEm: 0.2, subEm: 0.3, f1: 0.4 },
    judge: true,
  });
  test.each([
    ['em', 0],
    ['coverEm', 1],
    ['subEm', 0.5],
    ['f1', 0.25],
    ['em.r1-searcher', 0.1],
    ['coverEm.r1-searcher', 0.2],
    ['subEm.r1-searcher', 0.3],
    ['f1.r1-searcher', 0.4],
    ['judge', 1],
  ] as const)('%s: %d', (criterion, score) => {
    const { same } = compareRuns([one], [one], criterion);
    expect(same).toMatchObject([{ a: score, b: score }]);
    expect(hasScore(one, criterion)).toBe(true);
    const without = fact('q', null);
    expect(hasScore(without, criterion)).toBe(false);
    expect(compareRuns([without], [one], criterion)).toMatchObject({ same: [], onlyB: ['q'] });
  });

  test('a judge that says wrong has said something', () => {
    const wrong = fact('q', 1, { judge: false });
    expect(hasScore(wrong, 'judge')).toBe(true);
    expect(compareRuns([one], [wrong], 'judge').lost).toMatchObject([{ a: 1, b: 0 }]);
  });
});

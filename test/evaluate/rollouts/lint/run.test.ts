import { describe, expect, test } from 'vitest';
import {
  lintRun,
  summaryOf,
  type LintSummary,
} from '../../../../src/evaluate/rollouts/lint/run.ts';
import { rolloutOf } from './rollout.ts';

const row = (id: string, part: Partial<LintSummary> = {}): LintSummary => ({
  id,
  questionId: id,
  groupId: id,
  step: 1,
  reward: null,
  advantage: null,
  em: null,
  f1: null,
  difficulty: null,
  kept: null,
  ...part,
});

const found = (rows: readonly LintSummary[]): string[] =>
  lintRun(rows).map(({ code, rollout }) => `${code} ${rollout}`);

describe('rewards that belong to other answers of the step', () => {
  const rewards = (given: number[], own: number[], name: 'em' | 'f1' = 'em') =>
    given.map((reward, i) => row(`r${i}`, { reward, em: 0.5, f1: 0.5, [name]: own[i] }));

  test('the same numbers, not each with its own answer', () => {
    expect(found(rewards([1, 0, 0.5], [0, 1, 0.5]))).toEqual([
      'reward-misplaced r0',
      'reward-misplaced r1',
    ]);
    expect(lintRun(rewards([1, 0], [0, 1]))[0]?.message).toBe(
      'Its answer scores em 0.000, its reward is 1.000; over the step both lists hold the same numbers.',
    );
    // As numbers, not as texts: 10 comes behind 9.
    expect(found(rewards([10, 9], [9, 10]))).toHaveLength(2);
    expect(found(rewards([0.25, 1, 0.75], [0.75, 1, 0.25], 'f1'))).toEqual([
      'reward-misplaced r0',
      'reward-misplaced r2',
    ]);
  });

  test.each([
    ['each has its own', [1, 0], [1, 0]],
    ['one reward is another number', [1, 0.25], [0, 1]],
    ['each number as often', [1, 1, 0], [0, 0, 1]],
    ['the difference is rounding', [1, 0.99995], [0.99995, 1]],
  ])('nothing where %s', (_, given, own) => expect(found(rewards(given, own))).toEqual([]));

  test('by F1 only where EM says nothing', () => {
    const both = [row('a', { reward: 1, em: 0, f1: 0 }), row('b', { reward: 0, em: 1, f1: 1 })];
    expect(found(both)).toEqual(['reward-misplaced a', 'reward-misplaced b']);
  });

  test('nothing where a reward or a score is not known, and steps are not mixed', () => {
    const pair = rewards([1, 0], [0, 1]);
    expect(found([...pair, row('c')])).toEqual([]);
    expect(found([...pair, row('c', { reward: 1 })])).toEqual([]);
    expect(found(pair.map((one, step) => ({ ...one, step })))).toEqual([]);
    expect(found(pair.map((one) => ({ ...one, step: null })))).toHaveLength(2);
  });
});

describe('more reward can never mean less advantage in a group', () => {
  const group = (...pairs: [reward: number | null, advantage: number | null][]) =>
    pairs.map(([reward, advantage], i) => row(`r${i}`, { groupId: 'g', reward, advantage }));

  test.each([
    ['the higher reward has the lower advantage', group([1, -1], [0, 1]), ['r0']],
    ['both worse than the best', group([0, 2], [1, 1], [2, 0]), ['r1', 'r2']],
    ['the one that breaks the order', group([0, 0], [1, 2], [2, 1]), ['r2']],
    ['in order', group([0, -1], [1, 0], [2, 1]), []],
    ['in order, from the end', group([2, 1], [1, 0], [0, -1]), []],
    ['equal rewards', group([1, 0.5], [1, -0.5]), []],
    ['equal advantages', group([0, 0.5], [1, 0.5]), []],
    ['a millionth less', group([0, 0.5], [1, 0.5 - 1e-7]), []],
    ['two millionths less', group([0, 0.5], [1, 0.5 - 2e-6]), ['r1']],
    ['some are not known', group([1, null], [null, 5], [0, 1]), []],
    ['negative numbers', group([-1, -2], [-2, -1]), ['r0']],
  ])('%s', (_, rows, ids) =>
    expect(found(rows)).toEqual(ids.map((id) => `reward-misplaced ${id}`)),
  );

  test('says with which it is out of order', () => {
    expect(lintRun(group([1, 0.25], [0, 0.5], [0, 0.75]))[0]?.message).toBe(
      'Reward 1 with advantage 0.2500, while r2 has reward 0 and advantage 0.7500.',
    );
  });

  test('the same group at another step, and other groups, are others', () => {
    const [a, b] = group([1, -1], [0, 1]);
    if (!a || !b) throw new Error('two rollouts');
    expect(found([a, { ...b, step: 2 }])).toEqual([]);
    expect(found([a, { ...b, groupId: 'h' }])).toEqual([]);
  });
});

describe('difficulty upside down', () => {
  const questions = (count: number, em: number | null, part: Partial<LintSummary>) =>
    Array.from({ length: count }, (_, i) =>
      row(`${part.difficulty ?? part.kept}${i}`, { em, ...part }),
    );
  const labelled = (hard: number, easy: number, n = 3, m = n) => [
    ...questions(n, hard, { difficulty: 'hard' }),
    ...questions(m, easy, { difficulty: 'easy' }),
    ...questions(4, 0.5, { difficulty: 'medium' }),
  ];

  test.each([
    ['hard ones are answered more often', labelled(1, 0), 3],
    ['as often', labelled(0.5, 0.5), 0],
    ['less often', labelled(0, 1), 0],
    ['three on each side are enough', labelled(1, 0, 3, 3), 3],
    ['two hard ones are too few', labelled(1, 0, 2, 3), 0],
    ['two easy ones are too few', labelled(1, 0, 3, 2), 0],
  ])('%s', (_, rows, count) => expect(found(rows)).toHaveLength(count));

  test('names both means, and the questions at fault', () => {
    const findings = lintRun(labelled(0.75, 0.5));
    expect(findings.map(({ rollout }) => rollout)).toEqual(['hard0', 'hard1', 'hard2']);
    expect(findings[0]?.message).toBe('Hard questions score 0.750 on average, easy ones 0.500.');
  });

  test('dropped questions that are answered more often than those that were kept', () => {
    const filtered = (dropped: number, kept: number) => [
      ...questions(3, dropped, { kept: false }),
      ...questions(3, kept, { kept: true }),
      ...questions(3, 1, {}),
    ];
    expect(lintRun(filtered(1, 0.5))[0]?.message).toBe(
      'Dropped questions score 1.000 on average, kept ones 0.500.',
    );
    expect(found(filtered(0.5, 1))).toEqual([]);
  });

  test('a question counts once, with the mean of its rollouts, by reward where it has no gold', () => {
    const hard = [0, 1].map((i) => row(`h${i}`, { difficulty: 'hard', em: 1 }));
    const again = [0, 0, 0].map((em, i) =>
      row(`again${i}`, { questionId: 'h0', difficulty: 'hard', em }),
    );
    const easy = [0, 1, 2].map((i) => row(`e${i}`, { difficulty: 'easy', reward: 0.5, step: i }));
    // Two hard questions are too few, however many rollouts they have.
    expect(found([...hard, ...again, ...easy])).toEqual([]);
    // ¼, 1 and 0.4 are on average above ½; with 0.2 in place of 0.4 they are not.
    const third = (em: number) => row('h2', { difficulty: 'hard', em });
    expect(found([...hard, ...again, third(0.4), ...easy])).toHaveLength(3);
    expect(found([...hard, ...again, third(0.2), ...easy])).toEqual([]);
    expect(found([...hard, ...again, row('h2', { difficulty: 'hard' }), ...easy])).toEqual([]);
  });
});

describe('what of a rollout these checks read', () => {
  const summary = (fields: Record<string, unknown>, difficulty?: string) => {
    const rollout = rolloutOf([], {
      answer: 'Ida',
      question: {
        id: 'q',
        text: 'Who?',
        answers: ['Ida Holm'],
        supporting: [],
        difficulty,
      },
      origin: { layout: 'x', protocol: null, responseAt: 0, fields, columns: {} },
    });
    return summaryOf(rollout);
  };

  test.each([
    [{ kept: true }, true],
    [{ kept: false }, false],
    [{ kept: false, dropped: false }, false],
    [{ dropped: true }, false],
    [{ dropped: false }, true],
    [{ filtered: true }, false],
    [{ filtered: false }, true],
    [{ dropped: true, filtered: false }, false],
    [{ kept: 'yes' }, null],
    [{ dropped: 1 }, null],
    [{}, null],
  ])('%o: kept %s', (fields, kept) => expect(summary(fields).kept).toBe(kept));

  test.each([
    [{ difficulty: 'HARD' }, undefined, 'hard'],
    [{ level: 'Easy' }, undefined, 'easy'],
    [{ bucket: 'easy' }, undefined, 'easy'],
    [{ difficulty: 3, level: 'hard' }, undefined, 'hard'],
    [{ level: 'easy', bucket: 'hard' }, undefined, 'easy'],
    [{ level: 'easy' }, 'Hard', 'hard'],
    [{ other: 'hard' }, undefined, null],
  ])('%o and %s: difficulty %s', (fields, own, difficulty) =>
    expect(summary(fields, own).difficulty).toBe(difficulty),
  );

  test('scores, and none without a gold answer', () => {
    // One of two gold words is given: precision 1, recall ½, F1 ⅔.
    expect(summary({})).toMatchObject({ em: 0, id: 'r', questionId: 'q', groupId: 'g', step: 1 });
    expect(summary({}).f1).toBeCloseTo(2 / 3, 12);
    const none = rolloutOf([], { question: { id: 'q', text: '', answers: [], supporting: [] } });
    expect(summaryOf(none)).toMatchObject({ em: null, f1: null, kept: null, difficulty: null });
  });
});

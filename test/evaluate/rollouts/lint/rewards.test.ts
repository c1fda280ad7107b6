import { describe, expect, test } from 'vitest';
import {
  clauseSum,
  statedScores,
  tokenRewardsScaled,
} from '../../../../src/evaluate/rollouts/lint/rewards.ts';
import type { ImportedRollout } from '../../../../src/formats/rollouts/shape/imported.ts';
import { answer, pointedAt, rolloutOf, search, think } from './rollout.ts';

type Clause = ImportedRollout['rewards'][number];
const clause = (name: string, value: number, weight = 1, segment?: number): Clause => ({
  clause: name,
  value,
  weight,
  evidence: segment === undefined ? [] : [{ segment, start: 0, end: 8 }],
});

describe('scores that the record states', () => {
  const question = { id: 'q', text: '', answers: ['the Jean-Paul Sartre'], supporting: [] };
  const stating = (fields: Record<string, unknown>, part: Partial<ImportedRollout> = {}) =>
    statedScores(
      rolloutOf([], {
        question,
        answer: 'Jean Paul Sartre',
        origin: { layout: 'x', protocol: null, responseAt: 0, fields, columns: {} },
        ...part,
      }),
    ).map(({ message }) => message);

  // SQuAD's normaliser reads "jeanpaul sartre" against "jean paul sartre": EM 0, F1 2·(1/3·1/2)/(5/6) = 0.4;
  // R1-Searcher's puts a space for the hyphen: both 1.
  test.each([
    [{ em: 0 }, []],
    [{ em: 1 }, []],
    [{ exact_match: 1, f1: 0.4, cover_em: 1, sub_em: 0 }, []],
    [{ f1: 0.40005 }, []],
    [{ em: 0.5 }, ['The record states em 0.5; its answer scores 0.000.']],
    [{ f1: 0.5 }, ['The record states f1 0.5; its answer scores 0.400.']],
    [{ f1: 0.4002 }, ['The record states f1 0.4002; its answer scores 0.400.']],
    [{ exact_match: 2, f1: 0.4 }, ['The record states exact_match 2; its answer scores 0.000.']],
    [{ em: 0, sub_em: -1 }, ['The record states sub_em -1; its answer scores 0.000.']],
    [{ em: 'no', acc: 5, toString: 7 }, []],
  ])('%o', (fields, messages) => expect(stating(fields)).toEqual(messages));

  test('clauses under these names are statements too', () => {
    const rewards = [clause('format', 0.3), clause('f1', 0.9, 0.5)];
    expect(stating({}, { rewards })).toEqual([
      'The record states f1 0.9; its answer scores 0.400.',
    ]);
  });

  test('nothing is reported without gold, or with one that a normaliser empties', () => {
    const gold = (...answers: string[]) => ({ question: { ...question, answers } });
    expect(stating({ em: 0.5 }, gold())).toEqual([]);
    expect(stating({ em: 0.5 }, gold('the'))).toEqual([]);
    expect(stating({ em: 0.5 }, gold('Sartre', '!'))).toEqual([]);
    expect(stating({ em: 0.5 }, gold('Sartre', 'Simone'))).toHaveLength(1);
    expect(stating({ em: 0.5 }, { notScored: 'cannot be read' })).toEqual([]);
  });
});

describe('the reward and the sum of its clauses', () => {
  const summed = (reward: number | null, ...rewards: Clause[]) =>
    clauseSum(rolloutOf([think('x'), answer('y')], { reward, rewards }));

  test.each([
    ['value times weight', 0.5 + 0.2, [clause('a', 1, 0.5), clause('b', 2, 0.1)]],
    ['a penalty', -1, [clause('a', -1)]],
    ['rounding', 1.00005, [clause('a', 1)]],
    ['rounding, in proportion', 1000.09, [clause('a', 1000)]],
    ['no clause', 1, []],
    ['no reward', null, [clause('a', 1)]],
  ])('fits: %s', (_, reward, rewards) => expect(summed(reward, ...rewards)).toEqual([]));

  test.each([
    ['another rollout’s', 1, [clause('a', 0.5)], 'reward-misplaced', '0.5000', '1.0000'],
    ['too far for rounding', 1.0002, [clause('a', 1)], 'reward-misplaced', '1.0000', '1.0002'],
    [
      'in proportion, too far',
      1000.2,
      [clause('a', 1000)],
      'reward-misplaced',
      '1000.0000',
      '1000.2000',
    ],
    ['weights twice', 0.5, [clause('a', 2, 0.5)], 'reward-scaled-twice', '1.0000', '0.5000'],
    ['weights thrice', 0.25, [clause('a', 2, 0.5)], 'reward-misplaced', '1.0000', '0.2500'],
  ])('does not fit: %s', (_, reward, rewards, code, sum, given) => {
    const [found] = summed(reward, ...rewards);
    expect(found?.code).toBe(code);
    const twice = code === 'reward-scaled-twice' ? ': every weight was applied twice' : '';
    expect(found?.message).toBe(`Its clauses sum to ${sum}, the reward is ${given}${twice}.`);
  });

  test('points at what earned the clauses', () => {
    const [found] = summed(9, clause('a', 1, 1, 1), clause('b', 1, 1, 0));
    expect(found?.where).toEqual([
      { segment: 1, start: 0, end: 8 },
      { segment: 0, start: 0, end: 8 },
    ]);
  });
});

describe('a step’s reward on its tokens', () => {
  const scaled = (tokenRewards: (number | null)[] | undefined, given: Clause) => {
    const rollout = rolloutOf(
      [think('x'), search('q', tokenRewards === undefined ? {} : { tokenRewards })],
      { rewards: [given] },
    );
    return tokenRewardsScaled(rollout).map((one) => [one.message, pointedAt(rollout, one)]);
  };
  const step = clause('step', 2, 0.5, 1);

  test('weight² · value is the weight applied twice', () => {
    expect(scaled([0, null, 0.25, 0.25], step)).toEqual([
      ['The token rewards of step sum to 0.5000: 0.5 was applied twice to 2.', ['<search>']],
    ]);
  });

  test.each([
    ['weight · value', [0, 0, 1], step],
    ['another sum altogether', [0, 0, 0.7], step],
    ['a weight of one', [2], clause('step', 2, 1, 1)],
    ['a weight of zero', [0], clause('step', 2, 0, 1)],
    ['nothing earned', [0], clause('step', 0, 0.5, 1)],
    ['no rewards on tokens', undefined, step],
    ['no place that earned it', [0.5], clause('step', 2, 0.5)],
    ['a place without such rewards', [0.5], clause('step', 2, 0.5, 0)],
    ['a place that is not there', [0.5], clause('step', 2, 0.5, 7)],
  ])('no fault: %s', (_, values, given) => expect(scaled(values, given)).toEqual([]));

  test('a segment that earned it in two places counts once', () => {
    const twice = { ...step, evidence: [...step.evidence, { segment: 1, start: 9, end: 10 }] };
    expect(scaled([0.5], twice)).toHaveLength(1);
    expect(scaled([0.25], twice)).toEqual([]);
  });
});

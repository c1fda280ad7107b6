import { describe, expect, it } from 'vitest';
import type { RewardClause, Rollout } from '../../../src/records/rollout.ts';
import { scoreRollout, totalReward } from '../../../src/learn/rewards/index.ts';
import { made, type Fate } from './records.ts';
import { rewardById } from '../../../src/learn/rewards/registry.ts';
import { REWARDS, type RewardId } from '../../../src/systems/rewards.ts';

const words = (n: number, word = 'word'): string => Array.from({ length: n }, () => word).join(' ');
const asked = (n: number, fate: Fate = 'answered'): [string, Fate][] =>
  Array.from({ length: n }, (_, i) => [`query ${i}`, fate]);

const right = made();
const wrong = made({ answer: 'Ulmfield' });
const partly = made({ answer: 'Borfield town' });
const faulty = made({ malformed: true });
const wrongAndFaulty = made({ answer: 'Ulmfield', malformed: true });
const silent = made({ answer: null });
const silentAndFaulty = made({ answer: null, malformed: true });
const idle = made({ queries: [] });
const idleAndFaulty = made({ queries: [], malformed: true });
const twice = made({ queries: asked(2) });
const refused = made({ queries: [...asked(1), ['query 0', 'refused']] });
const failed = made({ queries: asked(1, 'failed') });
const open = made({ queries: [...asked(1), ['query 1', 'open']] });
const wordyAnswer = made({ answer: `Borfield ${words(10)}` });
/** 2 · 1/11 · 1 / (12/11): one token of eleven right. */
const WORDY_F1 = 1 / 6;

const total = (r: Rollout, reward: RewardId): number => totalReward(scoreRollout(r, reward));
const clauseOf = (r: Rollout, reward: RewardId, name: string): RewardClause =>
  scoreRollout(r, reward).find((c) => c.clause === name)!;

describe('search-r1-format: 1, 0.8, 0.2, 0.1, 0', () => {
  it.each([
    ['right and well formed', right, 1],
    ['right, malformed', faulty, 0.8],
    ['wrong, well formed', wrong, 0.2],
    ['wrong and malformed, but an answer', wrongAndFaulty, 0.1],
    ['no answer', silent, 0],
    ['no answer, malformed', silentAndFaulty, 0],
    ['without a search', idle, 1],
    ['exact match, not overlap', partly, 0.2],
  ])('%s', (_name, of, expected) =>
    expect(total(of, 'search-r1-format')).toBeCloseTo(expected, 12),
  );
});

describe('r1-searcher as released', () => {
  it.each([
    // ±1 for the answer, 0.5 for having searched, 0.5 for the format
    ['r1-searcher-stage-1-released', right, 2],
    ['r1-searcher-stage-1-released', wrong, 0],
    // Cover-EM: a gold answer's tokens are all there.
    ['r1-searcher-stage-1-released', partly, 2],
    ['r1-searcher-stage-1-released', faulty, 1.5],
    ['r1-searcher-stage-1-released', idle, 1.5],
    ['r1-searcher-stage-1-released', silent, -0.5],
    // A query that stays open costs the retrieval as well as the format.
    ['r1-searcher-stage-1-released', open, 1],
    ['r1-searcher-stage-1-released', failed, 1.5],
    ['r1-searcher-stage-1', open, 0.5],
    ['r1-searcher-stage-2', partly, 2 / 3],
    ['r1-searcher-stage-2', faulty, -1],
    ['r1-searcher-stage-2', silent, -2],
    ['r1-searcher-stage-2', wordyAnswer, WORDY_F1],
    ['r1-searcher-stage-2-released', partly, 2 / 3],
    ['r1-searcher-stage-2-released', faulty, -1],
    ['r1-searcher-stage-2-released', wordyAnswer, WORDY_F1 - 2],
    ['r1-searcher-stage-2-released', made({ answer: words(10) }), 0],
    // One penalty, however many faults.
    ['r1-searcher-stage-2-released', made({ answer: words(11), malformed: true }), -2],
    ['r1-searcher-stage-2-instruct', partly, 2 / 3],
    ['r1-searcher-stage-2-instruct', faulty, 0],
    ['r1-searcher-stage-2-instruct', silent, -1],
    ['r1-searcher-stage-2-instruct', wordyAnswer, WORDY_F1],
  ] as const)('%s', (reward, of, expected) => expect(total(of, reward)).toBeCloseTo(expected, 12));

  // Their servers put a space in the place of punctuation: "north-borfield" is two words, one of them gold.
  it.each([
    ['r1-searcher-stage-1-released', 2],
    ['r1-searcher-stage-2', 2 / 3],
    ['r1-searcher-stage-2-released', 2 / 3],
    ['r1-searcher-stage-2-instruct', 2 / 3],
  ] as const)('%s scores with R1-Searcher’s normaliser', (reward, expected) =>
    expect(total(made({ answer: 'North-Borfield' }), reward)).toBeCloseTo(expected, 12),
  );

  it.each(['f1', 'research'] as const)('%s scores with SQuAD’s', (reward) => {
    const { value } = scoreRollout(made({ answer: 'North-Borfield' }), reward)[0]!;
    expect(value).toBe(0);
  });

  it('a bare True is the yes of a closed question, as in their servers', () => {
    const closed = made({ answer: 'True', golds: ['yes'] });
    expect(total(closed, 'r1-searcher-stage-2')).toBe(1);
    expect(total(closed, 'f1')).toBe(0);
  });

  it('a wordy answer is the evidence of its own fault', () => {
    const { evidence } = clauseOf(wordyAnswer, 'r1-searcher-stage-2-released', 'format');
    const { segment, start, end } = evidence[0]!;
    expect(wordyAnswer.segments[segment]!.text.slice(start, end)).toBe(wordyAnswer.answer);
  });
});

describe('ur2, stage 1 of other models', () => {
  it.each([
    ['ur2-stage-1-3b', right, 6],
    ['ur2-stage-1-3b', twice, 8],
    ['ur2-stage-1-3b', made({ queries: asked(3) }), 8],
    // −1 where nothing was asked for, whatever else is wrong; elsewhere −1 a violation
    ['ur2-stage-1-3b', idle, -1],
    ['ur2-stage-1-3b', idleAndFaulty, -1],
    ['ur2-stage-1', idleAndFaulty, -2],
    ['ur2-stage-1-3b', faulty, 4],
    ['ur2-stage-1-3b', refused, 5.5],
    ['ur2-stage-1-llama', right, 4],
    ['ur2-stage-1-llama', twice, 4],
    ['ur2-stage-1-llama', idle, -1],
    ['ur2-stage-1-llama', failed, 1],
    // 2 · EM + 1 for the format + 0.5 or 1 for retrieving
    ['ur2-stage-1-weak', right, 3.5],
    ['ur2-stage-1-weak', twice, 4],
    ['ur2-stage-1-weak', wrong, 1.5],
    ['ur2-stage-1-weak', idle, 3],
    ['ur2-stage-1-weak', faulty, 2.5],
    ['ur2-stage-1-weak', refused, 3],
    ['ur2-stage-1-weak', silent, 0.5],
  ] as const)('%s', (reward, of, expected) => expect(total(of, reward)).toBeCloseTo(expected, 12));
});

describe('ur2 as released', () => {
  it.each([
    ['ur2-stage-1-released', right, 4],
    ['ur2-stage-1-released', twice, 5],
    ['ur2-stage-1-released', wrong, 4],
    ['ur2-stage-1-released', idle, -1],
    ['ur2-stage-1-released', idleAndFaulty, -2],
    // Opening tags count: a query that was sent back (paper: +3), one whose call failed (paper: 0) and
    // one that was left open, which is a violation as well.
    ['ur2-stage-1-released', refused, 4.5],
    ['ur2-stage-1-released', failed, 4],
    ['ur2-stage-1-released', open, 3],
    ['ur2-stage-1', refused, 3.5],
    ['ur2-stage-1', failed, 1],
    ['ur2-stage-1', open, 2],
    // Twenty words are allowed here, not in the paper.
    ['ur2-stage-1-released', made({ queries: [[words(20), 'answered']] }), 4],
    ['ur2-stage-1-released', made({ queries: [[words(21), 'answered']] }), 2],
    ['ur2-stage-1', made({ queries: [[words(20), 'answered']] }), -1],
    // One violation each: a wordy answer, none at all, a breach of the protocol.
    ['ur2-stage-1-released', wordyAnswer, 2],
    ['ur2-stage-1-released', made({ answer: `Borfield ${words(10)}`, malformed: true }), 1],
    ['ur2-stage-1-released', faulty, 2],
    ['ur2-stage-1-released', silent, 2],
    ['ur2-stage-1', silent, 2],
    ['ur2-stage-1', silentAndFaulty, 2],
    // Ten words are allowed; more, where a gold answer has as many.
    ['ur2-stage-1-released', made({ answer: words(10) }), 4],
    ['ur2-stage-1-released', made({ answer: words(12), golds: ['x', words(12, 'y')] }), 4],
    ['ur2-stage-1-released', made({ answer: words(12), golds: ['x', words(11, 'y')] }), 2],
    // More than four queries are one violation.
    ['ur2-stage-1-released', made({ queries: asked(4) }), 5],
    ['ur2-stage-1-released', made({ queries: asked(6) }), 3],
    ['ur2-stage-2-released', right, 3],
    ['ur2-stage-2-released', partly, 4 / 3 + 1],
    ['ur2-stage-2', partly, 1],
    ['ur2-stage-2-released', idle, 3],
    ['ur2-stage-2-released', faulty, 2],
    ['ur2-stage-2-released', refused, 2.5],
    ['ur2-stage-2-released', silent, 0],
    // Longer than ten words and than the gold answer: no point for the format.
    ['ur2-stage-2-released', wordyAnswer, 2 * WORDY_F1],
    [
      'ur2-stage-2-released',
      made({ answer: words(12), golds: ['Borfield', words(12, 'other')] }),
      1,
    ],
  ] as const)('%s', (reward, of, expected) => expect(total(of, reward)).toBeCloseTo(expected, 12));

  it('the tags that earned are the evidence; tags that were read are none', () => {
    const { evidence } = clauseOf(twice, 'ur2-stage-1-released', 'retrieval');
    expect(
      evidence.map(({ segment, start, end }) => twice.segments[segment]!.text.slice(start, end)),
    ).toEqual(['<search>', '<search>']);
  });
});

describe('research and autorefine', () => {
  it.each([
    ['research', partly, 2 / 3],
    ['research', wrong, 0.1],
    ['research', wrongAndFaulty, 0],
    ['research', silent, 0],
    ['autorefine', partly, 2 / 3],
    ['autorefine', wrong, 0],
    ['autorefine', made({ answer: 'Ulmfield', thought: 'he lives in Borfield .' }), 0.1],
    // It is not a bonus: a right answer earns F1 alone, no answer nothing.
    ['autorefine', made({ thought: 'he lives in Borfield .' }), 1],
    ['autorefine', made({ answer: null, thought: 'he lives in Borfield .' }), 0],
    // Without a result there is no refinement, and what was read is none.
    ['autorefine', made({ queries: [], answer: 'Ulmfield', thought: 'Borfield' }), 0],
  ] as const)('%s', (reward, of, expected) => expect(total(of, reward)).toBeCloseTo(expected, 12));
});

describe('all rewards', () => {
  const every = [right, wrong, faulty, silent, idle, twice, refused, failed, open, wordyAnswer];
  it.each(REWARDS.map(({ id }) => id))(
    '%s: evidence is text of the policy, values are finite',
    (reward) => {
      for (const of of every)
        for (const { value, evidence } of scoreRollout(of, reward)) {
          expect(Number.isFinite(value)).toBe(true);
          for (const { segment, start, end } of evidence) {
            expect(of.segments[segment]!.source).toBe('policy');
            expect(start).toBeGreaterThanOrEqual(0);
            expect(end).toBeLessThanOrEqual(of.segments[segment]!.text.length);
            expect(end).toBeGreaterThan(start);
          }
        }
    },
  );

  // What menus and settings say of a reward.
  it.each([
    ['kunlun-short', 0, 1],
    ['kunlun-long', 0, 1],
    ['kunlun-by-form', 0, 1],
    ['ur2-stage-1', -1, 5],
    ['ur2-stage-1-3b', -1, 8],
    ['ur2-stage-1-llama', -1, 4],
    ['ur2-stage-1-weak', 0, 4],
    ['ur2-stage-1-released', -1, 5],
    ['ur2-stage-2', 0, 3],
    ['ur2-stage-2-released', 0, 3],
    ['r1-searcher-stage-1', 0, 1],
    ['r1-searcher-stage-1-released', -1, 2],
    ['r1-searcher-stage-2', -2, 1],
    ['r1-searcher-stage-2-released', -2, 1],
    ['r1-searcher-stage-2-instruct', -1, 1],
    ['search-r1', 0, 1],
    ['search-r1-format', 0, 1],
    ['research', 0, 1],
    ['autorefine', 0, 1],
    ['em', 0, 1],
    ['f1', 0, 1],
  ] as const)('%s goes from %i to %i, and no rollout gets more', (reward, worst, best) => {
    expect(rewardById(reward)?.range).toEqual([worst, best]);
    expect(REWARDS.map(({ id }) => id)).toContain(reward);
    for (const of of every) expect(total(of, reward)).toBeLessThanOrEqual(best + 1e-9);
    // Long answers must be given as such: no record here is.
    if (reward !== 'kunlun-long')
      expect(Math.max(...every.map((of) => total(of, reward)))).toBeCloseTo(best, 9);
  });

  it.each(REWARDS.map(({ id }) => id))(
    '%s gives no rollout more than it says is its best',
    (id) => {
      const [, best] = rewardById(id)?.range ?? [0, NaN];
      for (const of of every) expect(total(of, id)).toBeLessThanOrEqual(best + 1e-9);
    },
  );

  it('KunLun’s clauses bear the names of their weights', () => {
    const names = (id: RewardId) => scoreRollout(right, id).map((each) => each.clause);
    expect(names('kunlun-short')).toEqual(['format', 'length', 'accuracy']);
    expect(names('kunlun-long')).toEqual(['format', 'length', 'accuracy', 'structure']);
    expect(names('kunlun-by-form')).toEqual(names('kunlun-short'));
  });

  it('stage 1 of UR² begins cold, but for its weak variant', () => {
    expect(REWARDS.map(({ id }) => id).filter((id) => rewardById(id)?.coldStart)).toEqual([
      'ur2-stage-1',
      'ur2-stage-1-3b',
      'ur2-stage-1-llama',
      'ur2-stage-1-released',
    ]);
  });

  it('only KunLun’s have weights and count tokens', () => {
    expect(REWARDS.map(({ id }) => id).filter((id) => rewardById(id)?.weights)).toEqual([
      'kunlun-short',
      'kunlun-long',
      'kunlun-by-form',
    ]);
    expect(
      REWARDS.map(({ id }) => id).filter((id) => rewardById(id)?.needs?.['length'] === 'tokens'),
    ).toEqual(['kunlun-short', 'kunlun-long', 'kunlun-by-form']);
    expect(rewardById('none')).toBeNull();
    expect(() => scoreRollout(right, 'none')).toThrow('unknown reward "none"');
    expect(() => scoreRollout(right, 'em', { em: 1 })).toThrow('em has fixed values');
  });

  it.each(REWARDS.map(({ id }) => id))('%s: what was read changes nothing', (reward) => {
    const plain = structuredClone(twice);
    for (const segment of plain.segments)
      if (segment.source === 'environment') segment.text = 'nothing found';
    expect(scoreRollout(plain, reward)).toEqual(scoreRollout(twice, reward));
  });
});

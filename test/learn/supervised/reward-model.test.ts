import { describe, expect, it } from 'vitest';
import { actionFeatures } from '../../../src/agent/answers/action-features.ts';
import {
  fitRewardModel,
  pairAccuracy,
  rewardPairs,
} from '../../../src/learn/supervised/reward-model.ts';
import {
  ACTION_FEATURES,
  actionReward,
  pairLoss,
  type ActionFeature,
} from '../../../src/recipes/parts/reward-model.ts';
import type { AgentEvent } from '../../../src/records/events.ts';
import type { Rollout } from '../../../src/records/rollout.ts';
import { emptyRollout } from '../../fixtures/rollouts.ts';

describe('the loss of a pair', () => {
  it('is 0.313 at rewards 1.2 and 0.2, and 1.313 the other way round', () => {
    expect(pairLoss(1.2, 0.2).loss).toBeCloseTo(0.313, 3);
    expect(pairLoss(0.2, 1.2).loss).toBeCloseTo(1.313, 3);
    expect(pairLoss(-800, 800).loss).toBe(1600);
  });
  it('has the slope of its differences', () => {
    const d = 1e-5;
    const rise = (pairLoss(0.7 + d, 0.2).loss - pairLoss(0.7 - d, 0.2).loss) / (2 * d);
    expect(pairLoss(0.7, 0.2).slope).toBeCloseTo(rise, 6);
  });
});

const STATE = {
  question: 'In which city was the author of Old Wolf born?',
  queries: ['author of Old Wolf'],
  passages: ['Old Wolf . Old Wolf was written by Victor Kerlund in 1931 .'],
};
const named = (kind: 'search' | 'answer' | 'none', text: string, tokens = 16) => {
  const values = actionFeatures({ kind, text, tokens }, STATE);
  const of = ACTION_FEATURES.map((name, i) => [name, values[i]] as const);
  return Object.fromEntries(of.filter(([, value]) => value !== 0)) as Partial<
    Record<ActionFeature, number>
  >;
};

describe('features of an action', () => {
  it('tell whom a query asks about', () => {
    expect(named('search', 'birth city of Victor Kerlund')).toEqual({
      asksOfRead: 1,
      repeats: expect.closeTo(2 / 9, 6) as number,
      tokens: 0.5,
    });
    expect(named('search', 'author of Old Wolf')).toEqual({
      asksOfQuestion: 1,
      repeats: 1,
      tokens: 0.5,
    });
    expect(named('search', 'city of Mira Sandel')).toMatchObject({ asksOfUnknown: 1 });
  });
  it('tell whether an answer was read, and how early it comes', () => {
    expect(named('answer', 'Victor Kerlund')).toEqual({
      answers: 1,
      answersFromRead: 1,
      answersEarly: 0.5,
      tokens: 0.5,
    });
    expect(named('answer', 'Mondria')).toEqual({ answers: 1, answersEarly: 0.5, tokens: 0.5 });
    expect(named('none', 'well')).toEqual({ unreadable: 1, tokens: 0.5 });
  });
});

/** Candidates for one step, best first. */
const candidates = (at: number, ...all: ['search' | 'answer', string][]): AgentEvent[] =>
  all.map(([kind, text], rank) => ({
    t: 0,
    kind: 'aside',
    of: 'action',
    prompt: '',
    text,
    tokens: 3,
    outcome: rank === 0 ? `${kind}: taken of ${all.length}` : kind,
    action: { at, rank, ids: [at, rank, 7] },
  }));

const rollout = (id: string, em: number, events: AgentEvent[]): Rollout => {
  const base = emptyRollout(id);
  return {
    ...base,
    question: { ...base.question, id, text: STATE.question },
    metrics: { ...base.metrics, em, f1: em } as Rollout['metrics'],
    events,
  };
};

describe('a model that is fitted to ranked candidates', () => {
  const events = candidates(
    5,
    ['search', 'author of Old Wolf'],
    ['search', 'Old Wolf author'],
    ['answer', 'Mondria'],
    ['search', 'city of Mira Sandel'],
  );
  const rollouts = ['a', 'b', 'c'].map((id) => rollout(id, 1, events));

  it('learns from the best and from ranks 2 on, of right rollouts alone', () => {
    expect(rewardPairs(rollouts)).toHaveLength(6);
    expect(rewardPairs([rollout('d', 0, events)])).toEqual([]);
    // Nothing tells two queries apart that name the same.
    const alike = candidates(1, ['search', 'x'], ['search', 'y'], ['search', 'z']);
    expect(rewardPairs([rollout('e', 1, alike)])).toEqual([]);
  });

  it('orders them, and names what it goes by', () => {
    const pairs = rewardPairs(rollouts);
    const { weights, loss } = fitRewardModel(pairs);
    expect(pairAccuracy(pairs, weights)).toBe(1);
    expect(loss).toBeLessThan(0.2);
    expect(weights.asksOfQuestion).toBeGreaterThan(0);
    expect(weights.answers).toBeLessThan(0);
    expect(weights.asksOfUnknown).toBeLessThan(0);
    expect(weights.answersFromRead).toBe(0);
    const reward = (kind: 'search' | 'answer', text: string): number =>
      actionReward(weights, actionFeatures({ kind, text, tokens: 3 }, STATE));
    expect(reward('search', 'editor of Old Wolf')).toBeGreaterThan(reward('answer', 'Mondria'));
  });

  it('says what is missing where there is no pair', () => {
    expect(() => fitRewardModel([])).toThrow('system.by=gold');
  });
});

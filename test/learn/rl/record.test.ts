import { describe, expect, it } from 'vitest';
import type { Rollout, RolloutMetrics } from '../../../src/records/rollout.ts';
import type { Question } from '../../../src/records/records.ts';
import { heldOutSample, scoresOf } from '../../../src/learn/rl/held-out.ts';
import { stepRecord } from '../../../src/learn/rl/record.ts';
import { addToReward } from '../../../src/learn/rewards/parts/clause.ts';
import { shuffleRewards } from '../../../src/learn/rl/scoring.ts';
import { stageAt } from '../../../src/learn/schedule.ts';
import { klToReference } from '../../../src/learn/rl/update.ts';
import { emptyRollout, policySegment, readSegment } from '../../fixtures/rollouts.ts';

const metrics = (change: Partial<RolloutMetrics>): RolloutMetrics => ({
  em: 0,
  f1: 0,
  cover_em: 0,
  recall: 0,
  searches: 0,
  tokens: 0,
  seconds: 0,
  formatValid: false,
  ...change,
});
const rollout = (change: Partial<Rollout>): Rollout => ({ ...emptyRollout('r'), ...change });
const rewarded = (...clauses: [string, number, number][]): Rollout => {
  const rewards = clauses.map(([clause, value, weight]) => ({
    clause,
    value,
    weight,
    evidence: [],
  }));
  return rollout({
    rewards,
    reward: clauses.reduce((sum, [, value, weight]) => sum + value * weight, 0),
  });
};

/** The record of a step that made these rollouts and no update. */
const record = (rollouts: Rollout[], rolloutSeconds = 1) =>
  stepRecord({
    runId: 'run',
    step: 3,
    stage: 1,
    at: '2026-01-01T00:00:00.000Z',
    collected: { trained: [], all: [rollouts], batches: 2, zeroVariance: 1, drawn: { easy: 1 } },
    update: null,
    kl: null,
    learningRate: 1e-4,
    heldOut: null,
    router: null,
    seconds: { rollout: rolloutSeconds, update: 0, heldOut: 0, checkpoint: 0, total: 9 },
  });

describe('scores of rollouts', () => {
  it('are means; recall over those whose question names its evidence', () => {
    const question = emptyRollout('r').question;
    const rollouts = [
      rollout({ metrics: metrics({ em: 1, f1: 1, recall: 0.5, searches: 3, formatValid: true }) }),
      rollout({ metrics: metrics({ f1: 0.5, recall: 1, searches: 1 }) }),
      // Its recall of 0 says nothing.
      rollout({ metrics: metrics({ searches: 2 }), question: { ...question, supporting: [] } }),
      // Without a gold answer it counts as a rollout alone.
      rollout({ metrics: null }),
    ];
    expect(scoresOf(rollouts)).toEqual({
      n: 4,
      em: 1 / 3,
      f1: 0.5,
      recall: 0.75,
      searches: 2,
      formatValid: 1 / 3,
    });
  });

  it('are 0 where there is none, and recall is unknown', () => {
    expect(scoresOf([])).toEqual({ n: 0, em: 0, f1: 0, recall: null, searches: 0, formatValid: 0 });
  });
});

describe('the sample that no run trains on', () => {
  const questions = Array.from({ length: 30 }, (_, i): Question => ({
    id: `q${i}`,
    text: '',
    answers: [],
    supporting: [],
  }));
  const ids = (count: number, of = questions): string[] =>
    heldOutSample(of, count).map(({ id }) => id);

  it('is the same each time, in the order of the questions, none twice', () => {
    const sample = ids(10);
    expect(sample).toEqual(ids(10));
    expect(new Set(sample).size).toBe(10);
    const places = sample.map((id) => Number(id.slice(1)));
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    // Not simply the first.
    expect(places.at(-1)).toBeGreaterThan(9);
  });

  it('grows by adding, and holds all where more are wanted', () => {
    const small = ids(5);
    expect(ids(12)).toEqual(expect.arrayContaining(small));
    expect(ids(99)).toEqual(questions.map(({ id }) => id));
  });
});

describe('rewards of a step', () => {
  it('are their mean, biased deviation and the mean of each weighted clause', () => {
    const { reward: statistics } = record([
      rewarded(['answer', 1, 0.8], ['format', 1, 0.2]),
      rewarded(['answer', 0, 0.8], ['format', 1, 0.2]),
      rewarded(['answer', 0, 0.8]),
      rewarded(['answer', 1, 0.8], ['format', 0, 0.2]),
    ]);
    // 1, 0.2, 0, 0.8: mean 0.5; squares 0.25, 0.09, 0.25, 0.09, of which the mean is 0.17.
    expect(statistics.mean).toBeCloseTo(0.5, 12);
    expect(statistics.std).toBeCloseTo(Math.sqrt(0.17), 12);
    expect(statistics.clauses['answer']).toBeCloseTo(0.4, 12);
    expect(statistics.clauses['format']).toBeCloseTo(0.1, 12);
  });

  it('shuffled are the same rewards, in the order that the seed gives', () => {
    const values = [0, 1, 2, 3, 4, 5, 6, 7];
    const shuffled = (seed: number, step: number): (number | null)[] => {
      const rollouts = values.map((value) => rewarded(['answer', value, 1]));
      shuffleRewards(rollouts, seed, step);
      for (const { reward, rewards } of rollouts)
        expect(rewards.reduce((sum, { value, weight }) => sum + value * weight, 0)).toBeCloseTo(
          reward ?? Number.NaN,
          12,
        );
      return rollouts.map(({ reward }) => reward);
    };
    const once = shuffled(1, 1);
    expect(once.toSorted((a, b) => (a ?? 0) - (b ?? 0))).toEqual(values);
    expect(once).not.toEqual(values);
    expect(shuffled(1, 1)).toEqual(once);
    expect(shuffled(1, 2)).not.toEqual(once);
    expect(shuffled(2, 1)).not.toEqual(once);
  });

  it('move by a clause that is added', () => {
    const one = rewarded(['answer', 1, 0.5]);
    addToReward(one, 'kl', -0.25);
    expect(one.reward).toBe(0.25);
    expect(one.rewards.map(({ clause }) => clause)).toEqual(['answer', 'kl']);
  });
});

it.each([
  [1, 0],
  [2, 0],
  [3, 1],
  [5, 1],
  [6, 2],
  [99, 2],
])('step %i is in stage %i of 2, 3 and 1 steps', (step, stage) => {
  const stages = [2, 3, 1].map((steps) => ({ steps, reward: 'em' as const, weights: {} }));
  expect(stageAt(stages, step)).toBe(stage);
});

describe('how far the policy is from the reference', () => {
  it('is the mean of k3, e^d − d − 1, over all tokens', () => {
    const mask = Uint8Array.of(0, 1, 1);
    const sequences = [{ oldLogprobs: Float32Array.of(-1, -2), mask, written: mask }];
    const references = [Float32Array.of(0, -2)];
    // d = 1 and 0: e − 2 and 0.
    expect(klToReference(sequences, references)).toBeCloseTo((Math.E - 2) / 2, 6);
    expect(klToReference([], [])).toBe(0);
  });
  it('leaves out what is trained and the policy did not write', () => {
    const [mask, written] = [Uint8Array.of(0, 1, 1), Uint8Array.of(0, 1, 0)];
    const sequences = [{ oldLogprobs: Float32Array.of(-1, -2), mask, written }];
    expect(klToReference(sequences, [Float32Array.of(0, 5)])).toBeCloseTo(Math.E - 2, 6);
  });
});

describe('the record of a step', () => {
  it('counts tokens and entropies of what the policy wrote', () => {
    const segments = [readSegment([50, 51], 'question'), policySegment([1, 2]), policySegment([6])];
    const made = record(
      [rollout({ segments, metrics: metrics({ tokens: 3 }) }), rollout({ metrics: metrics({}) })],
      2,
    );
    expect(made).toMatchObject({
      step: 3,
      stage: 1,
      rollouts: 2,
      groups: 1,
      zeroVarianceGroups: 1,
      generationBatches: 2,
      sampledTokens: 3,
      responseTokens: 1.5,
      tokensPerSecond: 1.5,
      // Entropies 0.5, 1 and 3.
      entropy: 1.5,
      // No update was made.
      loss: 0,
      trainedTokens: 0,
      learningRate: 1e-4,
      samplerGap: { max: 0, mean: 0 },
    });
  });

  it('tells what its update was, with the rate that this took', () => {
    const update = {
      adapter: new Float32Array(1),
      first: new Float32Array(1),
      second: new Float32Array(1),
      updates: 4,
      loss: -0.5,
      gradientNorm: 2,
      learningRate: 3e-4,
      clipShare: 0.25,
      trainedTokens: 17,
      samplerGap: { max: 0.5, mean: 0.125 },
    };
    const seconds = { rollout: 0, update: 0, heldOut: 0, checkpoint: 0, total: 9 };
    const made = stepRecord({
      runId: 'run',
      step: 3,
      stage: 1,
      at: '2026-01-01T00:00:00.000Z',
      collected: { trained: [], all: [], batches: 1, zeroVariance: 0, drawn: {} },
      update,
      kl: 0.75,
      learningRate: 1e-4,
      heldOut: null,
      router: null,
      seconds,
    });
    expect(made).toMatchObject({
      format: 'forage.step/1',
      loss: -0.5,
      kl: 0.75,
      clipShare: 0.25,
      gradientNorm: 2,
      learningRate: 3e-4,
      trainedTokens: 17,
      samplerGap: { max: 0.5, mean: 0.125 },
      seconds,
    });
  });

  it('has no speed and no entropy where nothing was written', () => {
    expect(record([], 0)).toMatchObject({ tokensPerSecond: 0, entropy: 0, responseTokens: 0 });
  });
});

describe('fallbacks of a step', () => {
  const summarize = (fallback: boolean): Rollout['events'][number] => ({
    t: 1,
    kind: 'summarize',
    query: 'q',
    by: 'extractive',
    passages: [],
    text: 'x',
    fallback,
    reason: '',
    latencyMs: 0,
    cached: false,
  });
  const reading = (...fallbacks: boolean[]): Rollout =>
    rollout({
      recipe: { id: 'ur2', version: '2', settings: { retrieval: { summarize: 'on' } } },
      events: fallbacks.map(summarize),
    });

  it('are counted over all of its rollouts', () => {
    expect(record([reading(true, false, true), reading(), reading(true)]).fallbacks).toBe(3);
  });

  it('are 0 where summaries are read and none fell back, and unsaid where none are read', () => {
    expect(record([reading(false), reading()]).fallbacks).toBe(0);
    expect(record([rollout({})])).not.toHaveProperty('fallbacks');
  });
});

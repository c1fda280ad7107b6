import { describe, expect, it } from 'vitest';
import type { RewardClause, Segment } from '../../src/records/rollout.ts';
import { outcomeOf, rewardsToGo, stepAdvantages } from '../../src/learn/span-advantages.ts';
import { tokenObjective, type Objective } from '../../src/learn/objective.ts';

const segment = (source: Segment['source'], tokens: number): Segment => ({
  source,
  role: 'other',
  text: 'x'.repeat(tokens),
  ids: Array.from({ length: tokens }, () => 5),
  mask: source === 'policy' ? 1 : 0,
});
/** Question, first query (2 tokens), result, second query (1 token), result, answer (2 tokens). */
const segments = [
  segment('prompt', 2),
  segment('policy', 2),
  segment('environment', 3),
  segment('policy', 1),
  segment('environment', 1),
  segment('policy', 2),
];
const mask = segments.flatMap(({ ids, mask: m }) => ids.map(() => m));
const step = (name: string, value: number, at: number): RewardClause => ({
  clause: name,
  value,
  weight: 1,
  evidence: [{ segment: at, start: 0, end: 1 }],
});
const answer: RewardClause = { clause: 'answer', value: 1, weight: 1, evidence: [] };
const rolloutOf = (first: number, second: number) => ({
  segments,
  rewards: [answer, step('gain', first, 1), step('gain', second, 3)],
  reward: 1 + first + second,
});

describe('advantages of single tokens', () => {
  it('a token earns what the searches from it on earn, its own query the last included', () => {
    const one = { rollout: rolloutOf(0.5, 0.25), mask, group: 0 };
    expect([...rewardsToGo(one, ['gain'])]).toEqual([0.75, 0.75, 0.25, 0, 0]);
    expect([...rewardsToGo(one, [])]).toEqual([0, 0, 0, 0, 0]);
  });

  it('the rest is what the rollout as a whole earned', () => {
    expect(outcomeOf(rolloutOf(0.5, 0.25), ['gain'])).toBe(1);
    expect(outcomeOf(rolloutOf(0.5, 0.25), [])).toBe(1.75);
  });

  it('is told apart over the tokens of the group: mean 0, unbiased deviation 1', () => {
    const group = [
      { rollout: rolloutOf(0.5, 0), mask, group: 0 },
      { rollout: rolloutOf(0, 0), mask, group: 0 },
      // Another group, whose searches earn the same everywhere.
      { rollout: rolloutOf(0, 0), mask, group: 1 },
    ];
    const [a = [], b = [], c = []] = stepAdvantages(group, ['gain']).map((values) => [...values]);
    // Rewards to go: (.5, .5, 0, 0, 0) and five zeros: mean .1, variance .4/9.
    const deviation = Math.sqrt(0.4 / 9);
    const high = 0.4 / deviation;
    const low = -0.1 / deviation;
    for (const [i, value] of [high, high, low, low, low].entries())
      expect(a[i]).toBeCloseTo(value, 4);
    for (const value of b) expect(value).toBeCloseTo(low, 4);
    expect(c).toEqual([0, 0, 0, 0, 0]);
  });
});

describe('the objective with an advantage a token', () => {
  const objective: Objective = {
    estimator: 'grpo',
    clip: { low: 0.2, high: 0.2 },
    dualClip: null,
    aggregation: 'sequence-mean',
    kl: { form: 'k3', place: 'off', coefficient: 0 },
  };
  const at = (logprob: number[], advantage: number | Float32Array) =>
    tokenObjective(objective, {
      logprob: Float32Array.from(logprob),
      oldLogprob: Float32Array.from([-1, -2, -0.5]),
      refLogprob: null,
      advantage,
      weight: 0.5,
    });

  it('is the sum of its tokens, each with its own', () => {
    const own = Float32Array.from([1, -2, 0]);
    // Ratios e^0.1 (free), e^0.3 (A < 0: not clipped above), 1; loss −½ Σ ρ A.
    const { loss } = at([-0.9, -1.7, -0.5], own);
    expect(loss).toBeCloseTo(-0.5 * (Math.exp(0.1) - 2 * Math.exp(0.3)), 5);
  });

  it('has the gradient of finite differences', () => {
    const own = Float32Array.from([1, -2, 0.5]);
    const place = [-0.95, -1.9, -0.45];
    const { coefficients } = at(place, own);
    for (let i = 0; i < 3; i++) {
      const moved = (h: number) =>
        at(
          place.map((p, j) => (i === j ? p + h : p)),
          own,
        ).loss;
      expect(-(coefficients[i] ?? NaN)).toBeCloseTo((moved(1e-3) - moved(-1e-3)) / 2e-3, 3);
    }
  });

  it('with equal ones is that of the sequence', () => {
    const place = [-0.95, -1.9, -0.45];
    expect(at(place, Float32Array.from([0.7, 0.7, 0.7])).loss).toBeCloseTo(at(place, 0.7).loss, 6);
  });

  it('refuses too few', () => {
    expect(() => at([-1, -2, -0.5], Float32Array.from([1]))).toThrow('one value per trained token');
  });
});

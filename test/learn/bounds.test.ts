import { describe, expect, it } from 'vitest';
import { estimateAdvantages, varies, whiten } from '../../src/learn/advantages.ts';
import { skippingGae } from '../../src/systems/ppo/critic.ts';
import { bucketOf, nextBucket } from '../../src/systems/ur2/levelled.ts';
import { goldShare, noiseStrength } from '../../src/systems/kunlun-baize/curriculum.ts';
import { trainedTokens } from '../../src/learn/mask.ts';
import { klTerm, surrogate } from '../../src/learn/objective.ts';
import { overlongPenalty } from '../../src/learn/rl/scoring.ts';
import { learningRateAt } from '../../src/learn/schedule.ts';
import { getTraining } from '../../src/systems/index.ts';
import { policySegment, readSegment } from '../fixtures/rollouts.ts';

/** Learning's equations exactly at their bounds. */

describe('the learning rate', () => {
  it.each([
    // A warm-up of 2 of 6 updates to 0.4, then half a cosine over the other 4.
    ['cosine', 1, 0.2],
    ['cosine', 2, 0.4],
    ['cosine', 3, 0.2 * (1 + Math.SQRT1_2)],
    ['cosine', 4, 0.2],
    ['cosine', 6, 0],
    ['cosine', 7, 0],
    ['constant', 1, 0.2],
    ['constant', 2, 0.4],
    ['constant', 7, 0.4],
  ] as const)('%s at update %i is %f', (schedule, step, rate) => {
    const optimizer = { learningRate: 0.4, schedule, warmUpSteps: 2 };
    expect(learningRateAt(optimizer, step, 6)).toBeCloseTo(rate, 12);
  });

  it('without a warm-up begins its fall at once; with nothing but one it has none', () => {
    const optimizer = { learningRate: 1, schedule: 'cosine' as const, warmUpSteps: 0 };
    expect(learningRateAt(optimizer, 1, 2)).toBeCloseTo(0.5, 12);
    expect(learningRateAt({ ...optimizer, warmUpSteps: 4 }, 4, 4)).toBe(1);
  });
});

it.each([
  [60, 0],
  [61, -0.025],
  [80, -0.5],
  [100, -1],
  [120, -1.5],
])('of %i tokens, 100 at most and a buffer of 40, DAPO takes %f', (length, wanted) => {
  expect(overlongPenalty(length, { max: 100, buffer: 40 })).toBeCloseTo(wanted, 12);
});

describe('advantages', () => {
  it('of equal rewards and of one alone are exactly 0', () => {
    for (const estimator of ['grpo', 'dr-grpo', 'rloo'] as const) {
      expect([...estimateAdvantages(estimator, [0.1, 0.1, 0.1], [0, 0, 0], [1, 1, 1])]).toEqual([
        0, 0, 0,
      ]);
      expect([...estimateAdvantages(estimator, [0.7], [3], [1])]).toEqual([0]);
      expect([...estimateAdvantages(estimator, [], [], [])]).toEqual([]);
    }
  });

  it('belong to groups, wherever their members stand', () => {
    // Groups 5: 1 and 0; 2: 4 and 2.
    const got = estimateAdvantages('dr-grpo', [1, 4, 0, 2], [5, 2, 5, 2], [1, 1, 1, 1]);
    expect([...got]).toEqual([0.5, 1, -0.5, -1]);
    const rloo = estimateAdvantages('rloo', [1, 4, 0, 2], [5, 2, 5, 2], [1, 1, 1, 1]);
    expect([...rloo]).toEqual([1, 2, -1, -2]);
  });

  it('whitened have, over tokens, mean 0 and deviation 1; without tokens they stay', () => {
    // 3 tokens of 0 and 1 of 4: mean 1, variance (3 + 9) / 4 = 3.
    const [low = 0, high = 0] = whiten(Float64Array.of(0, 4), [3, 1]);
    expect(low).toBeCloseTo(-1 / Math.sqrt(3), 7);
    expect(high).toBeCloseTo(Math.sqrt(3), 7);
    const values = Float64Array.of(2, 5);
    expect(whiten(values, [0, 0])).toEqual(values);
    expect(whiten(values, [0, 0])).not.toBe(values);
    // One value alone has no deviation: 0, not the noise of 0 / 0.
    expect([...whiten(Float64Array.of(7), [3])]).toEqual([0]);
  });

  it.each([
    [[[1, 2], [0], [0]], 'one value per rollout'],
    [[[1], [0, 0], [0]], 'one value per rollout'],
    [[[1], [0], [0, 0]], 'one value per rollout'],
    [
      [
        [1, Number.NaN],
        [0, 0],
        [1, 1],
      ],
      'the reward of rollout 1 is not a finite number',
    ],
    [
      [
        [Infinity, 1],
        [0, 0],
        [1, 1],
      ],
      'the reward of rollout 0 is not a finite number',
    ],
  ])('of %o are refused', ([rewards = [], groups = [], lengths = []], message) => {
    expect(() => estimateAdvantages('grpo', rewards, groups, lengths)).toThrow(message);
  });

  it('GAE by hand: γ = 1/2, λ = 1/2, one token of the environment between two', () => {
    // δ2 = 4 − 1 = 3; δ0 = 1 + 0.5 · 1 − 2 = −0.5; A0 = −0.5 + 0.25 · 3.
    expect([...skippingGae([1, 9, 4], [2, 9, 1], [1, 0, 1], 0.5, 0.5)]).toEqual([0.25, 0, 3]);
    expect([...skippingGae([], [], [], 1, 1)]).toEqual([]);
  });

  it('vary where two rewards differ', () => {
    expect([varies([]), varies([1]), varies([1, 1]), varies([1, 1, 2])]).toEqual([
      false,
      false,
      false,
      true,
    ]);
  });
});

describe('the surrogate at its bounds', () => {
  const objective = {
    ...getTraining('search/grpo').objective,
    clip: { low: 0.5, high: 0.25 },
    dualClip: 3,
  };

  it.each([
    // Exactly at a bound the gradient is still there, as the two sides agree.
    [1.25, 1, -1.25, -1.25, false],
    [0.5, -1, 0.5, 0.5, false],
    [3, -1, 3, 3, false],
    [3.5, -1, 3, 0, true],
    [3.5, 1, -1.25, 0, true],
    [0.25, 1, -0.25, -0.25, false],
    [0.25, -1, 0.5, 0, true],
    [2, 0, -0, -0, false],
  ])('ratio %f, advantage %i', (ratio, advantage, value, slope, clipped) => {
    const got = surrogate(objective, Math.log(ratio), advantage);
    expect(got.value).toBeCloseTo(value, 12);
    // Rounding of the logarithm decides exactly at a bound, the value does not.
    if (![1.25, 0.5, 3].includes(ratio)) {
      expect(got.slope).toBeCloseTo(slope, 12);
      expect(got.clipped).toBe(clipped);
    }
  });

  it.each([
    [2, 2],
    [2.5, 2],
    [-2, -2],
    [-2.5, -2],
  ])('k3 of d = %f is that of %f where it is held at ±2; its slope ends there', (d, held) => {
    const { value, slope } = klTerm('k3', -3, -3 + d, 2);
    expect(value).toBeCloseTo(Math.exp(held) - held - 1, 12);
    expect(slope).toBeCloseTo(d === held ? 1 - Math.exp(d) : 0, 12);
  });
});

describe('levels of difficulty', () => {
  it.each([
    [0, 'dropped'],
    [0.199, 'dropped'],
    [0.2, 'hard'],
    [0.499, 'hard'],
    [0.5, 'medium'],
    [0.799, 'medium'],
    [0.8, 'easy'],
    [1, 'easy'],
  ])('of a score of %f is %s', (score, bucket) => expect(bucketOf(score)).toBe(bucket));

  it('of equals take the harder first', () => {
    const counts = (hard: number, medium: number, easy: number) => ({ hard, medium, easy });
    const all = counts(9, 9, 9);
    expect(nextBucket([1, 1, 1], all, counts(0, 0, 0))).toBe('hard');
    expect(nextBucket([1, 1, 1], all, counts(1, 0, 0))).toBe('medium');
    expect(nextBucket([1, 1, 1], all, counts(1, 1, 0))).toBe('easy');
    expect(nextBucket([1, 0, 1], counts(0, 9, 9), counts(0, 0, 5))).toBe('easy');
    expect(nextBucket([1, 0, 0], counts(0, 9, 9), counts(0, 0, 0))).toBe('medium');
  });
});

it.each([
  [1, 4, 0.25, Math.log(2) / Math.log(5)],
  [3, 4, 0.75, Math.log(4) / Math.log(5)],
  [4, 4, 1, 1],
  [5, 4, 1, 1],
])('epoch %i of %i: gold %f, noise %f', (epoch, turning, gold, noise) => {
  expect(goldShare(epoch, turning)).toBe(gold);
  expect(noiseStrength(epoch, turning)).toBeCloseTo(noise, 12);
});

describe('the tokens of a record', () => {
  const of = (change: object) => ({
    id: 'r',
    segments: [readSegment([7]), { ...policySegment([1, 2]), ...change }],
  });

  it('are read as they were sampled', () => {
    const { ids, mask, oldLogprobs, temperature } = trainedTokens(of({}));
    expect([[...ids], [...mask], [...oldLogprobs], temperature]).toEqual([
      [7, 1, 2],
      [0, 1, 1],
      [0, -1, -2],
      1,
    ]);
  });

  it.each([
    [{ logprobs: [1e-4, -1] }, null],
    [{ logprobs: [1.1e-4, -1] }, 'segment 1 has a log-probability that is not a finite number ≤ 0'],
    [
      { logprobs: [-1, -Infinity] },
      'segment 1 has a log-probability that is not a finite number ≤ 0',
    ],
    [{ logprobs: [-1] }, 'segment 1 needs one log-probability per token'],
    [{ logprobs: undefined }, 'segment 1 needs one log-probability per token'],
    [
      { source: 'environment' },
      'segment 1 was written by the environment, but is marked as trained',
    ],
    [{ tokens: ['a', 'b'] }, 'segment 1 has pieces of text instead of token ids'],
    [{ mask: 0, logprobs: undefined }, null],
  ])('with %o', (change, fault) => {
    if (fault === null) expect(trainedTokens(of(change)).ids).toHaveLength(3);
    else expect(() => trainedTokens(of(change))).toThrow(`rollout r: ${fault}`);
  });

  it.each([
    [{ temperature: 0.5, topK: 0, topP: 1 }, 0.5, ''],
    [undefined, 1, ''],
    [null, 0, 'does not say which distribution'],
    [{ temperature: 1, topK: 1, topP: 1 }, 0, 'truncated distribution (top-k 1, top-p 1)'],
    [{ temperature: 1, topK: 0, topP: 0.99 }, 0, 'truncated distribution (top-k 0, top-p 0.99)'],
    [{ temperature: 0, topK: 0, topP: 1 }, 0, 'its temperature is 0'],
  ])('of %o', (logprobsOf, wanted, fault) => {
    const record = { ...of({}), policy: logprobsOf === undefined ? {} : { logprobsOf } };
    if (fault === '') expect(trainedTokens(record).temperature).toBe(wanted);
    else expect(() => trainedTokens(record)).toThrow(fault);
  });
});

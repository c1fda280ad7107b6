import { describe, expect, test } from 'vitest';
import type { ImportedRollout } from '../../../src/formats/rollouts/shape/imported.ts';
import {
  computeSide,
  whatIf,
  type WhatIfSettings,
} from '../../../src/evaluate/rollouts/what-if/what-if.ts';
import { whatIfSettings } from '../../fixtures/what-if.ts';
import { loggingBoard, verl } from '../../fixtures/inspect/records.ts';
import { importOne, ownLines, rolloutsOf } from '../../formats/rollouts/helpers.ts';

/** A rollout of a prompt token, policy tokens, and environment tokens. */
const rollout = (id: string, reward: number | null, policy: number, read = 2): ImportedRollout => ({
  format: 'forage.rollout/1',
  id,
  runId: 'run',
  step: 1,
  groupId: 'g',
  question: { id: 'q', text: 'q', answers: ['a'], supporting: [] },
  segments: [
    { source: 'prompt', role: 'instruction', text: 'p', ids: [1], mask: 0 },
    {
      source: 'policy',
      role: 'think',
      text: 'x'.repeat(policy),
      ids: Array<number>(policy).fill(2),
      logprobs: Array<number>(policy).fill(-1),
      refLogprobs: Array<number>(policy).fill(-1.5),
      mask: 1,
    },
    { source: 'environment', role: 'result', text: 'r', ids: Array<number>(read).fill(3), mask: 0 },
  ],
  rewards: [],
  reward,
  baseline: null,
  advantage: null,
  metrics: null,
  answer: 'a',
});

const pair = () => [rollout('a', 1, 2), rollout('b', 0, 6)];

const advantages = (rollouts: ImportedRollout[], s: WhatIfSettings) =>
  computeSide(rollouts, s).rollouts.map(({ advantage }) => advantage);

describe('advantages, by hand: rewards 1 and 0', () => {
  test.each([
    ['dr-grpo', 'estimator', [0.5, -0.5]],
    ['rloo', 'estimator', [1, -1]],
    // Unbiased deviation √½.
    ['grpo', 'estimator', [Math.SQRT1_2, -Math.SQRT1_2]],
    ['dr-grpo', 'group', [Math.SQRT1_2, -Math.SQRT1_2]],
    ['grpo', 'none', [0.5, -0.5]],
    // Over 2 + 6 tokens: mean −0.25, deviation √0.1875.
    ['reinforce++-baseline', 'estimator', [0.75 / Math.sqrt(0.1875), -0.25 / Math.sqrt(0.1875)]],
    ['dr-grpo', 'batch', [0.75 / Math.sqrt(0.1875), -0.25 / Math.sqrt(0.1875)]],
  ] as const)('%s, %s', (estimator, normalisation, expected) => {
    const got = advantages(pair(), whatIfSettings({ estimator }, { normalisation }));
    got.forEach((value, i) => expect(value).toBeCloseTo(expected[i]!, 5));
  });
});

describe('token weights', () => {
  const weights = (s: WhatIfSettings) =>
    computeSide(pair(), s).rollouts.map(({ tokens }) => Array.from(tokens!.weight));

  test('aggregations: 1/8 a token; halves shared by a sequence; a constant', () => {
    expect(weights(whatIfSettings())[0]).toEqual([0, 1 / 8, 1 / 8, 0, 0]);
    expect(weights(whatIfSettings({ aggregation: 'sequence-mean' }))[0]).toEqual([
      0,
      1 / 4,
      1 / 4,
      0,
      0,
    ]);
    expect(weights(whatIfSettings({ aggregation: { constant: 10 } }))[0]![1]).toBe(1 / 20);
  });

  test('without a mask the documents are trained as well', () => {
    const side = computeSide(pair(), whatIfSettings({}, { mask: 'response' }));
    expect(side.rollouts.map(({ trainedTokens }) => trainedTokens)).toEqual([4, 8]);
    expect(Array.from(side.rollouts[0]!.tokens!.weight)).toEqual([
      0,
      ...Array<number>(4).fill(1 / 12),
    ]);
  });

  test('the push is weight · advantage at ratio 1, and the KL pulls back', () => {
    const plain = computeSide(pair(), whatIfSettings({ estimator: 'dr-grpo' })).rollouts[0]!;
    expect(plain.tokens!.push[1]).toBeCloseTo(0.5 / 8, 7);
    const kl = { form: 'k2', place: 'loss', coefficient: 0.1 } as const;
    const pulled = computeSide(pair(), whatIfSettings({ estimator: 'dr-grpo', kl })).rollouts[0]!;
    // k2 = d²/2 with d = −0.5; its slope is 0.5.
    expect(pulled.tokens!.kl[1]).toBeCloseTo(0.125, 7);
    expect(pulled.tokens!.push[1]).toBeCloseTo((0.5 - 0.1 * 0.5) / 8, 7);
  });

  test('a KL in the reward: −coefficient · Σ k1, in place of the one that was stored', () => {
    const kl = { form: 'k1', place: 'reward', coefficient: 0.1 } as const;
    const rollouts = pair();
    rollouts[0]!.rewards = [{ clause: 'kl', value: -0.25, weight: 1, evidence: [] }];
    const side = computeSide(rollouts, whatIfSettings({ kl }));
    expect(side.rollouts[0]!.reward).toBeCloseTo(1 + 0.25 - 0.1 * 2 * 0.5, 7);
    expect(side.rollouts[1]!.reward).toBeCloseTo(-0.1 * 6 * 0.5, 7);
  });

  test('with the log-probabilities of a later policy the clip binds', () => {
    const clip = { low: 0.2, high: 0.2 };
    const now = () => Array<number>(20).fill(-0.5);
    const side = computeSide(pair(), whatIfSettings({ clip }), now);
    // Ratio e^0.5 > 1.2: stopped where the advantage is positive only.
    expect(side.clipped).toBe(2);
    expect(side.rollouts[0]!.tokens!.push[1]).toBeCloseTo(0, 12);
    expect(side.rollouts[1]!.tokens!.push[1]).not.toBe(0);
  });
});

describe('what the file lacks is said', () => {
  test('one log-probability a token: no clip can bind', () => {
    const side = computeSide(pair(), whatIfSettings({ clip: { low: 0.2, high: 0.28 } }));
    expect(side.cannot).toEqual([expect.stringMatching(/^clip: the file has one log-probability/)]);
    expect(side.clipped).toBeNull();
  });

  test('no log-probabilities: the file is not said to have the sampler’s', async () => {
    const settings = whatIfSettings({ clip: { low: 0.2, high: 0.28 } });
    const clip = (rollouts: Parameters<typeof computeSide>[0]) =>
      computeSide(rollouts, settings).cannot.filter((reason) => reason.startsWith('clip'));
    const texts = [await importOne(verl), await importOne({ ...verl, score: 0 })];
    expect(clip(texts)).toEqual([
      'clip: the file has no log-probabilities: every ratio is taken as 1, as at the first update, and no clip can bind',
    ]);
    expect(clip([...pair(), ...texts])).toEqual([
      expect.stringMatching(/^clip: some rollouts have no log-probabilities/),
    ]);
  });

  test('no tokens: advantages, but no weights and no whitening', async () => {
    const texts = await Promise.all([importOne(verl), importOne({ ...verl, score: 0 })]);
    const side = computeSide(texts, whatIfSettings());
    expect(side.rollouts.map(({ tokens }) => tokens)).toEqual([null, null]);
    expect(side.rollouts[0]!.advantage).toBeCloseTo(Math.SQRT1_2, 5);
    expect(side.cannot.join()).toMatch(/no loss mask.*token weights/);
    const whitened = computeSide(texts, whatIfSettings({ estimator: 'whitened-grpo' }));
    expect(whitened.rollouts[0]!.advantage).toBeNull();
    expect(whitened.cannot.join()).toMatch(/whitening/);
  });

  test('no reference: the loss is without its KL', () => {
    const rollouts = pair();
    for (const { segments } of rollouts) delete segments[1]!.refLogprobs;
    const kl = { form: 'k3', place: 'loss', coefficient: 0.1 } as const;
    expect(computeSide(rollouts, whatIfSettings({ kl })).cannot.join()).toMatch(/^KL/);
  });

  test('no reward: no advantage', () => {
    const side = computeSide([rollout('a', null, 2), rollout('b', 1, 2)], whatIfSettings());
    expect(side.rollouts[0]!.advantage).toBeNull();
    expect(side.cannot.join()).toMatch(/no reward/);
  });
});

describe('a batch of which one has no tokens', () => {
  const textual = (id: string, reward: number | null): ImportedRollout => {
    const one = rollout(id, reward, 2);
    for (const segment of one.segments) {
      delete segment.ids;
      delete segment.logprobs;
      delete segment.refLogprobs;
    }
    return one;
  };

  test('shares its loss among the others', () => {
    const side = computeSide(
      [rollout('a', 1, 2), textual('b', 0), rollout('c', 0, 4)],
      whatIfSettings({ aggregation: 'sequence-mean' }),
    );
    // Two sequences of 2 and 4 tokens: 1/2 · 1/2 and 1/2 · 1/4.
    expect(side.rollouts.map(({ tokens }) => tokens?.weight[1])).toEqual([1 / 4, undefined, 1 / 8]);
    expect(side.rollouts.map(({ trainedTokens }) => trainedTokens)).toEqual([2, null, 4]);
    expect(side.rollouts.map(({ reward }) => reward)).toEqual([1, 0, 0]);
  });

  test('keeps its reward, where a KL should be in it, and says so', () => {
    const kl = { form: 'k1', place: 'reward', coefficient: 0.1 } as const;
    const side = computeSide([rollout('a', 1, 2), textual('b', 0.5)], whatIfSettings({ kl }));
    expect(side.rollouts[1]?.reward).toBe(0.5);
    expect(side.cannot.join()).toContain('rewards are without it');
  });
});

describe('baselines', () => {
  const twoGroups = () => [
    { ...rollout('a', 1, 2), groupId: 'x' },
    { ...rollout('b', 0.5, 2), groupId: 'y' },
    { ...rollout('c', 0, 2), groupId: 'x' },
    { ...rollout('d', 0.5, 2), groupId: 'x' },
  ];
  const of = (estimator: 'dr-grpo' | 'rloo') =>
    computeSide(twoGroups(), whatIfSettings({ estimator })).rollouts.map(
      ({ baseline }) => baseline,
    );

  test('are the mean of the group; for RLOO of the others, and none where there are none', () => {
    expect(of('dr-grpo')).toEqual([0.5, 0.5, 0.5, 0.5]);
    expect(of('rloo')).toEqual([0.25, null, 0.75, 0.5]);
  });

  test('only groups of two and more are called equal, and only where rewards are known', () => {
    const flat = (...rollouts: ImportedRollout[]) =>
      computeSide(rollouts, whatIfSettings()).zeroVariance;
    expect(flat(...twoGroups())).toEqual([]);
    expect(flat(rollout('a', null, 2), rollout('b', null, 2))).toEqual([]);
    expect(flat(rollout('a', 1, 2), rollout('b', 1, 2), rollout('c', 0, 2))).toEqual([]);
    expect(flat(rollout('a', 0, 2), rollout('b', 0, 2))).toEqual(['g']);
  });
});

describe('what is said of a loss', () => {
  test('the KL is missed only where it counts; the mask only where it is the stored one', () => {
    const rollouts = pair();
    for (const { segments } of rollouts) delete segments[1]!.refLogprobs;
    const kl = (place: 'off' | 'loss', coefficient: number) =>
      computeSide(rollouts, whatIfSettings({ kl: { form: 'k3', place, coefficient } })).cannot;
    expect(kl('off', 0.1)).toEqual([]);
    expect(kl('loss', 0)).toEqual([]);
    expect(kl('loss', 0.1)).toEqual([
      'KL: the file has no reference log-probabilities; the loss is without it',
    ]);
    const unsaid = pair();
    for (const { segments } of unsaid) for (const segment of segments) delete segment.mask;
    expect(computeSide(unsaid, whatIfSettings({}, { mask: 'policy' })).cannot).toEqual([]);
    expect(computeSide(unsaid, whatIfSettings({}, { mask: 'stored' })).cannot).toEqual([
      'the file has no loss mask: the model’s own text is taken as trained',
    ]);
  });

  test('where a log-probability is missing, ratios are 1 and no KL is known', () => {
    const rollouts = pair();
    const [first] = rollouts;
    first!.segments[1]!.logprobs = [-1, null];
    const side = computeSide(rollouts, whatIfSettings({ estimator: 'dr-grpo' }), () =>
      Array<number>(20).fill(-0.5),
    );
    const [a, b] = side.rollouts;
    // 1/8 · 0.5 at ratio 1; the other's ratio is e^0.5.
    expect(a?.tokens?.push[1]).toBeCloseTo(0.5 / 8, 7);
    expect(a?.tokens?.kl[1]).toBeNaN();
    expect(b?.tokens?.push[1]).toBeCloseTo((-0.5 * Math.exp(0.5)) / 8, 7);
    // Of the own tokens: what the update's policy gives, against the reference.
    expect(b?.tokens?.kl[1]).not.toBeNaN();
    expect(b?.tokens?.kl[0]).toBe(0);
  });
});

test('a group of equal rewards is flagged and pushes nothing', () => {
  const side = computeSide([rollout('a', 1, 2), rollout('b', 1, 3)], whatIfSettings());
  expect(side.zeroVariance).toEqual(['g']);
  expect(side.rollouts.every(({ tokens }) => tokens!.push.every((v) => v === 0))).toBe(true);
});

test('both sides are next to the file’s values; a logging board’s columns are read', async () => {
  const rollouts = [await importOne(loggingBoard), await importOne({ ...loggingBoard, reward: 0 })];
  rollouts[0]!.advantage = 0.7;
  const { before, after, stored } = whatIf(
    rollouts,
    whatIfSettings({ estimator: 'dr-grpo' }),
    whatIfSettings({ estimator: 'rloo' }),
  );
  expect(stored).toEqual([0.7, null]);
  expect(before.rollouts[0]!.advantage).toBe(0.5);
  expect(after.rollouts[0]!.advantage).toBe(1);
  expect(before.rollouts[0]!.trainedTokens).toBe(8);
});

test('records of our own: exactly their trained tokens', async () => {
  const own = await rolloutsOf(new Blob([ownLines().join('\n')]));
  const side = computeSide(own, whatIfSettings());
  side.rollouts.forEach(({ trainedTokens }, i) =>
    expect(trainedTokens).toBe(own[i]!.metrics!.tokens),
  );
});

import { describe, expect, it } from 'vitest';
import { fillAdvantages, sequencesOf, updateBatches } from '../../../src/learn/rl/batch.ts';
import { addKlToRewards } from '../../../src/learn/rl/scoring.ts';
import { definedRules } from '../../../src/learn/objective.ts';
import { finishedAlone, sequencesMasked } from '../../../src/systems/parts/masks.ts';
import { PolicyLearner } from '../../../src/learn/replicas/learner.ts';
import { getTraining } from '../../../src/systems/index.ts';
import type { TrainSettings } from '../../../src/recipes/parts/training.ts';
import type { StopEvent } from '../../../src/records/events.ts';
import type { Rollout } from '../../../src/records/rollout.ts';
import { Even } from './scripted-run.ts';
import { emptyRollout, policySegment, readSegment } from '../../fixtures/rollouts.ts';

type Objective = TrainSettings['objective'];
const objective = (change: Partial<Objective> = {}): Objective => ({
  ...getTraining('kunlun-baize/dapo').objective,
  estimator: 'dr-grpo',
  aggregation: 'sequence-mean',
  kl: { form: 'k1', place: 'off', coefficient: 0 },
  ...change,
});

/** Two tokens that were read, `tokens` that were written, each of log-probability −1, −2, …. */
const rollout = (id: string, reward: number | null, tokens = 2): Rollout => ({
  ...emptyRollout(id),
  segments: [
    readSegment([50, 51], 'question'),
    policySegment(Array.from({ length: tokens }, (_, i) => i + 1)),
  ],
  reward,
});

describe('what the trainer takes of a rollout', () => {
  it('is its tokens, and what the sampler gave those that the policy wrote', () => {
    const [sequence, next] = sequencesOf([[rollout('a', 1)], [rollout('b', 0, 1)]]);
    expect(sequence).toMatchObject({ group: 0, temperature: 1 });
    expect([...(sequence?.ids ?? [])]).toEqual([50, 51, 1, 2]);
    expect([...(sequence?.mask ?? [])]).toEqual([0, 0, 1, 1]);
    expect([...(sequence?.oldLogprobs ?? [])]).toEqual([-1, -2]);
    expect([...(sequence?.entropies ?? [])]).toEqual([0.5, 1]);
    expect(next?.group).toBe(1);
  });

  it('is nothing of what a policy wrote elsewhere, whatever was recorded of it', () => {
    const thought = { ...policySegment([8, 9]), mask: 0 as const };
    const segments = [readSegment([50], 'question'), policySegment([1, 2]), thought];
    const [sequence] = sequencesOf([[{ ...emptyRollout('a'), segments }]]);
    expect([...(sequence?.mask ?? [])]).toEqual([0, 1, 1, 0, 0]);
    expect([...(sequence?.entropies ?? [])]).toEqual([0.5, 1]);
  });

  it("leaves out a context's first token: nothing stands before it that predicts it", () => {
    const begins = { ...emptyRollout('a'), segments: [policySegment([1, 2, 3])] };
    const [sequence] = sequencesOf([[begins]]);
    expect([...(sequence?.oldLogprobs ?? [])]).toEqual([-2, -3]);
    expect([...(sequence?.entropies ?? [])]).toEqual([1, 1.5]);
  });
});

describe('VerlTool’s mask over unfinished rollouts', () => {
  // Written 20, read 50, written 10: 30 of 80 are trained.
  const ended = (reason: StopEvent['reason']): Rollout => ({
    ...rollout('a', 1),
    segments: [20, -50, 10].map((n) => {
      const ids = Array.from({ length: Math.abs(n) }, () => 1);
      return n > 0
        ? { ...policySegment(ids), logprobs: ids.map(() => -1) }
        : readSegment(ids, 'result');
    }),
    events: [{ t: 0, kind: 'stop', reason, detail: '' }],
  });
  const trained = (reason: StopEvent['reason'], masked: boolean): number[] => {
    const all = sequencesOf([[ended(reason)]]).map((one) => (masked ? finishedAlone(one) : one));
    return all.flatMap(({ mask, oldLogprobs, entropies }) => [
      mask.length,
      mask.reduce((sum, one) => sum + one, 0),
      oldLogprobs.length,
      entropies.length,
    ]);
  };
  it('trains 30 tokens of 80, none of them where a limit ended it', () => {
    // Nothing predicts a context’s first token.
    expect(trained('answer', true)).toEqual([80, 30, 29, 29]);
    expect(trained('token-budget', false)).toEqual([80, 30, 29, 29]);
    for (const reason of ['token-budget', 'max-searches', 'context-full'] as const)
      expect(trained(reason, true)).toEqual([80, 0, 0, 0]);
  });
  it('leaves such a rollout its share of the group’s baseline, and no update', async () => {
    const [a, b] = sequencesOf([[ended('answer'), { ...ended('token-budget'), reward: 0 }]]).map(
      finishedAlone,
    );
    const sequences = [a!, b!];
    const advantages = await fillAdvantages(sequences, 'dr-grpo');
    expect(sequences.map(({ rollout: of }) => of.baseline)).toEqual([0.5, 0.5]);
    const settings = { objective: objective({ aggregation: 'token-mean' }), updates: 1 };
    const [items] = updateBatches(sequences, advantages, null, settings);
    expect(items).toHaveLength(1);
    expect(items?.[0]?.weight).toBeCloseTo(1 / 29, 9);
  });
});

describe('results that CIR’s released mask trains on', () => {
  const results = (maxSearches: number): Rollout => ({
    ...emptyRollout('a'),
    recipe: { id: 'cir', version: '1', settings: { retrieval: { maxSearches } } },
    segments: [
      readSegment([50], 'question'),
      policySegment([1]),
      readSegment([7, 5, 8]),
      policySegment([2]),
      readSegment([7, 6, 8]),
      policySegment([3]),
    ],
  });
  /** The learner gives every token a log-probability of −1. */
  const masked = (calls: number) =>
    sequencesMasked(
      new PolicyLearner([new Even()]),
      sequencesOf([[results(calls)]]),
      'first-calls',
      { open: 7, close: 8 },
    );

  it('have the log-probabilities that the learner gives them, between those of the sampler', async () => {
    const [one] = await masked(1);
    expect([...(one?.mask ?? [])]).toEqual([0, 1, 0, 0, 0, 1, 1, 1, 1, 1]);
    expect([...(one?.oldLogprobs ?? [])]).toEqual([-1, -2, -1, -1, -1, -3]);
    expect([...(one?.entropies ?? [])]).toEqual([0.5, 1, -1, -1, -1, 1.5]);
  });

  it('are none where no more stand there than are allowed', async () => {
    expect(await masked(2)).toEqual(sequencesOf([[results(2)]]));
  });
});

describe('results that are trained as well, Search-R1’s ablation', () => {
  it('are all in the loss', async () => {
    const segments = [
      readSegment([50], 'question'),
      policySegment([1]),
      readSegment([7, 5, 8]),
      policySegment([2]),
    ];
    const sequences = sequencesOf([[{ ...emptyRollout('a'), segments }]]);
    const learner = new PolicyLearner([new Even()]);
    const tags = { open: 7, close: 8 };
    const [one] = await sequencesMasked(learner, sequences, 'none', tags);
    expect([...(one?.mask ?? [])]).toEqual([0, 1, 1, 1, 1, 1]);
    expect([...(one?.oldLogprobs ?? [])]).toEqual([-1, -1, -1, -1, -2]);
  });
});

it('learns of what is worse than its group alone where no advantage is above 0', () => {
  const rule = definedRules.get('worse-only')!.rule({});
  expect(rule.advantages!([0.5, -0.5, 0, Float32Array.of(1, -2)], [])).toEqual([
    0,
    -0.5,
    0,
    Float32Array.of(0, -2),
  ]);
});

describe('advantages in the records', () => {
  it("are the reward less the group's mean, which is the baseline", async () => {
    const groups = [
      [rollout('a', 1), rollout('b', 0), rollout('c', 0.5)],
      [rollout('d', 1), rollout('e', null)],
    ];
    const advantages = await fillAdvantages(sequencesOf(groups), 'dr-grpo');
    expect([...advantages]).toEqual([0.5, -0.5, 0, 0.5, -0.5]);
    const all = groups.flat();
    expect(all.map(({ baseline }) => baseline)).toEqual([0.5, 0.5, 0.5, 0.5, 0.5]);
    expect(all.map(({ advantage }) => advantage)).toEqual([0.5, -0.5, 0, 0.5, -0.5]);
  });
});

describe('the KL as a part of the reward', () => {
  it('takes coefficient · Σ KL of the own tokens from each rollout', () => {
    const groups = [[rollout('a', 1), rollout('b', 1, 1)]];
    const sequences = sequencesOf(groups);
    // k1 is log π − log π_ref: (−1 + 1.5) + (−2 + 2.5) = 1, and −1 + 0.5 = −0.5.
    const references = [Float32Array.of(-1.5, -2.5), Float32Array.of(-0.5)];
    addKlToRewards(sequences, references, { form: 'k1', place: 'reward', coefficient: 0.1 });
    const [a, b] = groups[0] ?? [];
    expect(a?.reward).toBeCloseTo(-0.1, 12);
    expect(b?.reward).toBeCloseTo(0.05, 12);
    expect(a?.rewards.at(-1)).toMatchObject({ clause: 'kl', weight: 1 });
  });
});

describe('the batches of a step', () => {
  const groups = [
    [rollout('a', 1, 1), rollout('b', 0, 2)],
    [rollout('c', 1, 3), rollout('d', 0, 4)],
  ];
  const sequences = sequencesOf(groups);
  const advantages = Float64Array.of(0.5, -0.5, 0.25, -0.25);
  const references = sequences.map(({ oldLogprobs }) => oldLogprobs.map((p) => p - 1));
  const batches = (updates: number, change: Partial<Objective> = {}) =>
    updateBatches(sequences, advantages, references, { objective: objective(change), updates });

  it('hold every sequence once, some of each group', () => {
    expect(batches(1).map((batch) => batch.map((item) => item.advantage))).toEqual([
      [0.5, -0.5, 0.25, -0.25],
    ]);
    expect(batches(2).map((batch) => batch.map((item) => item.advantage))).toEqual([
      [0.5, 0.25],
      [-0.5, -0.25],
    ]);
  });

  it('weigh a token by its own batch', () => {
    // Sequence mean: 1 / (sequences · own tokens). Of two sequences with 1 and 3 tokens 1/2 and 1/6.
    expect(batches(2)[0]?.map(({ weight }) => weight)).toEqual([1 / 2, 1 / 6]);
    // Token mean: of one batch with 10 tokens, of two with 4 and 6.
    const byToken = { aggregation: 'token-mean' as const };
    expect(batches(1, byToken)[0]?.map(({ weight }) => weight)).toEqual([0.1, 0.1, 0.1, 0.1]);
    expect(batches(2, byToken).map((batch) => batch[0]?.weight)).toEqual([1 / 4, 1 / 6]);
  });

  it('hold the reference only where its KL stands in the loss', () => {
    const kl = { form: 'k3', place: 'loss', coefficient: 0.1 } as const;
    expect(batches(1, { kl })[0]?.[1]?.refLogprobs).toEqual(Float32Array.of(-2, -3));
    expect(batches(1)[0]?.[1]?.refLogprobs).toBeNull();
    const reward = { ...kl, place: 'reward' } as const;
    expect(batches(1, { kl: reward })[0]?.[1]?.refLogprobs).toBeNull();
  });

  it('leave out what holds no trained token, and batches of nothing else', () => {
    const silent = { ...emptyRollout('s'), segments: [readSegment([50, 51], 'question')] };
    const some = sequencesOf([[rollout('a', 1, 1), silent]]);
    const both = updateBatches(some, Float64Array.of(1, 1), null, {
      objective: objective(),
      updates: 2,
    });
    expect(both.map((batch) => batch.length)).toEqual([1]);
    expect(both[0]?.[0]?.weight).toBe(1);
  });
});

import { describe, expect, it } from 'vitest';
import {
  decodeSeconds,
  meanStepSeconds,
  probeSummary,
  rolloutSeconds,
  stepSeconds,
  wavesSeconds,
} from '../../../src/learn/run/predict.ts';
import type { Probe, ProbedRollout } from '../../../src/learn/run/probe-shape.ts';
import { getTraining } from '../../../src/systems/index.ts';
import { probeOf } from '../../fixtures/probes.ts';

/** Times predicted from a probe, worked by hand. */

const rollout = (decoded: number, change: Partial<ProbedRollout> = {}): ProbedRollout => ({
  decoded,
  expected: decoded,
  prompt: 0,
  read: 0,
  searches: 0,
  right: false,
  formatValid: true,
  reward: 0,
  ...change,
});

/** One engine of two slots: one context takes 1 s a token, two take 1.5 s. */
const slow: Probe = {
  ...probeOf({ rollout: 1, update: 1 }),
  slots: 2,
  decode: [
    { contexts: 1, seconds: 1 },
    { contexts: 2, seconds: 1.5 },
  ],
  waves: [{ group: 1, seconds: 14, rollouts: [rollout(10), rollout(8)] }],
};

describe('decoding', () => {
  it('is on straight lines between what was measured, and beyond', () => {
    const decode = [
      { contexts: 1, seconds: 2 },
      { contexts: 4, seconds: 5 },
      { contexts: 16, seconds: 11 },
    ];
    expect([1, 2, 4, 10, 16, 18].map((n) => decodeSeconds(decode, n))).toEqual([
      2, 3, 5, 8, 11, 12,
    ]);
    expect(decodeSeconds([{ contexts: 2, seconds: 3 }], 4)).toBe(6);
  });

  it('never takes less time with more contexts, also where noise measured it so', () => {
    const noisy = [
      { contexts: 1, seconds: 2 },
      { contexts: 4, seconds: 1 },
      { contexts: 16, seconds: 5 },
    ];
    expect([1, 2, 4, 10, 16, 20].map((n) => decodeSeconds(noisy, n))).toEqual([2, 2, 2, 3.5, 5, 6]);
  });

  it('goes on with fewer contexts when the shorter ones have ended', () => {
    // 8 tokens of both at 1.5 s, then 2 of the longer at 1 s: 14 s, as the wave took.
    expect(rolloutSeconds(slow, 2, 1)).toBeCloseTo(14, 9);
    // The wave took twice what the model says: so will others.
    const twice = { ...slow, waves: [{ ...slow.waves[0]!, seconds: 28 }] };
    expect(rolloutSeconds(twice, 2, 1)).toBeCloseTo(28, 9);
  });

  it('gives a free slot to the next one', () => {
    // 10, 8, 10 in two slots: 8 tokens of two; 2 of two, which ends the first; 8 of the third by itself.
    expect(rolloutSeconds(slow, 3, 1)).toBeCloseTo(8 * 1.5 + 2 * 1.5 + 8 * 1, 9);
    expect(rolloutSeconds(slow, 0, 1)).toBe(0);
  });

  it('is shared by engines', () => {
    const two = { ...slow, engines: 2 };
    // Each engine has one of the wave: the longer takes 10 s by the model, where 14 were measured.
    expect(rolloutSeconds(two, 4, 1)).toBeCloseTo((14 / 10) * 10 * 1.5, 9);
  });

  it('counts the prompt once per question, results once per rollout', () => {
    const given = (decoded: number) => rollout(decoded, { prompt: 100, read: 50 });
    const probe: Probe = {
      ...slow,
      prefill: 0.1,
      // 14 s of decoding, and 2 prompts and 2 results: 30 s.
      waves: [{ group: 1, seconds: 44, rollouts: [given(10), given(8)] }],
    };
    expect(rolloutSeconds(probe, 2, 1)).toBeCloseTo(44, 9);
    expect(rolloutSeconds(probe, 2, 2)).toBeCloseTo(14 + 10 + 10, 9);
  });

  it('takes what a rollout may write where it was cut short, and the wave for what it was', () => {
    const cut = rollout(4, { expected: 10 });
    const probe = { ...slow, waves: [{ group: 1, seconds: 6, rollouts: [cut, cut] }] };
    // 4 tokens of two took 6 s, as modelled; 10 will take 15.
    expect(rolloutSeconds(probe, 2, 1)).toBeCloseTo(15, 9);
  });
});

describe('a step', () => {
  const settings = {
    ...getTraining('search/grpo'),
    questions: 8,
    groupSize: 8,
    heldOut: { questions: 96, every: 10, temperature: 0 },
  };
  const probe = probeOf({ rollout: 0.5, update: 0.25 });

  it('is its rollouts and its update; held-out questions come in waves of 64', () => {
    // 64 rollouts of 0.5 s; 6 even micro-batches of 64 contexts of 140 tokens, each with the prompt of 60 once; 96 questions.
    expect(stepSeconds(settings, probe, 1)).toEqual({
      rollouts: expect.closeTo(32, 6),
      update: expect.closeTo((64 * 140 + 6 * 60) * (0.25 / 200), 6),
      heldOut: expect.closeTo(48, 6),
    });
    expect(wavesSeconds(probe, 130, 1)).toBeCloseTo(65, 6);
  });

  it('scores the reference where a KL needs it', () => {
    const kl = { form: 'k3' as const, place: 'loss' as const, coefficient: 0.1 };
    const with_ = { ...settings, objective: { ...settings.objective, kl } };
    // A quarter of the update.
    expect(stepSeconds(with_, probe, 1).update).toBeCloseTo(11.65 + 11.65 / 4, 6);
  });

  it('draws again as often as rewards do not vary', () => {
    const dynamicSampling = { by: 'reward' as const, maxBatches: 3 };
    const drawn = { ...settings, dynamicSampling };
    // Half of the rewards are 1: 1 − 2 / 2⁸ of the groups vary, so two batches are wanted.
    expect(stepSeconds(drawn, probe, 1).rollouts).toBeCloseTo(64, 6);
    const flat = probe.waves.map((wave) => ({
      ...wave,
      rollouts: wave.rollouts.map((one) => ({ ...one, reward: 0 })),
    }));
    expect(stepSeconds(drawn, { ...probe, waves: flat }, 1).rollouts).toBeCloseTo(96, 6);
  });

  it('counts an update only for the share of steps that make one', () => {
    const off = { ...settings.objective.kl, place: 'off' as const };
    const small = {
      ...settings,
      questions: 1,
      groupSize: 2,
      objective: { ...settings.objective, kl: off },
    };
    // A token takes 0.25 / 200 s. Two contexts of 200 are a micro-batch with their prompt of 60 once: 0.425 s.
    // Half of the rewards are 1: two rollouts differ in half of the steps.
    expect(stepSeconds(small, probe, 1).update).toBeCloseTo(0.5 * 0.425, 6);
    // Of two questions one is enough, in three quarters of the steps: two micro-batches of 340 tokens.
    expect(stepSeconds({ ...small, questions: 2 }, probe, 1).update).toBeCloseTo(0.75 * 0.85, 6);
    // A KL in the loss pulls without advantages.
    const kl = { form: 'k3' as const, place: 'loss' as const, coefficient: 0.1 };
    const pulled = { ...small, objective: { ...small.objective, kl } };
    expect(stepSeconds(pulled, probe, 1).update).toBeCloseTo(0.425 * 1.25, 6);
  });

  it('leaves open what a few equal rewards leave open', () => {
    const off = { ...settings.objective.kl, place: 'off' as const };
    const one = {
      ...settings,
      questions: 1,
      groupSize: 2,
      objective: { ...settings.objective, kl: off },
    };
    const [wave] = probe.waves;
    const equal = (count: number): Probe => ({
      ...probe,
      waves: [
        { ...wave!, rollouts: wave!.rollouts.slice(0, count).map((r) => ({ ...r, reward: 0 })) },
      ],
    });
    const updateAt = (count: number, bound: 'expected' | 'low' | 'high') =>
      stepSeconds(one, equal(count), 1, bound).update;
    expect(updateAt(4, 'expected')).toBe(0);
    expect(updateAt(4, 'low')).toBe(0);
    // Wilson's interval of 4 of 4 begins at 4 / (4 + 1.96²) = 0.5101: 1 − 0.5101² − 0.4899² = 0.4998 of 0.425 s.
    expect(updateAt(4, 'high')).toBeCloseTo(0.2124, 4);
    // That of 64 of 64 at 0.9434: 0.1068.
    expect(updateAt(64, 'high')).toBeCloseTo(0.0454, 4);
    expect(meanStepSeconds(one, equal(4), 'high').update).toBeCloseTo(0.2124, 4);
  });

  it('leaves an engine idle where there is one micro-batch', () => {
    const kl = { form: 'k3' as const, place: 'off' as const, coefficient: 0 };
    const objective = { ...settings.objective, kl };
    const updateOf = (groupSize: number, engines: number) =>
      stepSeconds({ ...settings, objective, questions: 1, groupSize }, { ...probe, engines }, 1)
        .update;
    // Two engines take as long as one for it, at twice the seconds of a token.
    expect(updateOf(2, 2)).toBeCloseTo(2 * updateOf(2, 1), 6);
    // 8 contexts fit one micro-batch of 2,048 and are two even ones; 1 − 2 / 2⁸ of the steps make their update.
    expect(updateOf(8, 1)).toBeCloseTo((8 * 140 + 2 * 60) * (0.25 / 200) * (1 - 2 / 256), 6);
    expect(updateOf(8, 2)).toBeCloseTo(updateOf(8, 1), 6);
  });

  it('is a mean over stages', () => {
    const [stage] = settings.stages;
    const distil = getTraining('agent-distillation/distil').stages[0];
    if (!stage || !distil) throw new Error('no stage');
    const staged = { ...settings, steps: 4, stages: [{ ...distil, steps: 1 }, stage] };
    expect(meanStepSeconds(staged, probe).rollouts).toBeCloseTo((3 * 32) / 4, 6);
  });
});

it('a summary says how often it was right, how fast it was, and whether rewards differ', () => {
  const probe = probeOf({ rollout: 0.5, update: 0.25 });
  expect(probeSummary(probe)).toMatchObject({
    rollouts: 64,
    right: 32,
    decoded: 100,
    context: 200,
    tokensPerSecond: 200,
    trainedPerSecond: 800,
    allEqual: false,
  });
  expect(probeSummary(slow)).toMatchObject({ right: 0, allEqual: true, decoded: 9 });
});

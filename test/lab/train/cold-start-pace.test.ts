import { expect, it } from 'vitest';
import { ColdStartPace } from '../../../src/lab/train/pace/cold-start-pace.ts';
import { timeByProbe } from '../../../src/lab/train/pace/estimate.ts';
import { getTraining } from '../../../src/systems/index.ts';
import type { Probe } from '../../../src/learn/run/probe-shape.ts';

it('the time of a cold start is that of its updates and evaluations, without the evaluation before the first', () => {
  let ms = 0;
  const pace = new ColdStartPace(() => ms);
  const moved = (phase: string, done: number): void => pace.moved({ phase, done, total: 10 });
  expect([pace.secondsLeft(), pace.isUnderWay]).toEqual([null, false]);
  moved('warm-up', 0);
  moved('held-out', 4);
  ms = 60_000;
  moved('warm-up', 0);
  expect(pace.secondsLeft()).toBeNull();
  ms += 10_000;
  moved('warm-up', 1);
  expect(pace.secondsLeft()).toBe(90);
  // It falls while an update is made.
  ms += 4000;
  expect(pace.secondsLeft()).toBe(86);
  // An evaluation of 20 s after two updates of 10 s each: 20 s per update.
  ms += 6000;
  moved('warm-up', 2);
  ms += 20_000;
  moved('warm-up', 2);
  expect([pace.secondsLeft(), pace.isUnderWay]).toEqual([160, true]);
  moved('warm-up', 10);
  expect([pace.secondsLeft(), pace.isUnderWay]).toEqual([0, false]);
});

const rollout = {
  decoded: 10,
  expected: 10,
  prompt: 10,
  read: 0,
  searches: 1,
  right: true,
  formatValid: true,
  reward: 1,
};
const probe: Probe = {
  format: 'forage.probe/1',
  at: new Date(0).toISOString(),
  engines: 1,
  slots: 64,
  waves: [{ rollouts: [rollout], group: 1, seconds: 1 }],
  decode: [{ contexts: 1, seconds: 0.1 }],
  prefill: 0,
  // 50 tokens a second in updates, 100 in scoring.
  update: 0.02,
  score: 0.01,
  microTokens: 2048,
  bytes: 0,
};
const warmUp = { length: { epochs: 2 }, batch: 4, learningRate: 1e-3, onlyCorrect: true };
const given = { count: 40, tokens: 500, written: 100 };
// 4 contexts of 500 tokens are two micro-batches, which each have the prompt of 10 tokens once.
const update = 4 * 490 + 2 * 10;

it('the cold start is predicted from the demonstrations that it is given', () => {
  const before = (change: object): number =>
    timeByProbe(
      { ...getTraining('search/grpo'), steps: 0, warmUp: { ...warmUp, ...change } },
      probe,
      given,
    ).secondsBefore;
  expect(before({})).toBeCloseTo((20 * update) / 50, 6);
  // 4 of 40 held out: 18 updates; scored before, after 5, 10, 15 and 18.
  expect(before({ heldOut: 0.1 })).toBeCloseTo((18 * update) / 50 + (5 * 4 * 500) / 100, 6);
  expect(before({ length: { updates: 5 } })).toBeCloseTo((5 * update) / 50, 6);
});

it('steps after it are predicted from rollouts like the demonstrations, each with an update', () => {
  const settings = { ...getTraining('search/grpo'), steps: 10, questions: 1, groupSize: 4 };
  const timeOf = (of: object) => timeByProbe({ ...settings, ...of }, probe, given);
  // 100 tokens of 4 rollouts at a time, 10 a second; then the update.
  const after = timeOf({ warmUp, heldOut: { ...settings.heldOut, questions: 0 } });
  expect(after.secondsPerStep).toBeCloseTo(40 + update / 50, 6);
  expect(after.range).toBeUndefined();
  // Without it rollouts stay as measured: 10 tokens, all of one reward.
  const asItIs = timeOf({ warmUp: null, heldOut: { ...settings.heldOut, questions: 0 } });
  expect(asItIs.secondsPerStep).toBeCloseTo(4, 6);
});

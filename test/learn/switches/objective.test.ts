import { describe, expect, it } from 'vitest';
import { turned, turnedByFacts } from '../../../src/systems/fspo/define.ts';
import {
  definedRules,
  surrogate,
  tokenObjective,
  type Objective,
} from '../../../src/learn/objective.ts';
import '../../../src/systems/objective-rules.ts';
import { OBJECTIVE } from '../../../src/recipes/parts/training-base.ts';
import { written } from '../rewards/records.ts';

/** Switches of the loss, on the cases worked in their specifications. */

const gppo: Objective = {
  ...OBJECTIVE,
  rules: { gppo: {} },
  clip: { low: 0.2, high: 0.28 },
  dualClip: 10,
};

describe('GPPO', () => {
  const gradient = (objective: Objective, ratio: number, advantage: number): number =>
    -surrogate(objective, Math.log(ratio), advantage).slope;
  it.each([
    [1, 1.5, 1.28],
    [-1, 0.5, -0.8],
    [-1, 1.5, -1.5],
    [1, 0.5, 0.5],
    [-1, 11, 0],
  ])('A %d at ratio %d: gradient %d', (advantage, ratio, expected) =>
    expect(gradient(gppo, ratio, advantage)).toBeCloseTo(expected, 12),
  );
  it('has gradients where PPO has none, and the same loss', () => {
    const ppo = { ...gppo, rules: {} };
    for (const [ratio, advantage] of [
      [1.5, 1],
      [0.5, -1],
      [1.1, 1],
      [12, -1],
    ] as const)
      expect(surrogate(gppo, Math.log(ratio), advantage).value).toBeCloseTo(
        surrogate(ppo, Math.log(ratio), advantage).value,
        12,
      );
    expect(gradient(ppo, 1.5, 1)).toBeCloseTo(0, 12);
    expect(gradient(ppo, 0.5, -1)).toBeCloseTo(0, 12);
  });
});

describe('the diversity term', () => {
  it('pushes up what is less likely than 1/e and down the rest', () => {
    const { ofRight } = definedRules.get('diversity')!.rule({ weight: 1 });
    const slope = (p: number) => ofRight!(Math.log(p), Math.log(p)).slope;
    expect(-slope(0.2)).toBeCloseTo(0.609, 3);
    expect(-slope(0.8)).toBeCloseTo(-0.777, 3);
  });
  const tokens = (logprob: number, right: boolean) => ({
    logprob: Float32Array.of(logprob),
    oldLogprob: Float32Array.of(Math.log(0.25)),
    refLogprob: null,
    advantage: 0.5,
    weight: 0.1,
    right,
  });
  const rules = { diversity: { weight: 0.01 }, 'right-likelihood': { weight: 0.1 } };
  const objective: Objective = { ...OBJECTIVE, clip: null, rules };
  it('is of right rollouts alone, as is their likelihood', () => {
    const at = Math.log(0.3);
    const [right, wrong, plain] = [
      tokenObjective(objective, tokens(at, true)),
      tokenObjective(objective, tokens(at, false)),
      tokenObjective({ ...OBJECTIVE, clip: null }, tokens(at, true)),
    ];
    expect(wrong).toEqual(plain);
    expect(right.loss).not.toBeCloseTo(wrong.loss, 4);
  });
  it('has the slope of its loss, by finite differences', () => {
    const step = 1 / 64;
    for (const at of [-0.5, -1.5, -3]) {
      const loss = (of: number): number => tokenObjective(objective, tokens(of, true)).loss;
      const slope = (loss(at + step) - loss(at - step)) / (2 * step);
      expect(-tokenObjective(objective, tokens(at, true)).coefficients[0]!).toBeCloseTo(slope, 4);
    }
  });
});

describe('FSPO', () => {
  it('turns the advantage of a step by its verdict', () => {
    expect([1, -1, 0].map((v) => turned(-1, v, 'paper'))).toEqual([1, -1, -1]);
    expect([1, -1].map((v) => turned(0.8, v, 'paper'))).toEqual([0.8, -0.8]);
  });
  const rollout = {
    segments: [
      { ...written('question', 'q', 1), source: 'prompt' as const, mask: 0 as const },
      written('think', 'a', 2),
      written('think', 'b', 1),
      written('answer', 'c', 2),
    ],
    rewards: [1, 2].map((segment) => ({
      clause: 'fact',
      value: segment === 1 ? 1 : -1,
      weight: 0.5,
      evidence: [{ segment, start: 0, end: 1 }],
    })),
  };
  const mask = [0, 1, 1, 1, 1, 1];
  it('leaves the answer its own advantage; as released a wrong answer is pushed up', () => {
    expect([...turnedByFacts({ rollout, mask }, -1, 'paper')]).toEqual([1, 1, -1, -1, -1]);
    expect([...turnedByFacts({ rollout, mask }, -1, 'as-released')]).toEqual([1, 1, -1, 1, 1]);
  });
});

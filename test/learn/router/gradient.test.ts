import { logProbability } from '../../agent/router/log-probability.ts';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RoutedCall } from '../../../src/agent/router/gradient.ts';
import type { RouterWeights } from '../../../src/agent/router/network.ts';
import { flatGradient } from '../../../src/learn/router/learner.ts';
import { adam, zeroMoments } from '../../../src/learn/router/learner.ts';
import { flatten, unflatten } from '../../../src/learn/router/learner.ts';

const SMALL: RouterWeights = {
  origin: 'test',
  bias: 0.5,
  linear: [1, -2],
  hiddenBias: [0.1, -0.3],
  hidden: [
    [0.3, -0.4],
    [0.7, 0.2],
  ],
  output: [2, -0.6],
};

const calls: RoutedCall[] = [
  { x: [1, 0.5], action: 'web', reward: 0.35 },
  { x: [0.2, -1], action: 'local', reward: 0.42 },
  { x: [-0.7, 0.3], action: 'web', reward: -0.5 },
];

/** −mean (R − b) log π, from the definition. */
function loss(weights: RouterWeights, baseline: number): number {
  const each = calls.map(
    ({ x, action, reward }) => -(reward - baseline) * logProbability(weights, x, action),
  );
  return each.reduce((a, b) => a + b, 0) / calls.length;
}

describe('the gradient with a baseline', () => {
  it('is that of the loss, for every parameter, by central differences', () => {
    const number = fc.double({ min: -1, max: 1, noNaN: true });
    fc.assert(
      fc.property(number, (baseline) => {
        const flat = flatten(SMALL);
        const gradient = flatGradient(SMALL, calls, baseline);
        const at = (i: number, by: number): number =>
          loss(
            unflatten(
              flat.map((v, j) => (i === j ? v + by : v)),
              SMALL,
              '',
            ),
            baseline,
          );
        expect(gradient).toHaveLength(flat.length);
        flat.forEach((_, i) =>
          expect(gradient[i]).toBeCloseTo((at(i, 1e-5) - at(i, -1e-5)) / 2e-5, 7),
        );
      }),
      { numRuns: 20 },
    );
  });
});

describe('parameters as a list', () => {
  it('come back in the shape they had', () => {
    expect(unflatten(flatten(SMALL), SMALL, 'test')).toEqual(SMALL);
    expect(() => unflatten([1, 2, 3], SMALL, '')).toThrow(/3 parameters/);
  });
});

describe('the optimizer', () => {
  it('Adam: the first step is the learning rate, a reversed gradient nearly stops it', () => {
    const one = adam([1, 2, 3], [0.4, -7, 0], zeroMoments(3), { step: 1, learningRate: 0.1 });
    expect(one.parameters[0]).toBeCloseTo(0.9, 7);
    expect(one.parameters[1]).toBeCloseTo(2.1, 7);
    expect(one.parameters[2]).toBe(3);
    // m = 0.9 · 0.1 g − 0.1 g = −0.01 g, over 1 − 0.9² = −g/19; v̂ = g²: a step back of 0.1/19
    const two = adam(one.parameters, [-0.4, 7, 0], one.moments, { step: 2, learningRate: 0.1 });
    expect(two.parameters[0]).toBeCloseTo(0.9 + 0.1 / 19, 6);
    expect(two.parameters[1]).toBeCloseTo(2.1 - 0.1 / 19, 6);
  });
});

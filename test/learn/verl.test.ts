import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { estimateAdvantages } from '../../src/learn/advantages.ts';
import { skippingGae } from '../../src/systems/ppo/critic.ts';
import {
  klTerm,
  sequenceWeights,
  tokenObjective,
  type Objective,
  type ObjectiveResult,
} from '../../src/learn/objective.ts';

/** Against `verl.py`, which runs the functions of verl 0.9.1 themselves in 64-bit floats. */

const numbers = z.array(z.number());
const table = z.array(numbers);
const form = z.enum(['k1', 'k2', 'k3']);
const advantages = {
  grpo: numbers,
  'dr-grpo': numbers,
  rloo: numbers,
  'reinforce++-baseline': numbers,
};
const fixture = z
  .object({
    clip: z.object({ low: z.number(), high: z.number() }),
    constantLength: z.number(),
    groups: table,
    lengths: numbers,
    advantages: z.object(advantages),
    alone: z.object({ reward: z.number(), ...advantages }),
    batch: z.object({ advantage: numbers, mask: table, old: table, logprob: table, ref: table }),
    losses: z.array(
      z.object({
        mode: z.enum(['token-mean', 'seq-mean-token-mean', 'seq-mean-token-sum-norm']),
        dualClip: z.number(),
        loss: z.number(),
        coefficients: table,
        clipShare: z.number(),
      }),
    ),
    klLosses: z.array(z.object({ form, loss: z.number(), coefficients: table })),
    klDifferences: numbers,
    klTerms: z.array(z.object({ form, values: numbers, slopes: numbers })),
    gae: z.object({
      gamma: z.number(),
      lambda: z.number(),
      rewards: table,
      values: table,
      mask: table,
      advantages: table,
    }),
  })
  .parse(JSON.parse(readFileSync(new URL('../fixtures/learn/verl.json', import.meta.url), 'utf8')));

/** Relative to the larger of 1 and the expected value. */
const expectClose = (actual: number, expected: number, tolerance: number): void =>
  expect(Math.abs(actual - expected) / Math.max(1, Math.abs(expected))).toBeLessThan(tolerance);

describe('advantages as verl has them', () => {
  const rewards = fixture.groups.flat();
  const groups = fixture.groups.flatMap((group, g) => group.map(() => g));
  const { lengths } = fixture;

  it.each(['grpo', 'dr-grpo', 'rloo'] as const)('%s', (estimator) => {
    const ours = estimateAdvantages(estimator, rewards, groups, lengths);
    expect(ours).toHaveLength(rewards.length);
    fixture.advantages[estimator].forEach((value, i) => expectClose(ours[i]!, value, 1e-12));
  });

  it('reinforce++-baseline, but for the deviation: unbiased over tokens there, biased here', () => {
    const ours = estimateAdvantages('reinforce++-baseline', rewards, groups, lengths);
    const tokens = lengths.reduce((sum, length) => sum + length, 0);
    const factor = Math.sqrt((tokens - 1) / tokens);
    fixture.advantages['reinforce++-baseline'].forEach((value, i) =>
      expectClose(ours[i]! * factor, value, 1e-7),
    );
  });

  it('but for a group of one: verl keeps its reward, here there is nothing to compare with', () => {
    const { reward, ...theirs } = fixture.alone;
    for (const estimator of ['grpo', 'dr-grpo', 'rloo'] as const) {
      expectClose(theirs[estimator][0]!, reward, 1e-5);
      expect(estimateAdvantages(estimator, [reward], [0], [3])[0]).toBe(0);
    }
  });

  it('GAE that steps over what the environment wrote', () => {
    const { gamma, lambda, mask } = fixture.gae;
    fixture.gae.advantages.forEach((row, s) => {
      const [rewardRow, valueRow] = [fixture.gae.rewards[s]!, fixture.gae.values[s]!];
      const ours = skippingGae(rewardRow, valueRow, mask[s]!, gamma, lambda);
      row.forEach((value, i) => expectClose(ours[i]!, mask[s]![i] === 1 ? value : 0, 1e-12));
    });
  });
});

const AGGREGATION = {
  'token-mean': 'token-mean',
  'seq-mean-token-mean': 'sequence-mean',
  'seq-mean-token-sum-norm': { constant: fixture.constantLength },
} as const;

const { batch } = fixture;
const trainedOf = (row: readonly number[], s: number): number[] =>
  row.filter((_value, i) => batch.mask[s]![i] === 1);

/** The whole batch, one result a sequence; `withKl` replaces the surrogate by a KL of coefficient 1. */
function ours(
  part: Partial<Pick<Objective, 'aggregation' | 'dualClip'>>,
  withKl: Objective['kl']['form'] | null = null,
): ObjectiveResult[] {
  const objective: Objective = {
    estimator: 'grpo',
    clip: fixture.clip,
    dualClip: null,
    aggregation: 'token-mean',
    kl: { form: withKl ?? 'k3', place: withKl ? 'loss' : 'off', coefficient: 1 },
    ...part,
  };
  const lengths = batch.mask.map((row) => row.reduce((sum, m) => sum + m, 0));
  const weights = sequenceWeights(objective.aggregation, lengths);
  return batch.advantage.map((advantage, s) =>
    tokenObjective(objective, {
      logprob: Float32Array.from(trainedOf(batch.logprob[s]!, s)),
      oldLogprob: Float32Array.from(trainedOf(batch.old[s]!, s)),
      refLogprob: withKl ? Float32Array.from(trainedOf(batch.ref[s]!, s)) : null,
      advantage: withKl ? 0 : advantage,
      weight: weights[s]!,
    }),
  );
}

const lossOf = (results: readonly ObjectiveResult[]): number =>
  results.reduce((sum, { loss }) => sum + loss, 0);

/** Coefficients are 32-bit floats here. */
function expectCoefficients(
  results: readonly ObjectiveResult[],
  expected: readonly (readonly number[])[],
): void {
  results.forEach(({ coefficients }, s) =>
    trainedOf([...expected[s]!], s).forEach((value, i) =>
      expectClose(coefficients[i]!, value, 1e-6),
    ),
  );
}

describe('losses and gradients as verl has them', () => {
  it.each(fixture.losses)('$mode, dual clip $dualClip', (row) => {
    const results = ours({ aggregation: AGGREGATION[row.mode], dualClip: row.dualClip });
    // verl adds 1e-8 to a sequence's count of tokens.
    expectClose(lossOf(results), row.loss, 1e-8);
    expectCoefficients(results, row.coefficients);
    const tokens = batch.mask.flat().reduce((sum, m) => sum + m, 0);
    const clipped = results.reduce((sum, result) => sum + result.clipped, 0);
    expectClose(clipped / tokens, row.clipShare, 1e-6);
  });

  it('the dual clip acts in this batch, and so does the clamp of the log ratio', () => {
    const [three, off] = fixture.losses;
    expect(three!.clipShare).toBeGreaterThan(off!.clipShare);
    // e^20 = 4.9e8 of the clamped ratio is in the loss; e^25 does not.
    expect(off!.loss).toBeGreaterThan(1e7);
    expect(off!.loss).toBeLessThan(1e9);
  });

  it.each(fixture.klLosses)('$form as a loss', (row) => {
    const results = ours({}, row.form);
    expectClose(lossOf(results), row.loss, 1e-10);
    expectCoefficients(results, row.coefficients);
  });
});

describe('KL terms as verl has them', () => {
  it.each(fixture.klTerms)('$form', ({ form: kind, values, slopes }) => {
    fixture.klDifferences.forEach((d, i) => {
      const { value, slope } = klTerm(kind, 0, d, 20);
      // verl also cuts k3 at 10, which leaves no slope from d = 2.6 on.
      const cut = kind === 'k3' && values[i] === 10;
      if (cut) expect(value).toBeGreaterThan(10);
      else {
        expectClose(value, values[i]!, 1e-12);
        expectClose(slope, slopes[i]!, 1e-12);
      }
    });
  });

  it('k3 stays finite and flat beyond the clamp, and the formula without one', () => {
    expect(klTerm('k3', -1000, 0, 20)).toEqual({ value: Math.exp(20) - 21, slope: 0 });
    expect(klTerm('k3', -25, 0).value).toBeCloseTo(Math.exp(25) - 26, 3);
    expect(klTerm('k3', 0, -25, 20)).toEqual({ value: Math.exp(-20) + 19, slope: 0 });
  });
});

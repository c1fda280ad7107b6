import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { estimateAdvantages } from '../../src/learn/advantages.ts';
import {
  sequenceWeights,
  tokenObjective,
  type Objective,
  type ObjectiveResult,
} from '../../src/learn/objective.ts';

/** Against `make-trl.py`, which restates TRL 1.16.0's formulas (it does not run TRL). */

const numbers = z.array(z.number());
const fixture = z
  .object({
    epsilon: z.number(),
    clip: z.object({ low: z.number(), high: z.number() }),
    maxLength: z.number(),
    groups: z.array(numbers),
    advantages: z.object({ group: numbers, none: numbers, rloo: numbers }),
    sequences: z.array(
      z.object({ advantage: z.number(), old: numbers, logprob: numbers, ref: numbers }),
    ),
    losses: z.array(
      z.object({
        type: z.enum(['dapo', 'grpo', 'dr_grpo']),
        beta: z.number(),
        delta: z.number().nullable(),
        loss: z.number(),
      }),
    ),
    kl: z.number(),
  })
  .parse(JSON.parse(readFileSync(new URL('../fixtures/learn/trl.json', import.meta.url), 'utf8')));

describe('advantages as TRL has them', () => {
  const rewards = fixture.groups.flat();
  const groups = fixture.groups.flatMap((group, g) => group.map(() => g));
  const lengths = rewards.map(() => 1);

  it.each([
    ['dr-grpo', 'none'],
    ['rloo', 'rloo'],
  ] as const)('%s', (estimator, theirs) => {
    const ours = estimateAdvantages(estimator, rewards, groups, lengths);
    fixture.advantages[theirs].forEach((value, i) => expect(ours[i]).toBeCloseTo(value, 12));
  });

  it('grpo, but for the constant beside the deviation: 1e-4 there, 1e-6 here', () => {
    const ours = estimateAdvantages('grpo', rewards, groups, lengths);
    const centred = fixture.advantages.none;
    fixture.advantages.group.forEach((value, i) => {
      if (value === 0) return expect(ours[i]).toBeCloseTo(0, 12);
      const std = centred[i]! / value - fixture.epsilon;
      expect(ours[i]).toBeCloseTo(centred[i]! / (std + 1e-6), 9);
    });
  });
});

const AGGREGATION = {
  dapo: 'token-mean',
  grpo: 'sequence-mean',
  dr_grpo: { constant: fixture.maxLength },
} as const;

/** The whole batch; `delta` bounds what a negative advantage pays, which is the dual clip's c. */
function ours({ type, beta, delta }: (typeof fixture.losses)[number]): ObjectiveResult[] {
  const objective: Objective = {
    estimator: 'grpo',
    clip: fixture.clip,
    dualClip: delta,
    aggregation: AGGREGATION[type],
    kl: { form: 'k3', place: 'loss', coefficient: beta },
  };
  const lengths = fixture.sequences.map((s) => s.old.length);
  const weights = sequenceWeights(objective.aggregation, lengths);
  return fixture.sequences.map((s, i) =>
    tokenObjective(objective, {
      logprob: Float32Array.from(s.logprob),
      oldLogprob: Float32Array.from(s.old),
      refLogprob: Float32Array.from(s.ref),
      advantage: s.advantage,
      weight: weights[i]!,
    }),
  );
}

describe('losses as TRL has them', () => {
  it.each(fixture.losses)('$type, beta $beta, delta $delta', (row) => {
    const loss = ours(row).reduce((sum, result) => sum + result.loss, 0);
    expect(loss).toBeCloseTo(row.loss, 10);
  });

  it('k3 over all tokens', () => {
    const kl = ours(fixture.losses[0]!).reduce((sum, result) => sum + result.kl, 0);
    expect(kl).toBeCloseTo(fixture.kl, 10);
  });

  it('the batch has clipped tokens on both sides, so that the comparison means something', () => {
    const clipped = ours(fixture.losses[0]!).map((result) => result.clipped);
    expect(clipped[3]).toBeGreaterThan(0);
    expect(clipped[0]! + clipped[5]!).toBeGreaterThan(0);
  });
});

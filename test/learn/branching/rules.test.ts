import { describe, expect, it } from 'vitest';
import type { Rollout } from '../../../src/records/rollout.ts';
import {
  keptClones,
  mixtureLogprobs,
  nextRate,
  probeDensity,
} from '../../../src/systems/rex-rag/probes.ts';
import { probeRatio } from '../../../src/systems/rex-rag/grouping.ts';
import { PolicyLearner } from '../../../src/learn/replicas/learner.ts';
import { sequencesOf } from '../../../src/learn/rl/batch.ts';
import { emptyRollout, policySegment, readSegment } from '../../fixtures/rollouts.ts';
import { Even } from '../rl/scripted-run.ts';

describe("REX-RAG's correction", () => {
  // z = 0.8, four tokens before the probe, α = 1/6.
  const at = { alpha: 1 / 6, wrong: 0.8 };
  const mixed = (
    old: readonly number[],
    probe: { at: number; density: readonly number[] } | null,
  ): number[] =>
    [...mixtureLogprobs({ oldLogprobs: Float32Array.from(old, Math.log), probe }, at)].map(
      Math.exp,
    );

  it('gives a prefix token of 0.3 a density of 0.3029, so a ratio of 0.9905', () => {
    const [first] = mixed([0.3, 0.3, 0.3, 0.3, 0.05, 0.2, 0.4], { at: 4, density: [1, 0.5] });
    expect(first).toBeCloseTo(0.3029, 4);
    expect(0.3 / (first ?? 0)).toBeCloseTo(0.9905, 4);
  });

  it('gives the tokens of a probe 0.2083 and 0.25, and leaves those behind it', () => {
    const all = mixed([0.3, 0.3, 0.3, 0.3, 0.05, 0.2, 0.4], { at: 4, density: [1, 0.5] });
    expect(all[4]).toBeCloseTo(0.2083, 4);
    expect(0.05 / (all[4] ?? 0)).toBeCloseTo(0.24, 4);
    expect(all[5]).toBeCloseTo(0.25, 6);
    expect(all[6]).toBeCloseTo(0.4, 6);
  });

  it('gives every token of an original a ratio of 1.2', () => {
    for (const p of [0.9, 0.05]) expect(p / (mixed([p], null)[0] ?? 0)).toBeCloseTo(1.2, 5);
  });

  it('is told from the probe’s tokens alone, by π behind the update over what the loss takes', async () => {
    // Read, written, and a probe of two tokens that the policy continues behind; the learner gives each token −1.
    const clone: Rollout = {
      ...emptyRollout('clone'),
      segments: [readSegment([50]), policySegment([1]), policySegment([2, 3]), policySegment([4])],
      forks: [
        {
          rolloutId: 'of',
          event: 1,
          tokens: 2,
          seed: 1,
          settings: {},
          changes: { opening: 'look again .' },
        },
      ],
    };
    const learner = new PolicyLearner([new Even()]);
    const [own] = sequencesOf([[clone]]);
    const sequence = { ...own!, behaviour: Float32Array.of(-9, -2, -1, -9) };
    const ratio = (sequences: Parameters<typeof probeRatio>[1]) =>
      probeRatio(learner, sequences, new Float32Array(1));
    expect(await ratio([sequence])).toBeCloseTo((Math.E + 1) / 2, 5);
    expect(await ratio(sequencesOf([[{ ...emptyRollout('a'), segments: clone.segments }]]))).toBe(
      null,
    );
  });

  it('counts what probes with the same beginning go on with', () => {
    const probes = [
      [1, 2, 3],
      [1, 2, 4],
      [1, 5, 3],
      [1, 2, 3],
    ];
    expect(probeDensity([1, 2, 3], probes)).toEqual([1, 3 / 4, 2 / 3]);
  });
});

it('keeps 5, 5 and 7 of the clones of 64 rollouts as they are right in 0.2 and 0.3', () => {
  const shares = (right: number): number[] =>
    Array.from({ length: 10 }, (_, i) => Number(i < right));
  let rate = 0.08;
  expect(keptClones(64, rate)).toBe(5);
  rate = nextRate(rate, 0.1, shares(2));
  expect(rate).toBeCloseTo(0.092, 12);
  expect(keptClones(64, rate)).toBe(5);
  rate = nextRate(rate, 0.1, shares(3));
  expect(rate).toBeCloseTo(0.1128, 12);
  expect(keptClones(64, rate)).toBe(7);
  expect(nextRate(rate, 0.1, [])).toBe(rate);
});

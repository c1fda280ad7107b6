import { describe, expect, it } from 'vitest';
import type { Rollout } from '../../../src/records/rollout.ts';
import {
  branchChance,
  branches,
  firstWritten,
  openingOf,
  riseAt,
  summedEntropy,
  turnsOf,
} from '../../../src/learn/branching/entropy.ts';
import {
  keptClones,
  mixtureLogprobs,
  nextRate,
  probeDensity,
} from '../../../src/learn/branching/revive.ts';
import { probeRatio } from '../../../src/learn/branching/step.ts';
import { PolicyLearner } from '../../../src/learn/replicas/learner.ts';
import { sequencesOf } from '../../../src/learn/rl/batch.ts';
import { emptyRollout, policySegment, readSegment } from '../../fixtures/rollouts.ts';
import { Even } from '../rl/scripted-run.ts';

describe("ARPO's rule", () => {
  const rule = { base: 0.5, slope: 0.2, when: 'drawn' } as const;

  it('branches with P = clamp(0.5 + 0.2 ΔH, 0, 1)', () => {
    expect(branchChance(0.15, rule)).toBeCloseTo(0.53, 12);
    expect(branchChance(-2.5, rule)).toBe(0);
    expect(branchChance(-9, rule)).toBe(0);
    expect(branchChance(9, rule)).toBe(1);
  });

  it('draws as the code does: u = 0.54 does not branch at ΔH = 0.15, u = 0.52 does', () => {
    expect(branches(0.15, 0.54, rule)).toBe(false);
    expect(branches(0.15, 0.52, rule)).toBe(true);
    expect(branches(-2.6, 0, rule)).toBe(false);
  });

  it('with a threshold asks nobody: P > τ', () => {
    expect(branches(0.15, 0.99, { ...rule, when: 0.5 })).toBe(true);
    expect(branches(0, 0, { ...rule, when: 0.5 })).toBe(false);
  });

  it('sums the first entropies over ln |V|', () => {
    expect(summedEntropy([Math.log(4), Math.log(2), 7], 2, 8)).toBeCloseTo(1, 12);
  });
});

describe('ARPO as released', () => {
  const segment = (source: 'policy' | 'environment', entropies: number[]) => ({
    source,
    role: source === 'policy' ? 'think' : 'result',
    text: '',
    ids: entropies,
    mask: source === 'policy' ? 1 : 0,
    entropies,
  });
  const found = (at: number) => ({ t: 0, kind: 'retrieve', segment: at });
  const goesOn = { t: 0, kind: 'think' };
  // Written: 1 | result | 2, 2 | result | 5.
  const rollout = {
    segments: [
      segment('policy', [1]),
      segment('environment', [9]),
      segment('policy', [2, 2]),
      segment('environment', [9]),
      segment('policy', [5]),
    ],
    events: [found(1), goesOn, found(3), goesOn],
  } as unknown as Rollout;
  const turns = turnsOf(rollout);
  const sum = (values: readonly number[]): number => summedEntropy(values, 20, Math.E);
  const known = { turns, opening: openingOf(rollout) };
  const rises = (first?: number): number[] =>
    [0, 1].map((at) => riseAt({ ...known, at }, first, sum));

  it('takes what stands before the result, so that the first branch is a fair coin', () => {
    expect(turns.map(({ before, entropies }) => [before, entropies])).toEqual([
      [[1], [2, 2, 5]],
      [[2, 2], [5]],
    ]);
    expect(rises(sum(firstWritten(known, 0)))).toEqual([0, 3]);
    expect(branchChance(0, { base: 0.5, slope: 0.2 })).toBe(0.5);
    // After the result: 9 and 5, less the 10 of the whole.
    expect(rises()).toEqual([-1, -5]);
  });

  it('of a branch is told from its own first segment: its first own result is a fair coin, too', () => {
    // Branched off after the first result, so that 2, 2 is the first that it wrote; its opening is another's.
    expect(rises(sum(firstWritten(known, 1)))[1]).toBe(0);
  });

  it('with its table kept over batches, is no coin for the next question in the same place', () => {
    const begun = segment('policy', [4]) as Rollout['segments'][number];
    const other = { ...rollout, segments: [begun, ...rollout.segments.slice(1)] };
    const of = { turns: turnsOf(other), opening: openingOf(other) };
    // The first batch writes 1 there; the next one’s 4 is distinguished from it.
    const kept = sum(firstWritten(known, 0));
    expect([kept, sum(firstWritten(of, 0))]).toEqual([1, 4]);
    const rise = riseAt({ ...of, at: 0 }, kept, sum);
    expect(rise).toBe(3);
    expect(branchChance(rise, { base: 0.5, slope: 0.2 })).toBe(1);
    expect(riseAt({ ...of, at: 0 }, sum(firstWritten(of, 0)), sum)).toBe(0);
  });

  it('has in the place of a branch what it wrote itself, up to its next result', () => {
    expect(firstWritten({ turns, opening: openingOf(rollout) }, 1)).toEqual([2, 2]);
    // None of its own after the last: all that it wrote.
    expect(firstWritten({ turns, opening: openingOf(rollout) }, 2)).toEqual([5]);
    expect(firstWritten({ turns: [], opening: [1, 2] }, 0)).toEqual([1, 2]);
  });
});

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

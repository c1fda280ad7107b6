import { describe, expect, it } from 'vitest';
import type { HeldOutScore, TrainStep } from '../../../../src/records/training.ts';
import {
  heldOut,
  line,
  namesOf,
  spec,
  withRollouts,
} from '../../../../src/ui/train/charts/chart-parts.ts';
import { stie } from '../../../../src/ui/train/charts/chart-specs.ts';
import type { StieCounts } from '../../../../src/records/stie.ts';
import { trainStep } from '../../../fixtures/train-steps.ts';

const steps = (count: number, change: (step: number) => Partial<TrainStep> = () => ({})) =>
  Array.from({ length: count }, (_, i): TrainStep => ({ ...trainStep(i + 1), ...change(i + 1) }));

const score = (em: number): HeldOutScore => ({
  n: 64,
  em,
  f1: em,
  recall: 1,
  searches: 2,
  formatValid: 1,
});

describe('a measure of a run as a line', () => {
  it('has a point a step, at the step', () => {
    const { points, sparse } = line(steps(3), 'reward', 0, ({ reward }) => reward.mean);
    expect(points).toEqual([
      { x: 1, y: 0.501 },
      { x: 2, y: 0.502 },
      { x: 3, y: 0.503 },
    ]);
    expect(sparse).toBeUndefined();
  });

  it('has none where nothing was measured, or what was is no number', () => {
    const values = [null, 0, undefined, NaN, Infinity, -1];
    const { points } = line(steps(6), 'kl', 0, ({ step }) => values[step - 1]);
    expect(points).toEqual([
      { x: 2, y: 0 },
      { x: 6, y: -1 },
    ]);
    expect(line(steps(2), 'kl', 0, () => null).points).toEqual([]);
  });

  it('marks its points where it is measured at every second step or less often', () => {
    const every = (n: number) =>
      line(steps(12), 'x', 0, ({ step }) => (step % n === 0 ? step : null)).sparse ?? false;
    expect([1, 2, 3].map(every)).toEqual([false, true, true]);
    expect(line(steps(4), 'x', 0, () => null).sparse).toBeUndefined();
  });

  it('of held-out questions begins before the first step', () => {
    const run = steps(20, (step) => (step === 1 ? { heldOutAtStart: score(0.25) } : {}));
    const { points, sparse } = heldOut(run, 'EM', 2, ({ em }) => em);
    expect(points).toEqual([
      { x: 0, y: 0.25 },
      { x: 10, y: 0.5 },
      { x: 20, y: 0.5 },
    ]);
    expect(sparse).toBe(true);
    expect(heldOut(run, 'judge', 2, ({ judge }) => judge?.right).points).toEqual([]);
  });

  it('of what rollouts say leaves out steps that made none', () => {
    const run = steps(3, (step) => (step === 2 ? { rollouts: 0 } : {}));
    expect(withRollouts(run).map(({ step }) => step)).toEqual([1, 3]);
  });

  it('there is one for each name that any step has, in the order in which they came', () => {
    const drawn: Record<string, number>[] = [{ uniform: 8 }, { hard: 4, uniform: 4 }, { easy: 8 }];
    const run = steps(3, (step) => ({
      drawn: drawn[step - 1] ?? {},
    }));
    expect(namesOf(run, ({ drawn }) => drawn)).toEqual(['uniform', 'hard', 'easy']);
    expect(namesOf(run, () => null)).toEqual([]);
  });
});

describe('a chart', () => {
  const full = line(steps(2), 'full', 0, () => 1);
  const bare = line(steps(2), 'bare', 1, () => null);

  it('has the lines that have points, and says when there will be some', () => {
    const chart = spec('a', 'A', 'note', 'share', [full, bare]);
    expect(chart.series.map(({ name }) => name)).toEqual(['full']);
    expect(chart).toMatchObject({ kind: 'lines', empty: 'Shows after the first step.' });
    expect(chart.log).toBeUndefined();
  });

  it('without any is kept, with the reason that it was given', () => {
    const chart = spec('a', 'A', 'note', 'share', [bare], { empty: 'Never: no KL.', log: true });
    expect(chart).toMatchObject({ series: [], empty: 'Never: no KL.', log: true });
  });
});

describe('the chart of STIE', () => {
  const counts = (rest: Partial<StieCounts>): StieCounts => ({
    answers: 9,
    answerLag1: 0,
    answerLag2: 0,
    answerLag3: 0,
    exempt: 0,
    replaced: 0,
    keptInvalid: 0,
    noneLeft: 0,
    joinedBlocked: 0,
    removedBlocked: 0,
    finalReplaced: 0,
    queries: 9,
    queryLag1: 0,
    queryLag2: 0,
    queryLag3: 0,
    queriesExempt: 0,
    queriesRefused: 0,
    stopOverlapAbove: 0,
    stopOverlapBelow: 0,
    stopConfidence: 0,
    stopNewInformation: 0,
    stopRepeatedQueries: 0,
    ...rest,
  });
  const values = (rest: Partial<StieCounts>): Record<string, number | undefined> => {
    const [chart] = stie(steps(1, () => ({ stie: counts(rest) })));
    return Object.fromEntries(
      (chart?.series ?? []).map(({ name, points }) => [name, points[0]?.y]),
    );
  };

  it('is absent where STIE judged nothing', () => {
    expect(stie(steps(3))).toEqual([]);
    expect(stie([])).toEqual([]);
  });

  it('adds up the stop rules and what became of repeats, each answer once, and keeps the others apart', () => {
    expect(
      values({
        answerLag1: 1,
        answerLag2: 2,
        answerLag3: 4,
        exempt: 3,
        replaced: 5,
        joinedBlocked: 6,
        queriesRefused: 7,
        stopOverlapAbove: 1,
        stopOverlapBelow: 10,
        stopConfidence: 100,
        stopNewInformation: 1000,
        stopRepeatedQueries: 10_000,
      }),
    ).toEqual({
      // Answers, not lags: one that is like several earlier ones is one.
      'too like an earlier one (9)': 8,
      'kept, as passages support it': 3,
      'replaced (10)–(11)': 5,
      'blocked (12)': 6,
      'queries refused': 7,
      stops: 11_111,
    });
  });

  it('draws a clause that never fired at 0, with colours of its own', () => {
    expect(new Set(Object.values(values({})))).toEqual(new Set([0]));
    const run = steps(3, (step) => (step === 2 ? {} : { stie: counts({}) }));
    const [chart] = stie(run);
    expect(new Set(chart?.series.map(({ colour }) => colour)).size).toBe(6);
    expect(chart?.series[0]?.points.map(({ x }) => x)).toEqual([1, 3]);
    expect(chart?.include).toEqual([0]);
  });
});

import { describe, expect, it } from 'vitest';
import { rateChanges } from '../../src/evaluate/rate-changes.ts';
import { learningRateAt } from '../../src/learn/schedule.ts';
import { getTraining } from '../../src/systems/index.ts';

const run = (
  schedule: 'constant' | 'cosine',
  warmUpSteps: number,
  rateOf: (step: number) => number,
) => {
  const { optimizer } = getTraining('search/grpo');
  const settings = {
    optimizer: { ...optimizer, learningRate: 1e-3, schedule, warmUpSteps },
    steps: 12,
  };
  const steps = Array.from({ length: 12 }, (_, i) => {
    const base = { ...settings.optimizer, learningRate: rateOf(i + 1) };
    return { step: i + 1, learningRate: learningRateAt(base, i + 1, 12) };
  });
  return rateChanges(settings, steps);
};

describe.each(['constant', 'cosine'] as const)('a %s rate', (schedule) => {
  it.each([0, 5])(
    'that follows its schedule was not changed, with %i steps of warm-up',
    (warmUp) => {
      expect(run(schedule, warmUp, () => 1e-3)).toEqual([]);
    },
  );

  it('is changed where another rate was set, and back', () => {
    expect(run(schedule, 4, (step) => (step < 3 || step > 7 ? 1e-3 : 0.02))).toEqual([
      { step: 3, from: 1e-3, to: 0.02 },
      { step: 8, from: 0.02, to: 1e-3 },
    ]);
  });
});

it('steps that do not say their rate say nothing of a change', () => {
  const settings = getTraining('search/grpo');
  expect(rateChanges(settings, [{ step: 1, learningRate: null }])).toEqual([]);
});

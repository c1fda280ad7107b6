import { describe, expect, it } from 'vitest';
import { equalTeachNothing } from '../../../../src/learn/settings/idle.ts';
import { getTraining } from '../../../../src/systems/index.ts';
import type { TrainStep } from '../../../../src/records/training.ts';
import { chartsOf } from '../../../../src/ui/train/charts/chart-specs.ts';
import type { ChartedRun } from '../../../../src/ui/train/charts/chart-parts.ts';
import { trainStep } from '../../../fixtures/train-steps.ts';

describe('the charts of a run', () => {
  it('promises no figure that none of the steps has, and names the trainer that made them', () => {
    const steps = [
      { ...trainStep(1), tokensPerSecond: null, drawn: {}, samplerGap: { max: null, mean: null } },
    ];
    const run = { status: 'finished', importedStep: 1, tags: ['TRL'] } as const;
    const empties = (at: TrainStep[], of?: ChartedRun) => {
      const all = chartsOf(at, getTraining('kunlun-baize/dapo'), of).flatMap((one) => one.charts);
      return ['rate-tokens', 'drawn', 'gap'].map((id) => all.find((one) => one.id === id)?.empty);
    };
    const said = 'The steps of this run do not report it';
    expect(empties(steps)).toEqual(Array(3).fill(`${said}.`));
    expect(empties(steps, { ...run, tags: ['TRL'] })).toEqual(
      Array(3).fill(`${said}: TRL made them.`),
    );
    expect(empties([])).toEqual(Array(3).fill('Shows after the first step.'));
    expect(empties([{ ...trainStep(1), samplerGap: { max: 0, mean: 0 } }])[2]).toBe(
      'The gap is 0 in every step.',
    );
  });

  it('says "no learning signal" of equal rewards only under the mean of their group', () => {
    const note = (training: string) =>
      chartsOf([trainStep(1)], getTraining(training))
        .flatMap((one) => one.charts)
        .find(({ id }) => id === 'zero')?.note;
    expect(note('search-r1/grpo')).toContain('no learning signal');
    expect(note('search-r1/ppo')).not.toContain('signal');
    expect(note('r1-searcher/reinforce++')).not.toContain('signal');
  });

  it('no other stage is said to teach nothing by equal rewards', () => {
    expect(equalTeachNothing(getTraining('search-r1/grpo'), 0)).toBe(true);
    for (const training of ['search-r1/ppo', 'ur2/paper', 'corag/sft'])
      expect(equalTeachNothing(getTraining(training), 0)).toBe(false);
  });
});

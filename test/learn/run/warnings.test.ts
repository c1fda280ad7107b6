import { describe, expect, it } from 'vitest';
import { warningsOf } from '../../../src/learn/run/warnings.ts';
import { withChanges } from '../../../src/learn/settings/edit-settings.ts';
import { getTraining, TRAININGS } from '../../../src/systems/index.ts';

/** What the form of the page and the command line say of settings that are allowed and hardly meant. */

const NO_SIGNAL = 'With one rollout per question there is no comparison and no learning signal.';

const warned = (id: string, ...changes: string[]): string[] =>
  warningsOf(withChanges(getTraining(id), changes));

describe('warnings of settings', () => {
  it('no training is warned of as it is published', () => {
    for (const { id } of TRAININGS) expect([id, warned(id)]).toEqual([id, []]);
  });

  it('one rollout a question has nothing to be compared with, but by a critic', () => {
    expect(warned('search/grpo', 'groupSize=1')).toEqual([NO_SIGNAL]);
    expect(warned('search/grpo', 'groupSize=2')).toEqual([]);
    const ppo = TRAININGS.find(
      ({ id }) => typeof getTraining(id).objective.estimator !== 'string',
    )!;
    expect(warned(ppo.id, 'groupSize=1')).toEqual([]);
  });

  it('a range of right answers leaves nothing out of one batch, unless what was screened alone is left out too', () => {
    const band = ['dynamicSampling.by={"above":0.2,"below":0.8}'];
    expect(warned('search/grpo', ...band)).toEqual([
      'With one batch per step nothing is left out: groups of any share of right answers fill the step. Allow more batches.',
    ]);
    expect(warned('search/grpo', ...band, 'dynamicSampling.maxBatches=2')).toEqual([]);
    expect(
      warned('search/grpo', ...band, 'dynamicSampling.system={"id":"speed-rl","screen":2}'),
    ).toEqual([]);
  });

  it('held-out questions are scored at the end alone where the run is shorter', () => {
    const words =
      'This run is shorter than the scoring interval: the held-out questions are scored only at the start and the end.';
    expect(warned('search/grpo', 'steps=5', 'heldOut.every=6')).toEqual([words]);
    expect(warned('search/grpo', 'steps=5', 'heldOut.every=5')).toEqual([]);
    expect(warned('search/grpo', 'steps=5', 'heldOut.every=6', 'heldOut.questions=0')).toEqual([]);
  });

  it('stages that no step is left for are counted, their steps written as the page does', () => {
    const stages =
      '[{"steps":1200,"reward":"em","weights":{}},{"steps":1,"reward":"f1","weights":{}}]';
    expect(warned('search/grpo', `stages=${stages}`, 'steps=1200')).toEqual([
      'Stage 2 never starts: the run ends after 1,200 steps.',
    ]);
  });
});

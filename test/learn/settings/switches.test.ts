import { describe, expect, it } from 'vitest';
import { untrainable } from '../../../src/learn/rl/trainable.ts';
import { withChanges } from '../../../src/learn/settings/edit-settings.ts';
import { getTraining } from '../../../src/systems/index.ts';

const base = getTraining('search/grpo');
const ON = 'dynamicSampling.on=true';
const SCREEN = 'dynamicSampling.screen=4';
const AHEAD = 'dynamicSampling.sameStepScreen';
const TREE = 'branching={"kind":"tree","children":2,"depth":2}';

describe('switches of training', () => {
  it.each([
    [
      [
        'critic={"gamma":1,"lambda":1,"learningRate":0.01,"updates":1,"valueClip":0.5,"environment":"skip"}',
      ],
    ],
    [[ON, 'dynamicSampling.band={"low":0.2,"high":0.8}']],
    [[ON, SCREEN]],
    [[ON, SCREEN, `${AHEAD}=false`]],
    [['curriculum.kind=simulated', 'curriculum.simulator=by-place']],
    [['objective.mask=first-calls']],
    [['curriculum.kind=one-shot', 'curriculum.count=2', 'curriculum.pool=48']],
    [['curriculum.kind=one-shot', 'curriculum.ids=["q1"]']],
    [['curriculum.kind=weakness', 'curriculum.probeSteps=20']],
    [['curriculum.kind=engine', 'curriculum.engine=noisy']],
    [['curriculum.hops={"min":2,"max":3}']],
    [['updates=2', 'objective.surrogate=gppo', 'objective.positiveNll=0.1']],
    [['objective.diversity=0.01']],
    [['stages.0.reward=fspo', 'objective.factuality=paper']],
    [['stages.0.reward=posterior']],
    [['verifier={"kind":"substring","threshold":0.5,"falseNegative":0,"falsePositive":0.1}']],
  ])('are set from the command line: %j', (changes) => {
    const settings = withChanges(base, changes);
    expect(settings).not.toEqual(base);
    expect(untrainable(settings)).toBeNull();
  });

  it.each([
    [
      'stages.0.loss',
      ['overrides.loop=program', 'overrides.system={"id":"rag-gym","n":4,"by":"passages"}'],
    ],
    [
      'stages.0.loss',
      [
        'overrides.loop=program',
        'overrides.system={"id":"corag","length":3,"decode":{"kind":"best-of","n":4}}',
      ],
    ],
    [
      'warmUp',
      [
        'stages=[{"steps":1,"reward":"em","weights":{},"loss":{"kind":"stored-sft","batch":4}}]',
        'warmUp={"updates":1,"batch":1,"learningRate":0.001,"onlyCorrect":true}',
      ],
    ],
    ['dynamicSampling.band', ['dynamicSampling.band={"low":0.2,"high":0.8}']],
    ['dynamicSampling.band', [ON, 'dynamicSampling.band={"low":0.8,"high":0.2}']],
    ['dynamicSampling.screen', ['dynamicSampling.screen=4']],
    ['dynamicSampling.screen', [ON, 'dynamicSampling.screen=8']],
    ['dynamicSampling.screen', [ON, SCREEN, 'branching={"kind":"tree","children":2,"depth":3}']],
    [AHEAD, [ON, `${AHEAD}=false`]],
    [AHEAD, [ON, SCREEN, `${AHEAD}=false`, TREE]],
    [AHEAD, [ON, SCREEN, `${AHEAD}=false`, 'router.train=alone']],
    ['curriculum.simulator', ['curriculum.simulator=by-place']],
    ['objective.surrogate', ['objective.surrogate=gppo']],
    ['objective.surrogate', ['updates=2', 'objective.clip=null', 'objective.surrogate=gppo']],
    ['objective.factuality', ['objective.factuality=paper']],
    ['curriculum.hops', ['curriculum.hops={"min":3,"max":2}']],
    ['curriculum.probeSteps', ['curriculum.kind=weakness', 'curriculum.probeSteps=100']],
  ])('that do nothing, or cannot be, are refused at %s: %j', (path, changes) => {
    expect(untrainable(withChanges(base, changes))?.path).toBe(path);
  });

  it('refuse to choose one question by a spread that nothing shows', () => {
    // 12 steps of 8 questions are 96 draws: each of 48 twice.
    const chosen = (pool: number, done?: number) =>
      untrainable(
        withChanges(base, ['curriculum.kind=one-shot', `curriculum.pool=${pool}`]),
        done === undefined ? {} : { done },
      );
    expect(chosen(48)).toBeNull();
    expect(chosen(49)?.path).toBe('curriculum.pool');
    expect(chosen(49)?.message).toContain('Set curriculum.pool to 48 or less');
    // A run that has chosen continues.
    expect(chosen(49, 20)).toBeNull();
    const one = withChanges(base, [
      'curriculum.kind=one-shot',
      'questions=1',
      'curriculum.probeSteps=1',
    ]);
    expect(untrainable(one)?.message).toContain('Raise curriculum.probeSteps');
  });
});

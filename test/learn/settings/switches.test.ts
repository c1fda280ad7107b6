import { describe, expect, it } from 'vitest';
import { untrainable } from '../../../src/learn/rl/trainable.ts';
import { withChanges } from '../../../src/learn/settings/edit-settings.ts';
import { getTraining } from '../../../src/systems/index.ts';

const base = getTraining('search/grpo');
const ONE_SHOT = 'curriculum.system.id=one-shot-rlvr';
const SWS = 'curriculum.system.id=sws';
const SAMPLING = 'dynamicSampling.system';
const SCREEN = `${SAMPLING}={"id":"speed-rl","screen":4}`;
const AHEAD = `${SAMPLING}.withinStep=false`;
const TREE = 'branching={"id":"tree-rpo","children":2,"depth":2}';

it('questions of a recipe whose system draws them may be drawn otherwise', () => {
  const settings = withChanges(getTraining('zero-search/grpo'), ['curriculum.system=null']);
  expect(untrainable(settings)).toBeNull();
});

it('a curriculum that is named alone has its defaults', () => {
  const { curriculum } = withChanges(base, ['curriculum.system={"id":"kunlun-baize"}']);
  expect(curriculum.system).toEqual(getTraining('kunlun-baize/whole').curriculum.system);
});

describe('switches of training', () => {
  it.each([
    [['objective.estimator={"id":"ppo"}']],
    [['dynamicSampling.by={"above":0.2,"below":0.8}']],
    [[SCREEN]],
    [[SCREEN, AHEAD]],
    [['curriculum.system={"id":"zero-search","simulator":"by-place"}']],
    [['objective.rules.result-mask.by=first-calls']],
    [[ONE_SHOT, 'curriculum.system.count=2', 'curriculum.system.pool=48']],
    [[ONE_SHOT, 'curriculum.system.ids=["q1"]']],
    [[SWS, 'curriculum.system.probeSteps=20']],
    [['curriculum.system={"id":"empirical","engine":"noisy"}']],
    [['curriculum.system={"id":"simple-rl-zoo","min":2,"max":3}']],
    [['updates=2', 'objective.rules.gppo={}', 'objective.rules.right-likelihood.weight=0.1']],
    [['objective.rules.diversity.weight=0.01']],
    [['objective.rules.worse-only={}']],
    [['stages.0.reward=fspo', 'objective.rules.fspo.form=paper']],
    [['stages.0.reward=posterior']],
    [['verifier={"id":"verifier-pitfalls","kind":"substring","falsePositive":0.1}']],
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
        'warmUp={"length":{"updates":1},"batch":1,"learningRate":0.001,"onlyCorrect":true}',
      ],
    ],
    ['dynamicSampling.by', ['dynamicSampling.by={"above":0.8,"below":0.2}']],
    [SAMPLING, [`${SAMPLING}={"id":"speed-rl","screen":8}`]],
    [SAMPLING, [SCREEN, 'branching={"id":"tree-rpo","children":2,"depth":3}']],
    [SAMPLING, [SCREEN, AHEAD, TREE]],
    [SAMPLING, [SCREEN, AHEAD, 'router.train=alone']],
    ['curriculum.system', [ONE_SHOT]],
    ['objective.rules.gppo', ['objective.rules.gppo={}']],
    ['objective.rules.gppo', ['updates=2', 'objective.clip=null', 'objective.rules.gppo={}']],
    ['objective.rules.fspo', ['objective.rules.fspo.form=paper']],
    ['curriculum.system', ['curriculum.system={"id":"simple-rl-zoo","min":3,"max":2}']],
    ['curriculum.system', [SWS, 'curriculum.system.probeSteps=100']],
  ])('that do nothing, or cannot be, are refused at %s: %j', (path, changes) => {
    expect(untrainable(withChanges(base, changes))?.path).toBe(path);
  });

  it('refuse to choose one question by a spread that nothing shows', () => {
    // 12 steps of 8 questions are 96 draws: each of 48 twice.
    const chosen = (pool: number, done?: number) =>
      untrainable(
        withChanges(base, [ONE_SHOT, `curriculum.system.pool=${pool}`]),
        done === undefined ? {} : { done },
      );
    expect(chosen(48)).toBeNull();
    expect(chosen(49)?.path).toBe('curriculum.system');
    expect(chosen(49)?.message).toContain('Set curriculum.system.pool to 48 or less');
    // A run that has chosen continues.
    expect(chosen(49, 20)).toBeNull();
    const one = withChanges(base, [ONE_SHOT, 'questions=1', 'curriculum.system.probeSteps=1']);
    expect(untrainable(one)?.message).toContain('Raise curriculum.system.probeSteps');
  });
});

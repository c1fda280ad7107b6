import { describe, expect, it } from 'vitest';
import { withChanges } from '../../../src/learn/settings/edit-settings.ts';
import { idleBecause } from '../../../src/learn/settings/idle.ts';
import { getTraining } from '../../../src/systems/index.ts';

/** Why a setting does nothing in a training with changes; null where it may do something. */
const why = (training: string, path: string, ...changes: string[]): string | null =>
  idleBecause(withChanges(getTraining(training), changes), path);

describe('a setting that does nothing beside the others', () => {
  it.each<[path: string, training: string, off: string[], on: string[], words: RegExp]>([
    [
      'objective.kl.coefficient',
      'search/grpo',
      ['objective.kl.place=off'],
      ['objective.kl.place=loss'],
      /KL penalty is off/,
    ],
    [
      'objective.kl.form',
      'search/grpo',
      ['objective.kl.place=off'],
      ['objective.kl.place=reward'],
      /KL penalty is off/,
    ],
    [
      'dynamicSampling.maxBatches',
      'kunlun-baize/dapo',
      ['router.train=alone'],
      ['router.train=beside'],
      /learns from every sampled group/,
    ],
    [
      'router.learningRate',
      'search/grpo',
      ['router.train=off'],
      ['router.train=beside'],
      /router is not trained/,
    ],
    [
      'objective.clip.low',
      'kunlun-baize/dapo',
      ['router.train=alone'],
      ['router.train=beside'],
      /only the router is trained/,
    ],
    [
      'stages.0.steps',
      'search/grpo',
      [],
      ['stages=[{"steps":1,"reward":"em","weights":{}},{"steps":1,"reward":"f1","weights":{}}]'],
      /last stage takes all remaining steps/,
    ],
    [
      'stages.1.reward',
      'search/grpo',
      [
        'steps=3',
        'stages=[{"steps":3,"reward":"em","weights":{}},{"steps":1,"reward":"f1","weights":{}}]',
      ],
      [
        'steps=4',
        'stages=[{"steps":3,"reward":"em","weights":{}},{"steps":1,"reward":"f1","weights":{}}]',
      ],
      /stage 2 never starts/,
    ],
    ['objective.estimator', 'corag/sft', [], ['stages.0={"steps":1,"reward":"em"}'], /supervision/],
  ])('is %s of %s: %j, and not with %j', (path, training, off, on, words) => {
    expect(why(training, path, ...off)).toMatch(words);
    expect(why(training, path, ...on)).toBeNull();
  });

  it('is none that every run heeds', () => {
    for (const path of ['seed', 'steps', 'groupSize', 'optimizer.learningRate', 'temperature'])
      expect(why('search-r1/ppo', path)).toBeNull();
    expect(why('search-r1/ppo', 'objective.estimator.learningRate')).toBeNull();
  });
});

import type { Recipe } from '../../recipes/parts/recipe.ts';
import type { TrainSettings } from '../../recipes/parts/training.ts';
import { OBJECTIVE, TRAINING } from '../../recipes/parts/training-base.ts';
import { searchLoop, SHARED_DIFFERENCES } from '../../recipes/parts/loops.ts';

/*
 * CIR (arXiv 2505.24480; code: RUCAIBox/CIR): code-integrated reasoning by reinforcement learning with ±1, no KL, clip 0.2 /
 * 0.28, groups of 16; the number of allowed calls rises by stages: 2, 4, 5, 8 and 10.
 */
const stage = (maxSearches: number, steps: number): TrainSettings['stages'][number] => ({
  steps,
  reward: 'cir',
  weights: {},
  overrides: { retrieval: { maxSearches } },
});

const settings = {
  ...TRAINING,
  objective: {
    ...OBJECTIVE,
    estimator: 'reinforce++-baseline',
    clip: { low: 0.2, high: 0.28 },
    aggregation: 'token-mean',
  },
} as const;

export const cir: Recipe = {
  id: 'cir',
  version: '1',
  title: 'CIR, for search',
  summary: 'Rewarded only for correct or wrong; each stage allows more calls.',
  about: {
    paper: '2505.24480',
    kind: 'trained by RL',
    parts: ['blocks: compute', 'code tool', 'stages: more calls'],
    differences: [
      ...SHARED_DIFFERENCES,
      'The paper’s tool is Python; here it is search with a calculator over retrieved values, and the rising limit is the one on searches.',
      'Groups of 8 in place of 16, three stages in place of five.',
      'Text of the environment is masked. The released code finds tool output by its tags in re-tokenised text, as many blocks as calls are allowed, and trains on later ones: `cir/as-released` does so on the sampled tokens.',
    ],
    published: {
      figure: '52.4 on average',
      benchmark: 'five sets of mathematics',
      model: 'a model of 7 billion parameters',
    },
    sources: {
      'stages.objective.estimator': 'code',
      'stages.objective.clip.high': 'code',
      'stages.groupSize': 'ours; code: 16',
      'stages.stages.0.overrides.retrieval.maxSearches': 'code: 2, raised to 4, 5, 8 and 10',
      'reward.cir': 'code: ±1',
    },
    expectedEffect:
      'With the full limit from the start, calls collapse or outputs grow early; with stages they do not.',
  },
  settings: { ...searchLoop(2, 8), blocks: ['compute'] },
  training: [
    {
      name: 'stages',
      title: 'REINFORCE++ with a rising limit of searches',
      settings: { ...settings, stages: [stage(2, 33), stage(4, 33), stage(8, 34)] },
    },
    {
      name: 'all-at-once',
      title: 'The same with all searches from the start',
      settings: { ...settings, stages: [stage(8, TRAINING.steps)] },
    },
    {
      name: 'as-released',
      title: 'The stages, masked by the first results',
      differences:
        'As in the released code, only as many result blocks as searches are allowed are masked, also those that the policy wrote, and later results are trained on; a calculation has a result but is not counted.',
      settings: {
        ...settings,
        stages: [stage(2, 33), stage(4, 33), stage(8, 34)],
        objective: { ...settings.objective, rules: { 'result-mask': { by: 'first-calls' } } },
      },
    },
  ],
};

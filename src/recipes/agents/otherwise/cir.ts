import type { Recipe } from '../../parts/recipe.ts';
import type { TrainSettings } from '../../parts/training.ts';
import { OBJECTIVE, TRAINING } from '../../parts/training-base.ts';
import { searchLoop, SHARED_DIFFERENCES } from '../loop.ts';

/*
 * CIR (arXiv 2505.24480; code: RUCAIBox/CIR): code-integrated reasoning by reinforcement learning with ±1, no KL, clip 0.2 /
 * 0.28, groups of 16; the number of calls that are allowed rises by stages, 2, 4, 5, 8 and 10.
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
  summary: 'Trained by right or wrong alone, with more calls allowed from stage to stage.',
  about: {
    paper: '2505.24480',
    kind: 'trained by RL',
    parts: ['blocks: compute', 'code tool', 'stages: more calls'],
    differences: [
      ...SHARED_DIFFERENCES,
      'Its tool is Python; here it is search with a calculator over retrieved values, and the limit that rises is that of searches.',
      'Groups of 8 in place of 16, three stages in place of five.',
      'The environment is masked by who wrote it; the released code finds tool output by its tags in text that was tokenised anew, as many blocks as calls are allowed, and trains on what is behind them: `cir/as-released`, on the tokens that were sampled.',
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
      'With the full limit from the start calls collapse or outputs grow early; by stages they do not.',
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
        'As in the released code, as many blocks of results as searches are allowed are left out of the loss, whoever wrote them, and results behind them are trained on; a calculation has a result, and is not counted.',
      settings: {
        ...settings,
        stages: [stage(2, 33), stage(4, 33), stage(8, 34)],
        objective: { ...settings.objective, mask: 'first-calls' },
      },
    },
  ],
};

import type { Recipe, VariantSettings } from '../../recipes/parts/recipe.ts';
import { OBJECTIVE, TRAINING } from '../../recipes/parts/training-base.ts';
import { searchLoop, SHARED_DIFFERENCES } from '../../recipes/parts/loops.ts';

/*
 * ExSearch (arXiv 2505.20128; code: mangopy/SearchLM): expectation maximisation over searches. Eight trajectories per
 * question at temperature 0.8; each is weighted by its share of the gold answer's probability.
 */
type Weight = 'likelihood' | 'right' | 'uniform' | 'released';

const settingsBy = (weight: Weight): VariantSettings => ({
  ...TRAINING,
  temperature: 0.8,
  stages: [
    {
      steps: TRAINING.steps,
      reward: 'em',
      weights: {},
      loss: { kind: 'sft', weight, gold: true },
    },
  ],
  objective: OBJECTIVE,
});

export const exSearch: Recipe = {
  id: 'ex-search',
  version: '1',
  title: 'ExSearch',
  summary: 'SFT on its own searches, weighted by how likely they make the gold answer.',
  about: {
    paper: '2505.20128',
    kind: 'trained otherwise',
    parts: ['weighted SFT'],
    differences: [
      ...SHARED_DIFFERENCES,
      'The policy thinks about what it read instead of writing a fact block, and writes no ranking of 20 passages: a search returns two.',
      'Trajectories are sampled again in every step instead of five rounds over a stored set, and at top-p 1 instead of 0.95.',
      'The probability is that of the whole answer block with its tags, summed over its tokens.',
    ],
    published: {
      figure: 'F1 62.59',
      benchmark: 'HotpotQA',
      model: 'a model of 7 billion parameters',
    },
    sources: {
      'settings.retrieval.k': 'ours; code: 20',
      'settings.retrieval.maxSearches': 'ours; code: 8 iterations (src/inference.py)',
      'em.temperature': 'code: src/inference.py',
      'em.stages.0.loss.weight': 'paper: w(z)',
      'as-released.stages.0.loss.weight': 'code: src/tuning/trainer.py',
    },
    expectedEffect:
      "Likelihood weights learn faster than only correct or wrong when few are correct; the released code's weights do no better than equal ones.",
  },
  settings: searchLoop(2, 5),
  training: [
    {
      name: 'em',
      title: 'Weighted by the likelihood of the gold answer',
      settings: settingsBy('likelihood'),
    },
    { name: 'rejection', title: 'Only correct ones', settings: settingsBy('right') },
    { name: 'uniform', title: 'Equal weights', settings: settingsBy('uniform') },
    {
      name: 'as-released',
      title: "The released code's weights",
      differences:
        'The released code weights by the loss instead of the likelihood, so worse trajectories count more.',
      settings: settingsBy('released'),
    },
  ],
};

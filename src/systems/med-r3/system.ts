import type { Recipe } from '../../recipes/parts/recipe.ts';
import { OBJECTIVE, TRAINING } from '../../recipes/parts/training-base.ts';
import { searchLoop, SHARED_DIFFERENCES } from '../../recipes/parts/loops.ts';

/*
 * Med-R³'s progression (arXiv 2507.23541; code: 8023looker/Med-R3), general: reasoning first, then retrieval, then both.
 * GRPO without KL, token mean, dual clip 3, as in its code; its overlong penalty belongs to 14,336 tokens and is left out.
 */
export const medR3: Recipe = {
  id: 'med-r3',
  version: '1',
  title: 'Med-R³’s progression, general',
  summary: 'Trained in three stages: reasoning, then retrieval, then both.',
  about: {
    paper: '2507.23541',
    kind: 'trained by RL',
    parts: ['stages', 'process reward: gold titles', 'reasoning beside a reference graph'],
    differences: [
      ...SHARED_DIFFERENCES,
      'No medicine: the reference graph is the gold chain of the question.',
      'Without search the model knows nothing about an invented world: the first stage teaches format and the names of the chain, not answers.',
      'The language penalty is left out, and a partly correct answer replaces a language model’s grade of 1 of 2.',
    ],
    published: {
      figure: '3.93 % above GPT-4o-mini',
      benchmark: 'medical question answering, its abstract',
      model: 'LLaMA3.1-8B',
    },
    sources: {
      'settings.retrieval.maxSearches': 'ours',
      'grpo.groupSize': 'ours; code: 16',
      'grpo.objective.dualClip': 'code',
      'reward.med-r3': 'code: 0.8 for the likeness to its graphs, 0.1 for length',
      'reward.med-r3-stage-2': 'code: share of gold titles',
    },
    expectedEffect:
      'The second stage raises recall at equal exact match, the third turns it into exact match; one single stage scores lower.',
  },
  settings: searchLoop(3, 4),
  training: [
    {
      name: 'grpo',
      title: 'GRPO, three stages',
      settings: {
        ...TRAINING,
        stages: [
          // Only reasoning.
          {
            steps: 20,
            reward: 'med-r3',
            weights: {},
            overrides: { retrieval: { maxSearches: 0 } },
          },
          { steps: 30, reward: 'med-r3-stage-2', weights: {} },
          { steps: 50, reward: 'med-r3', weights: {} },
        ],
        objective: { ...OBJECTIVE, aggregation: 'token-mean', dualClip: 3 },
      },
    },
  ],
};

import type { Recipe } from '../../recipes/parts/recipe.ts';
import { trainedOn, verlObjective } from '../../recipes/parts/training-base.ts';
import { searchLoop, SHARED_DIFFERENCES } from '../../recipes/parts/loops.ts';

/*
 * β-GRPO, "Search Wisely" (arXiv 2505.17281): Search-R1 whose correct answers count only if every query was
 * confident. No code was available; groups of 5 and learning rate 1e-6 are from other papers.
 */
export const betaGrpo: Recipe = {
  id: 'beta-grpo',
  version: '2',
  title: 'β-GRPO',
  summary: 'Search-R1, rewarded for correct answers only if every query was confident.',
  about: {
    paper: '2505.17281',
    kind: 'trained by RL',
    parts: ['shaping: confidence gate'],
    differences: [
      ...SHARED_DIFFERENCES,
      'It starts from the built-in policy; the paper starts from one trained by Search-R1.',
      'β is 0.4, of the three values that the paper compares.',
    ],
    published: {
      figure: 'EM 0.344 (Search-R1 0.303)',
      benchmark: 'mean of seven sets',
      model: 'Qwen2.5-3B',
    },
    sources: {
      'settings.retrieval.k': 'paper, second hand',
      'settings.retrieval.maxSearches': 'ours, as Search-R1’s scripts/nq_hotpotqa',
      'grpo.groupSize': 'ours; paper, second hand: 5',
      'reward.beta-grpo': 'ours, as others run it: β 0.4; paper, second hand: 0.2, 0.4 and 0.6',
    },
    expectedEffect:
      'The lowest probability of a query token rises, and repeated searches fall; with β = 0 it is Search-R1.',
  },
  settings: { ...searchLoop(3, 4), dialect: 'search-r1' },
  training: [
    {
      name: 'grpo',
      title: 'GRPO, exact match of sure searches',
      settings: trainedOn('beta-grpo', { objective: verlObjective(8) }),
    },
  ],
};

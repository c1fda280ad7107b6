import type { Recipe } from '../../recipes/parts/recipe.ts';
import { DEFAULT_SETTINGS } from '../../recipes/parts/settings.ts';
import { trainedOn } from '../../recipes/parts/training-base.ts';

/*
 * The plain think–search–answer loop: the protocol of arXiv 2506.19466 without RDRA, STIE and NLR.
 * Not a published system of its own; it is what the mechanisms are measured against.
 *
 * Differences from the paper's protocol: no background, every query goes to both sources and
 * their lists are fused, no candidate answers are probed, no query is refused.
 *
 * Training by GRPO (2402.03300) on exact match only: the baseline for other trainings. Mean
 * over each rollout's tokens first, its equation (3).
 */
export const search: Recipe = {
  id: 'search',
  version: '2',
  title: 'Plain search loop',
  summary: 'Think, search both sources, read, repeat; no background, no filter, no router.',
  settings: DEFAULT_SETTINGS,
  training: [
    {
      name: 'grpo',
      title: 'GRPO, exact match only',
      settings: trainedOn('em'),
    },
  ],
};

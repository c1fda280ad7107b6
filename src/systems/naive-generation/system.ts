import type { Recipe } from '../../recipes/parts/recipe.ts';
import { DEFAULT_SETTINGS } from '../../recipes/parts/settings.ts';

/*
 * Naive generation: the answer from the weights only, without retrieval.
 *
 * Differences from the usual baseline: no text prompt, since the built-in policy knows only the
 * protocol; the environment opens `<short_answer>` and its box, so the policy can neither think
 * nor search.
 */
export const naiveGeneration: Recipe = {
  id: 'naive-generation',
  version: '1',
  title: 'Naive generation, no retrieval',
  summary: 'No retrieval: the answer comes from the model’s weights only.',
  settings: { ...DEFAULT_SETTINGS, loop: 'naive-generation' },
  training: [],
};

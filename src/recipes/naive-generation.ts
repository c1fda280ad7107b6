import type { Recipe } from './parts/recipe.ts';
import { DEFAULT_SETTINGS } from './parts/settings.ts';

/*
 * Naive generation: the answer from the weights alone, without retrieval.
 *
 * Differences from the usual baseline: no prompt as text, since the built-in policy knows only the
 * protocol; the environment opens `<short_answer>` and its box, so that the policy can neither think
 * nor search.
 */
export const naiveGeneration: Recipe = {
  id: 'naive-generation',
  version: '1',
  title: 'Naive generation, no retrieval',
  summary: 'No retrieval: the answer comes from the weights alone.',
  settings: { ...DEFAULT_SETTINGS, loop: 'naive-generation' },
  training: [],
};

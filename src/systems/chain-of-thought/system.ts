import type { Recipe } from '../../recipes/parts/recipe.ts';
import { PROMPTED_DIFFERENCES, promptedLoop } from '../../recipes/parts/loops.ts';

/*
 * Chain of thought (arXiv 2201.11903): no search. A chat model writes one sentence per
 * line and closes with `So the answer is`.
 */
export const chainOfThought: Recipe = {
  id: 'chain-of-thought',
  version: '1',
  title: 'Chain of thought',
  summary: 'Thoughts, then the answer, without any search.',
  about: {
    paper: '2201.11903',
    kind: 'not trained',
    parts: ['turns: none'],
    differences: [
      ...PROMPTED_DIFFERENCES,
      'The built-in policy learns from its form line or a hint that there is no search, and writes one thought; facts of its world are not in its weights, so it can only guess by type.',
    ],
    expectedEffect:
      'Facts from training are answered, unseen ones only by chance among entities of that type; passages in the context remove the difference.',
  },
  settings: promptedLoop('think', { k: 2, maxSearches: 0 }, { dialect: 'thoughts' }),
  training: [],
};

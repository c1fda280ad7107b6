import type { Recipe } from '../parts/recipe.ts';
import { PROMPTED_DIFFERENCES, promptedLoop } from './loop.ts';

/*
 * Chain of thought (arXiv 2201.11903): no search. A policy that reads words writes one sentence a
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
      'The built-in policy is told by its form line or a hint that there is no search, and writes one thought; facts of its world are in no weights, so what is left is a guess by type.',
    ],
    expectedEffect:
      'Facts that the policy was trained on are answered, unseen ones at about one in the number of things of that type; passages in the context remove the difference.',
  },
  settings: promptedLoop('think', { k: 2, maxSearches: 0 }, { dialect: 'thoughts' }),
  training: [],
};

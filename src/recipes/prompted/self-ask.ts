import type { Recipe } from '../parts/recipe.ts';
import { PROMPTED_DIFFERENCES, promptedLoop } from './loop.ts';

/*
 * Self-Ask (arXiv 2210.03350; of FlashRAG: at most 5 follow-ups after a first search with the question).
 */
export const selfAsk: Recipe = {
  id: 'self-ask',
  version: '1',
  title: 'Self-Ask',
  summary:
    'A search with the question, then follow-up questions with intermediate answers, up to five.',
  about: {
    paper: '2210.03350',
    kind: 'not trained',
    parts: ['sub-question plan', 'first search with the question'],
    differences: [
      ...PROMPTED_DIFFERENCES,
      'Two passages a search in place of five, as most systems here have.',
      'Results of earlier follow-ups stay visible; FlashRAG shows the latest alone.',
      'The passages stand where the paper’s engine writes a short answer; the policy writes the intermediate answer.',
      'The built-in policy has the first passages as a background; a follow-up of it is its search.',
    ],
    sources: {
      'settings.retrieval.k': 'ours; FlashRAG: 5',
      'settings.retrieval.maxSearches': 'FlashRAG: 5 follow-ups behind the first search',
    },
    expectedEffect:
      'A question of n hops takes n follow-ups and the first search; without follow-ups, bridge questions fall and comparisons fall less.',
  },
  settings: promptedLoop(
    'agent',
    { k: 2, maxSearches: 6 },
    {
      dialect: 'self-ask',
      method: { firstSearch: 'question' },
    },
  ),
  training: [],
};

import type { Recipe } from '../parts/recipe.ts';
import { PROMPTED_DIFFERENCES, promptedLoop } from './loop.ts';

/*
 * Search-o1 (arXiv 2501.05366; code: sunnynexus/Search-o1): at most 10 searches, k of 10. The reasoning is shown to the
 * extraction as its code cuts it: the first step, the last four and all that search.
 */
export const searchO1: Recipe = {
  id: 'search-o1',
  version: '1',
  title: 'Search-o1',
  summary:
    'Think and search; what is read of a result is an extract that was written with the reasoning in view.',
  about: {
    paper: '2501.05366',
    kind: 'not trained',
    parts: ['turns', 'knowledge extraction'],
    differences: [
      ...PROMPTED_DIFFERENCES,
      'With the built-in policy the extract is made of whole sentences chosen for the query and the last thought; it cannot be asked for one.',
      'Ten passages in place of ten web pages of 3000 characters.',
      'A repeated query is searched again; with `retrieval.lapses=notice` it is told so in place of passages, and not counted, as in the released code.',
    ],
    published: {
      figure: 'GPQA 67.2, GAIA 39.8, WebWalkerQA 34.1',
      benchmark: 'GPQA, GAIA, WebWalkerQA',
      model: 'QwQ-32B, rerun by WebThinker',
    },
    sources: {
      'settings.retrieval.k': 'code',
      'settings.retrieval.maxSearches': 'code: 10 of multi-hop questions, else 5',
      'settings.method.extraction.maxTokens': 'ours',
    },
    expectedEffect:
      'Tokens inserted a search fall five- to tenfold at equal accuracy; with noisy results accuracy is above that with whole passages.',
  },
  settings: promptedLoop(
    'agent',
    { k: 10, maxSearches: 10 },
    {
      dialect: 'search-o1',
      method: { extraction: { maxTokens: 96, reasoning: true } },
    },
  ),
  training: [],
};

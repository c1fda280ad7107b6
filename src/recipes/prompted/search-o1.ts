import type { Recipe } from '../parts/recipe.ts';
import { PROMPTED_DIFFERENCES, promptedLoop } from './loop.ts';

/*
 * Search-o1 (arXiv 2501.05366; code: sunnynexus/Search-o1): at most 10 searches, k of 10. The extraction sees the
 * reasoning as cut by its code: the first step, the last four and all steps that search.
 */
export const searchO1: Recipe = {
  id: 'search-o1',
  version: '1',
  title: 'Search-o1',
  summary:
    'Think and search; the model reads an extract of each result, written in view of the reasoning.',
  about: {
    paper: '2501.05366',
    kind: 'not trained',
    parts: ['turns', 'knowledge extraction'],
    differences: [
      ...PROMPTED_DIFFERENCES,
      'With the built-in policy the extract is whole sentences selected by the query and the last thought; it cannot be asked for one.',
      'Ten passages instead of ten web pages of 3000 characters.',
      'A repeated query is searched again; with `retrieval.lapses=notice` it gets a notice instead of passages and is not counted, as in the released code.',
    ],
    published: {
      figure: 'GPQA 67.2, GAIA 39.8, WebWalkerQA 34.1',
      benchmark: 'GPQA, GAIA, WebWalkerQA',
      model: 'QwQ-32B, rerun by WebThinker',
    },
    sources: {
      'settings.retrieval.k': 'code',
      'settings.retrieval.maxSearches': 'code: 10 for multi-hop questions, otherwise 5',
      'settings.method.extraction.maxTokens': 'ours',
    },
    expectedEffect:
      'Tokens inserted per search fall five- to tenfold at equal accuracy; with noisy results accuracy is above that with whole passages.',
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

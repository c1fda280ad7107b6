import type { Recipe } from '../parts/recipe.ts';
import { PROMPTED_DIFFERENCES, promptedLoop } from './loop.ts';

/*
 * Iter-RetGen (arXiv 2305.15294, equation (1); constants of FlashRAG: three rounds). The earlier rounds are asides;
 * the last round is the record's context.
 */
export const iterRetgen: Recipe = {
  id: 'iter-retgen',
  version: '1',
  title: 'Iter-RetGen',
  summary: 'Three times: retrieve with the question and the last answer, answer anew.',
  about: {
    paper: '2305.15294',
    kind: 'not trained',
    parts: ['chain of retrieval', 'draft as query'],
    differences: [
      ...PROMPTED_DIFFERENCES,
      'Two passages a round in place of five, as most systems here have.',
      'The built-in policy generates its short answer alone, so that a later query holds the question and a name.',
    ],
    published: {
      figure: 'F1 38.3, EM 36.8 on NQ',
      benchmark: 'HotpotQA',
      model: 'Llama-3-8B-Instruct, rerun by FlashRAG',
    },
    sources: {
      'settings.retrieval.k': 'ours; FlashRAG: 5',
      'settings.method.rounds': 'FlashRAG: 3',
    },
    expectedEffect:
      'The second query names the bridge of bridge questions; the gain from the second round to the third is far below that from the first to the second.',
  },
  settings: promptedLoop(
    'iterate',
    { k: 2, maxSearches: 3 },
    {
      method: { rounds: 3, query: { rule: 'question-and-draft', maxTokens: 128, most: 1 } },
    },
  ),
  training: [],
};

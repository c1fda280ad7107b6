import type { Recipe } from '../parts/recipe.ts';
import { PROMPTED_DIFFERENCES, promptedLoop } from './loop.ts';

/*
 * Iter-RetGen (arXiv 2305.15294, equation (1); constants of FlashRAG: three rounds). The earlier rounds are side calls;
 * the last round is the record's context.
 */
export const iterRetgen: Recipe = {
  id: 'iter-retgen',
  version: '1',
  title: 'Iter-RetGen',
  summary: 'Three times: retrieve with the question and the last answer, answer again.',
  about: {
    paper: '2305.15294',
    kind: 'not trained',
    parts: ['chain of retrieval', 'draft as query'],
    differences: [
      ...PROMPTED_DIFFERENCES,
      'Two passages per round instead of five, as in most systems here.',
      'The built-in policy generates only its short answer, so a later query is the question and a name.',
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
      'The second query names the bridge entity of bridge questions; the third round gains far less than the second.',
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

import type { Recipe } from '../parts/recipe.ts';
import { PROMPTED_DIFFERENCES, promptedLoop } from './loop.ts';

/*
 * FLARE (arXiv 2305.06983; code: jzbjyb/FLARE, its setting for 2WikiMultihopQA: θ 0.8, β 0.4, k of 2). The published figure is from
 * FlashRAG's rerun, with θ = β = 0.2.
 */
export const flare: Recipe = {
  id: 'flare',
  version: '1',
  title: 'FLARE',
  summary:
    'Look one sentence ahead; if a token in it is unlikely, retrieve with the rest of it and write it again.',
  about: {
    paper: '2305.06983',
    kind: 'not trained',
    parts: ['confidence-triggered retrieval'],
    differences: [
      ...PROMPTED_DIFFERENCES,
      'A sentence is a thought, an answer block or a line; tokens are the policy’s own.',
      'The built-in policy thinks without planning searches; a search that it writes anyway is made.',
      '`method.confidence.asReleased` has θ = β = 0.2 and five sentences, as in FlashRAG’s re-implementation.',
    ],
    published: {
      figure: 'F1 28.0, EM 22.5 on NQ',
      benchmark: 'HotpotQA',
      model: 'Llama-3-8B-Instruct, rerun by FlashRAG',
    },
    sources: {
      'settings.retrieval.k': 'code: jzbjyb/FLARE, 2Wiki',
      'settings.method.confidence.theta': 'code: jzbjyb/FLARE, 2Wiki',
      'settings.method.confidence.beta': 'code: jzbjyb/FLARE, 2Wiki',
      'settings.method.confidence.lookAhead': 'code: jzbjyb/FLARE',
      'settings.method.confidence.sentences': 'ours',
    },
    expectedEffect:
      'Searches rise with θ and exact match with them, up to the policy’s calibration; at θ = 0.2 it is naive generation.',
  },
  settings: promptedLoop(
    'look-ahead',
    { k: 2, maxSearches: 8 },
    {
      dialect: 'thoughts',
      method: {
        confidence: { theta: 0.8, beta: 0.4, lookAhead: 64, sentences: 16, asReleased: false },
      },
    },
  ),
  training: [],
};

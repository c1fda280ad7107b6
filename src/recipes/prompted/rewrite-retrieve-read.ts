import type { Recipe } from '../parts/recipe.ts';
import { PROMPTED_DIFFERENCES, promptedLoop } from './loop.ts';

/*
 * Rewrite-retrieve-read (arXiv 2305.14283; code: xbmxb/RAG-query-rewriting): rewrites of at most 50 tokens, cut at
 * semicolons. No figure of a frozen rewriter was confirmed, so none is given.
 */
export const rewriteRetrieveRead: Recipe = {
  id: 'rewrite-retrieve-read',
  version: '1',
  title: 'Rewrite-retrieve-read',
  summary: 'The policy rewrites the question into queries, one retrieval each, then the answer.',
  about: {
    paper: '2305.14283',
    kind: 'not trained',
    parts: ['rewrite as query'],
    differences: [
      ...PROMPTED_DIFFERENCES,
      'The rewriter is the policy itself and is not trained; the paper trains one with PPO on exact match, F1 and hits (the reward `rewriter`).',
      'The built-in policy’s rewrite is its first search.',
      'At most four queries; the passages of each are shown.',
    ],
    sources: {
      'settings.method.query.maxTokens': 'code: xbmxb/RAG-query-rewriting',
      'settings.method.query.most': 'ours',
    },
    expectedEffect:
      'Retrieved gold passages rise before exact match does; with the question as the query neither does.',
  },
  settings: promptedLoop(
    'rewrite-read',
    { k: 2, maxSearches: 4 },
    {
      method: { query: { rule: 'rewrite', maxTokens: 50, most: 4 } },
    },
  ),
  training: [],
};

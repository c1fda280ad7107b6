import { z } from 'zod';
import { PROMPTED_DIFFERENCES, promptedLoop } from '../../recipes/parts/loops.ts';
import { defineSystem } from '../parts/define.ts';

/*
 * Rewrite-retrieve-read (arXiv 2305.14283; code: xbmxb/RAG-query-rewriting): rewrites of at most 50 tokens, cut at
 * semicolons. No figure of a frozen rewriter was confirmed, so none is given.
 */
const params = z.strictObject({
  /** Most tokens of the rewrite. */
  maxTokens: z.int().min(1).max(1024).default(50),
  /** Most queries of it. */
  most: z.int().min(1).max(16).default(4),
});
export type Params = z.infer<typeof params>;

export const rewriteRetrieveRead = defineSystem({
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
      'settings.system.maxTokens': 'code: xbmxb/RAG-query-rewriting',
      'settings.system.most': 'ours',
    },
    expectedEffect:
      'Retrieved gold passages rise before exact match does; with the question as the query neither does.',
  },
  params,
  traits: () => ({ way: 'read' }),
  loop: () => import('./loop.ts'),
  settings: promptedLoop('program', { k: 2, maxSearches: 4 }),
  training: [],
});

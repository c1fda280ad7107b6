import type { Recipe } from '../parts/recipe.ts';
import { PROMPTED_DIFFERENCES, promptedLoop } from './loop.ts';

/*
 * ActiveRAG (arXiv 2402.13547; code: OpenMatch/ActiveRAG): anchoring, associate, logician and cognition over 5 passages. No
 * figure is given: the published ones choose the best agent per benchmark.
 */
export const activeRag: Recipe = {
  id: 'active-rag',
  version: '1',
  title: 'ActiveRAG',
  summary:
    'A chain-of-thought answer, then four agents that each revise it with a different view of the passages.',
  about: {
    paper: '2402.13547',
    kind: 'not trained',
    parts: ['knowledge extraction', 'vote'],
    differences: [
      ...PROMPTED_DIFFERENCES,
      'Only chat models: the built-in policy knows no roles and is refused.',
      'The answers are voted on; the paper reports the best agent per benchmark (`method.roles.answer` chooses one).',
    ],
    sources: {
      'settings.retrieval.k': 'code: OpenMatch/ActiveRAG',
      'settings.method.roles.answer': 'ours; paper: the best of four',
    },
    expectedEffect:
      'Each agent is about as good as the vote, and the best of four in hindsight is far above both.',
  },
  needs: 'words',
  settings: promptedLoop(
    'roles',
    { k: 5, maxSearches: 1 },
    { method: { roles: { answer: 'vote' } } },
  ),
  training: [],
};

import type { Recipe } from '../parts/recipe.ts';
import { PROMPTED_DIFFERENCES, promptedLoop } from './loop.ts';

/*
 * ActiveRAG (arXiv 2402.13547; code: OpenMatch/ActiveRAG): anchoring, associate, logician and cognition over 5 passages. No
 * figure is given: the published ones pick the agent by benchmark.
 */
export const activeRag: Recipe = {
  id: 'active-rag',
  version: '1',
  title: 'ActiveRAG',
  summary:
    'An answer by thought, four agents that each take something else from the passages and revise it.',
  about: {
    paper: '2402.13547',
    kind: 'not trained',
    parts: ['knowledge extraction', 'vote'],
    differences: [
      ...PROMPTED_DIFFERENCES,
      'Only policies that read words: the built-in one knows no roles and is refused.',
      'The answers are voted on; the paper reports the best agent of each benchmark, which `method.roles.answer` chooses.',
    ],
    sources: {
      'settings.retrieval.k': 'code: OpenMatch/ActiveRAG',
      'settings.method.roles.answer': 'ours; theirs reports the best of four',
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

import type { Recipe } from '../../recipes/parts/recipe.ts';
import { DEFAULT_SETTINGS } from '../../recipes/parts/settings.ts';

/*
 * Naive RAG: retrieve once with the question, read, answer.
 *
 * Differences from the usual baseline: no text prompt, since the built-in policy knows only the
 * protocol; the environment opens `<short_answer>` and its box, so the policy can only
 * answer. Results of both sources are fused.
 */
export const naiveRag: Recipe = {
  id: 'naive-rag',
  version: '2',
  title: 'Naive RAG, one retrieval',
  summary: 'One retrieval with the question itself, then the answer.',
  about: {
    paper: '2005.11401',
    kind: 'not trained',
    parts: [],
    differences: [
      'The environment opens the answer, so the policy can only answer; both sources are queried.',
    ],
    expectedEffect:
      'One-hop questions are answered about as well as by searching, multi-hop questions are not.',
  },
  settings: { ...DEFAULT_SETTINGS, loop: 'naive-rag' },
  training: [],
};

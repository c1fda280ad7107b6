import type { Recipe } from './parts/recipe.ts';
import { DEFAULT_SETTINGS } from './parts/settings.ts';

/*
 * Naive RAG: retrieve once with the question, read, answer.
 *
 * Differences from the usual baseline: no prompt as text, since the built-in policy knows only the
 * protocol; the environment opens `<short_answer>` and its box, so that the policy can do nothing
 * but answer. Both sources are asked and fused.
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
      'The environment opens the answer, so that the policy can do nothing but answer; both sources are asked.',
    ],
    expectedEffect:
      'Questions of one hop are answered about as well as by searching, those of several are not.',
  },
  settings: { ...DEFAULT_SETTINGS, loop: 'naive-rag' },
  training: [],
};

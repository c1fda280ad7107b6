import type { Recipe } from './recipe.ts';
import { DEFAULT_SETTINGS } from './settings.ts';

/*
 * Naive RAG: retrieve once with the question, read, answer.
 *
 * Departures from the usual baseline: no prompt in words, since the built-in policy knows only the
 * protocol; the environment opens `<short_answer>` and its box, so that the policy can do nothing
 * but answer. Both sources are asked and fused.
 */
export const naiveRag: Recipe = {
  id: 'naive-rag',
  version: '1',
  title: 'Naive RAG, one retrieval',
  summary: 'One retrieval with the question itself, then the answer.',
  settings: { ...DEFAULT_SETTINGS, loop: 'naive-rag' },
  training: [],
};

import type { Recipe } from '../parts/recipe.ts';
import { PROMPTED_DIFFERENCES, promptedLoop } from './loop.ts';

/*
 * Self-RAG (arXiv 2310.11511; code: AkariAsai/self-rag, whose weights are 1; the paper's of usefulness is 0.5, not confirmed).
 */
export const selfRag: Recipe = {
  id: 'self-rag',
  version: '1',
  title: 'Self-RAG-style reflection',
  summary: 'Retrieve when needed; continue after each passage, and keep the best continuation.',
  about: {
    paper: '2310.11511',
    kind: 'not trained',
    parts: ['confidence-triggered retrieval', 'segment scores'],
    differences: [
      ...PROMPTED_DIFFERENCES,
      'No reflection tokens: P(retrieve) is that of a search against an answer as the next tag; relevance and support follow from the words of passage and continuation; usefulness is left out.',
      'A chat model is asked for the grades.',
      'One passage per segment is kept; no beam of 2.',
    ],
    published: {
      figure: 'EM 36.4 on NQ, F1 29.6',
      benchmark: 'HotpotQA',
      model: 'Llama-3-8B-Instruct, rerun by FlashRAG',
    },
    sources: {
      'settings.method.reflection.threshold': 'code: AkariAsai/self-rag',
      'settings.method.reflection.weights.relevant': 'code: AkariAsai/self-rag',
      'settings.method.reflection.weights.supported': 'code: AkariAsai/self-rag',
      'settings.method.reflection.weights.useful':
        'code: AkariAsai/self-rag; paper, not confirmed: 0.5',
      'settings.method.reflection.passages': 'ours; code: 10',
    },
    expectedEffect:
      'The threshold trades searches against exact match; with a random passage instead of the best, exact match falls.',
  },
  settings: promptedLoop(
    'reflect',
    { k: 5, maxSearches: 6 },
    {
      dialect: 'thoughts',
      method: {
        reflection: {
          threshold: 0.2,
          weights: { relevant: 1, supported: 1, useful: 1 },
          passages: 5,
          segments: 6,
        },
      },
    },
  ),
  training: [],
};

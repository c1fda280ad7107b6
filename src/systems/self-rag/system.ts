import { z } from 'zod';
import { PROMPTED_DIFFERENCES, promptedLoop } from '../../recipes/parts/loops.ts';
import { defineSystem } from '../parts/define.ts';

/*
 * Self-RAG (arXiv 2310.11511; code: AkariAsai/self-rag, whose weights are 1; the paper's of usefulness is 0.5, not confirmed).
 */
/** Its decisions (section 3.3), as its released code has them: when to retrieve, which passage. */
const params = z.strictObject({
  /** Share of `retrieve` of the two above which it retrieves. */
  threshold: z.number().min(0).max(1),
  weights: z.strictObject({
    relevant: z.number().min(0),
    supported: z.number().min(0),
    useful: z.number().min(0),
  }),
  /** Most passages that are tried one by one. */
  passages: z.int().min(1).max(10),
  /** Most searches, one a segment. */
  segments: z.int().min(1).max(16),
});
export type Params = z.infer<typeof params>;

export const selfRag = defineSystem({
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
      'settings.system.threshold': 'code: AkariAsai/self-rag',
      'settings.system.weights.relevant': 'code: AkariAsai/self-rag',
      'settings.system.weights.supported': 'code: AkariAsai/self-rag',
      'settings.system.weights.useful': 'code: AkariAsai/self-rag; paper, not confirmed: 0.5',
      'settings.system.passages': 'ours; code: 10',
    },
    expectedEffect:
      'The threshold trades searches against exact match; with a random passage instead of the best, exact match falls.',
  },
  params,
  values: {
    threshold: 0.2,
    weights: { relevant: 1, supported: 1, useful: 1 },
    passages: 5,
    segments: 6,
  },
  loop: () => import('./loop.ts'),
  settings: promptedLoop('program', { k: 5, maxSearches: 6 }, { dialect: 'thoughts' }),
  training: [],
});

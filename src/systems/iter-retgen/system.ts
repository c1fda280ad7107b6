import { z } from 'zod';
import { PROMPTED_DIFFERENCES, promptedLoop } from '../../recipes/parts/loops.ts';
import { defineSystem } from '../parts/define.ts';

/*
 * Iter-RetGen (arXiv 2305.15294, equation (1); constants of FlashRAG: three rounds). The earlier rounds are side calls;
 * the last round is the record's context.
 */
const params = z.strictObject({
  /** Iterations of retrieving and generating. */
  rounds: z.int().min(1).max(32).default(3),
  /** Most tokens of a generation. */
  maxTokens: z.int().min(1).max(1024).default(128),
});
export type Params = z.infer<typeof params>;

export const iterRetgen = defineSystem({
  id: 'iter-retgen',
  version: '1',
  title: 'Iter-RetGen',
  summary: 'Three times: retrieve with the question and the last answer, answer again.',
  about: {
    paper: '2305.15294',
    kind: 'not trained',
    parts: ['chain of retrieval', 'draft as query'],
    differences: [
      ...PROMPTED_DIFFERENCES,
      'Two passages per round instead of five, as in most systems here.',
      'The built-in policy generates only its short answer, so a later query is the question and a name.',
    ],
    published: {
      figure: 'F1 38.3, EM 36.8 on NQ',
      benchmark: 'HotpotQA',
      model: 'Llama-3-8B-Instruct, rerun by FlashRAG',
    },
    sources: {
      'settings.retrieval.k': 'ours; FlashRAG: 5',
      'settings.system.rounds': 'FlashRAG: 3',
    },
    expectedEffect:
      'The second query names the bridge entity of bridge questions; the third round gains far less than the second.',
  },
  params,
  traits: () => ({ way: 'read' }),
  loop: () => import('./loop.ts'),
  settings: promptedLoop('program', { k: 2, maxSearches: 3 }),
  training: [],
});

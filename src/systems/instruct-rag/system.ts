import { z } from 'zod';
import { PROMPTED_DIFFERENCES, promptedLoop } from '../../recipes/parts/loops.ts';
import { defineSystem } from '../parts/define.ts';

/*
 * InstructRAG (arXiv 2406.13629; code: weizhepei/InstructRAG): 5 passages, the best one last.
 */
const params = z.strictObject({
  /** Order in which the passages are shown. */
  order: z.enum(['best-first', 'best-last']).default('best-last'),
});
export type Params = z.infer<typeof params>;

export const instructRag = defineSystem({
  id: 'instruct-rag',
  version: '2',
  title: 'InstructRAG',
  summary: 'One retrieval, a rationale that says which passages help, then the answer.',
  about: {
    paper: '2406.13629',
    kind: 'not trained',
    parts: ['rationale over passages'],
    differences: [
      ...PROMPTED_DIFFERENCES,
      'Instruction only: no example rationales, no fine-tuning on them. `lab trajectories` makes SFT data of its correct rollouts; `--grounded` leaves out those that no passage supports.',
      'The built-in policy’s rationale is its refine block on the passages and its next thought; it does not number passages.',
    ],
    published: { figure: '+8.3 % relative', benchmark: 'mean of five sets', model: 'Llama-3-8B' },
    sources: {
      'settings.retrieval.k': 'code: weizhepei/InstructRAG',
      'settings.system.order': 'code: weizhepei/InstructRAG',
    },
    expectedEffect: 'With more distractors, accuracy falls less than for naive RAG.',
  },
  params,
  loop: () => import('./loop.ts'),
  settings: { ...promptedLoop('rationale', { k: 5, maxSearches: 1 }), blocks: ['refine'] },
  training: [],
});

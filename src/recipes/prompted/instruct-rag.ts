import type { Recipe } from '../parts/recipe.ts';
import { PROMPTED_DIFFERENCES, promptedLoop } from './loop.ts';

/*
 * InstructRAG (arXiv 2406.13629; code: weizhepei/InstructRAG): 5 passages, the best one last.
 */
export const instructRag: Recipe = {
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
      'By instruction alone: no rationales as examples, no fine-tuning on them. Its right rollouts can be learned from by `lab trajectories`, with `--grounded` without those that no passage supports.',
      'The rationale of the built-in policy is what it notes of the passages (its refine block) and its next thought; it numbers no passages.',
    ],
    published: { figure: '+8.3 % relative', benchmark: 'mean of five sets', model: 'Llama-3-8B' },
    sources: {
      'settings.retrieval.k': 'code: weizhepei/InstructRAG',
      'settings.method.order': 'code: weizhepei/InstructRAG',
    },
    expectedEffect: 'Accuracy against the number of distractors falls less than of naive RAG.',
  },
  settings: {
    ...promptedLoop('rationale', { k: 5, maxSearches: 1 }, { method: { order: 'best-last' } }),
    blocks: ['refine'],
  },
  training: [],
};

import { PROMPTED_DIFFERENCES, promptedLoop } from '../../recipes/parts/loops.ts';
import { planParams } from '../collab-rag/system.ts';
import { defineSystem } from '../parts/define.ts';

/*
 * ComposeRAG (arXiv 2506.00232): decompose, answer sub-question by sub-question, compose, verify against the evidence, and
 * repeat once if that fails. Rounds, k and prompts were not available: two rounds are ours.
 */
export const composeRag = defineSystem({
  id: 'compose-rag',
  version: '1',
  title: 'ComposeRAG',
  summary:
    'A plan, its sub-questions one by one, an answer that the passages must contain, or another search.',
  about: {
    paper: '2506.00232',
    kind: 'not trained',
    parts: ['sub-question plan', 'verify and retry'],
    differences: [
      ...PROMPTED_DIFFERENCES,
      'The verifier checks whether a passage contains the answer word for word; the paper’s is a model.',
      'If that fails, it searches for the question followed by the draft answer; there is no new plan, no rewriting of sub-questions and no reranking.',
      'The built-in policy’s plan is a list with commas.',
    ],
    published: {
      figure: 'up to +15 % over fine-tuned methods, +5 % over pipelines',
      benchmark: 'four multi-hop sets, its abstract',
      model: 'models of its abstract',
    },
    sources: {
      'settings.system.most': 'ours',
      'settings.system.verify': 'ours; not available',
    },
    expectedEffect:
      'Answers that no passage contains become rarer, more so with weak retrieval; without verification they do not.',
  },
  params: planParams,
  values: { most: 4, substitute: true, verify: 2 },
  loop: () => import('../collab-rag/loop.ts'),
  settings: { ...promptedLoop('program', { k: 2, maxSearches: 6 }), blocks: ['plan'] },
  training: [],
});

import type { Recipe } from '../../parts/recipe.ts';
import { searchLoop, SHARED_DIFFERENCES } from '../loop.ts';
import { supervisedBy } from './shared.ts';

/*
 * CoRAG (arXiv 2501.14342; code: microsoft/LMOps, corag_agent.py): chains of query and sub-answer; up to 16 per question are
 * sampled, with SFT on the one that makes the gold answer most likely. L is 3 in the code. At test time one greedy
 * chain, the best of 4, or a tree of 4 × 2: `method.chain.decode`.
 */
export const corag: Recipe = {
  id: 'corag',
  version: '1',
  title: 'CoRAG',
  summary:
    'SFT on the chain of searches that makes the gold answer most likely; decodes one, N or a tree.',
  about: {
    paper: '2501.14342',
    kind: 'trained otherwise',
    parts: ['chain of retrieval', 'path scorer and decoding', 'rejection-sampling SFT'],
    differences: [
      ...SHARED_DIFFERENCES,
      'One context with the passages, in which the sub-answer is the thought after them; the paper shows only the chain of sub-answers.',
      'Chains are scored by the policy’s uncertainty about the answer after them; the lowest is kept. The paper scores by the likelihood of “No relevant information found” (`method.chain.scorer=no-information`; the built-in policy never learned to say so).',
      'Searches of discarded chains are not counted, their tokens are.',
      'Eight chains per question are sampled in every step instead of 16 once, at temperature 1; two passages per search, and none for the question itself before the answer (`method.chain.closing` sets how many).',
    ],
    published: {
      figure: 'EM 56.3 (best of 8, L = 10)',
      benchmark: 'HotpotQA',
      model: 'Llama-3.1-8B',
    },
    sources: {
      'settings.retrieval.k': 'ours; code: 5',
      'settings.retrieval.maxSearches': 'ours',
      'settings.method.chain.length':
        'code: corag/src/agent/corag_agent.py; 6 in its evaluation, paper: at most 10',
    },
    expectedEffect:
      'Exact match rises about linearly in the logarithm of tokens over lengths and decodings; a random chain of N does no better than one.',
  },
  settings: {
    ...searchLoop(2, 4),
    loop: 'chain',
    method: { chain: { length: 3, decode: { kind: 'one' } } },
  },
  training: [
    {
      name: 'sft',
      title: 'SFT on the best chain, with the gold answer',
      settings: supervisedBy({ kind: 'sft', weight: 'best', gold: true }),
    },
    {
      name: 'random',
      title: 'SFT on all chains, equal weights',
      settings: supervisedBy({ kind: 'sft', weight: 'uniform', gold: true }),
    },
  ],
};

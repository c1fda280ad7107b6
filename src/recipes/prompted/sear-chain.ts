import type { Recipe } from '../parts/recipe.ts';
import { PROMPTED_DIFFERENCES, promptedLoop } from './loop.ts';

/*
 * SearChain (arXiv 2304.14732; code: xsc1234/Search-in-the-Chain): at most 5 rounds, the first passage. No figure was
 * confirmed, so none is given.
 */
export const searChain: Recipe = {
  id: 'sear-chain',
  version: '1',
  title: 'SearChain',
  summary:
    'A whole chain of queries and answers; a reader verifies each query, and the chain is corrected and rewritten.',
  about: {
    paper: '2304.14732',
    kind: 'not trained',
    parts: ['sub-question plan', 'verify and retry'],
    differences: [
      ...PROMPTED_DIFFERENCES,
      'The reader is the policy itself over the first passage, with a threshold of −0.5 on its mean log-probability; the paper’s is trained, with a threshold of 1.5 on its logit.',
      'With the built-in policy the chain is its own searches, each answer is the thought after a result, and a correction is a hint after that; it does not rewrite the chain.',
    ],
    sources: {
      'settings.method.verify.threshold': 'ours; code: 1.5 on the scale of its reader',
      'settings.method.verify.rounds': 'code: xsc1234/Search-in-the-Chain',
    },
    expectedEffect:
      'Corrections are correct more often than not; with answers from a wrong passage they harm.',
  },
  settings: promptedLoop(
    'chain-verify',
    { k: 2, maxSearches: 16 },
    {
      method: { verify: { threshold: -0.5, rounds: 5 } },
    },
  ),
  training: [],
};

import { z } from 'zod';
import { PROMPTED_DIFFERENCES, promptedLoop } from '../../recipes/parts/loops.ts';
import { defineSystem } from '../parts/define.ts';

/*
 * SearChain (arXiv 2304.14732; code: xsc1234/Search-in-the-Chain): at most 5 rounds, the first passage. No figure was
 * confirmed, so none is given.
 */
/**
 * A reader answers each query of the policy's chain from a passage; where it is sure and the policy said something else, the
 * policy is corrected and continues from there (section 3.2).
 */
const params = z.strictObject({
  /** The reader counts above this. Of a policy: natural log of the geometric mean of its answer's probabilities. */
  threshold: z.number(),
  /** Most corrections and completions. */
  rounds: z.int().min(1).max(16),
  /** `last`, an ablation: the reader sees the last passage of the result, which fits worst. Absent: the first. */
  passage: z.literal('last').optional(),
});
export type Params = z.infer<typeof params>;

export const searChain = defineSystem({
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
      'settings.system.threshold': 'ours; code: 1.5 on the scale of its reader',
      'settings.system.rounds': 'code: xsc1234/Search-in-the-Chain',
    },
    expectedEffect:
      'Corrections are correct more often than not; with answers from a wrong passage they harm.',
  },
  params,
  values: { threshold: -0.5, rounds: 5 },
  loop: () => import('./loop.ts'),
  settings: promptedLoop('program', { k: 2, maxSearches: 16 }),
  training: [],
});

import { z } from 'zod';
import { searchLoop, SHARED_DIFFERENCES, supervisedBy } from '../../recipes/parts/loops.ts';
import { actionWeightsSchema } from '../../recipes/parts/reward-model.ts';
import { defineSystem } from '../parts/define.ts';

/*
 * CoRAG (arXiv 2501.14342; code: microsoft/LMOps, corag_agent.py): chains of query and sub-answer; up to 16 per question are
 * sampled, with SFT on the one that makes the gold answer most likely. L is 3 in the code. At test time one greedy
 * chain, the best of 4, or a tree of 4 × 2: `system.decode`.
 */
/**
 * What is low of the chain that is kept; ln p is a mean over the tokens of what is forced as the answer after the chain.
 * - `confidence`: −ln p of the answer that the policy would give.
 * - `no-information`: ln p(“No relevant information found”), the paper's and its code's.
 * - `gold`: −ln p(gold answer), by which its training chains are chosen; an oracle.
 * - `vote`: less the share of chains whose answer is the same (self-consistency, 2203.11171).
 * - `reward-model`: less the mean reward of its steps (`reward-model.ts`).
 * - `random`: what chance says: the control.
 */
const CHAIN_SCORERS = [
  'confidence',
  'no-information',
  'gold',
  'vote',
  'reward-model',
  'random',
] as const;
export type ChainScorer = (typeof CHAIN_SCORERS)[number];

const params = z.strictObject({
  /** L: most searches of a chain. */
  length: z.int().min(1).max(16),
  /** What chains are distinguished by; `confidence` where absent. */
  scorer: z.enum(CHAIN_SCORERS).optional(),
  /** `reward-model`: its weights; features that are not named count nothing. */
  weights: actionWeightsSchema.optional(),
  /** `best-of`, as its code: the first chain is greedy, and the others are drawn at this temperature. Absent: all as the sampling says. */
  temperature: z.number().positive().max(4).optional(),
  /**
   * As its code: passages for the question itself are shown before the answer, best last. A search of the loop, not one
   * of the chain. Absent or 0: none.
   */
  closing: z.int().min(0).max(20).optional(),
  decode: z.discriminatedUnion('kind', [
    /** One chain. */
    z.strictObject({ kind: z.literal('one') }),
    /** n chains, of which the one with the lowest score is kept. */
    z.strictObject({ kind: z.literal('best-of'), n: z.int().min(2).max(16) }),
    /** At each step `expand` next steps, each tried by `rollouts` of at most `depth` steps more; the best mean is kept. */
    z.strictObject({
      kind: z.literal('tree'),
      expand: z.int().min(2).max(8),
      rollouts: z.int().min(1).max(8),
      depth: z.int().min(1).max(8),
    }),
  ]),
});
export type Params = z.infer<typeof params>;

export const corag = defineSystem({
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
      'Chains are scored by the policy’s uncertainty about the answer after them; the lowest is kept. The paper scores by the likelihood of “No relevant information found” (`system.scorer=no-information`; the built-in policy never learned to say so).',
      'Searches of discarded chains are not counted, their tokens are.',
      'Eight chains per question are sampled in every step instead of 16 once, at temperature 1; two passages per search, and none for the question itself before the answer (`system.closing` sets how many).',
    ],
    published: {
      figure: 'EM 56.3 (best of 8, L = 10)',
      benchmark: 'HotpotQA',
      model: 'Llama-3.1-8B',
    },
    sources: {
      'settings.retrieval.k': 'ours; code: 5',
      'settings.retrieval.maxSearches': 'ours',
      'settings.system.length':
        'code: corag/src/agent/corag_agent.py; 6 in its evaluation, paper: at most 10',
    },
    expectedEffect:
      'Exact match rises about linearly in the logarithm of tokens over lengths and decodings; a random chain of N does no better than one.',
  },
  params,
  values: { length: 3, decode: { kind: 'one' } },
  traits: ({ decode }) => ({ choosesSteps: decode.kind !== 'one' }),
  loop: () => import('./loop.ts'),
  settings: { ...searchLoop(2, 4), loop: 'program' },
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
});

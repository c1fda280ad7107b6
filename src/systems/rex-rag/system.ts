import { z } from 'zod';
import type { Recipe, VariantSettings } from '../../recipes/parts/recipe.ts';
import { OBJECTIVE, trainedOn } from '../../recipes/parts/training-base.ts';
import { searchLoop, SHARED_DIFFERENCES } from '../../recipes/parts/loops.ts';
import { defineGrouping } from '../parts/define.ts';

/*
 * REX-RAG (arXiv 2508.08149; code: MiliLab/REX-RAG): Search-R1 in which wrong rollouts are continued, with P = 20/101,
 * after a sentence of doubt. ρ₀ = 0.08 of the originals' number of clones is kept, and ρ follows
 * how often clones are correct (moving mean, 0.1 per step).
 */
const share = z.number().min(0).max(1);
const params = z.strictObject({
  /** P: that a wrong rollout is cloned. */
  chance: share,
  /** ρ₀, and the share of a step's accuracy that moves ρ. */
  rate: share,
  smoothing: share,
  /** `mixture`: the ratio's denominator is the density of policy and probes together. */
  correction: z.enum(['mixture', 'none']),
});
export type Revival = z.infer<typeof params>;

defineGrouping('rex-rag', {
  params,
  grows: 'are continued from where they failed',
  load: () => import('./grouping.ts'),
});

const branching = {
  id: 'rex-rag',
  chance: 20 / 101,
  rate: 0.08,
  smoothing: 0.1,
  correction: 'mixture',
} as const;

const settings: VariantSettings = trainedOn('search-r1', {
  objective: {
    ...OBJECTIVE,
    aggregation: 'token-mean',
    kl: { form: 'k3', place: 'loss', coefficient: 1e-3 },
  },
  branching,
});

export const rexRag: Recipe = {
  id: 'rex-rag',
  version: '2',
  title: 'REX-RAG',
  summary: 'Rollouts with a wrong answer are continued after a sentence of doubt.',
  about: {
    paper: '2508.08149',
    kind: 'trained by RL',
    parts: ['revive failures', 'objective: ratio to a mixture'],
    differences: [
      ...SHARED_DIFFERENCES,
      'Eight sentences in the vocabulary of the built-in world instead of 30; the policy has not seen them before.',
      'The cap on the ratio in the scripts with DAPO is left out.',
      'Groups of 8 in place of 5.',
    ],
    published: {
      figure: 'exact match 43.2 on average (Search-R1 39.6)',
      benchmark: 'seven question answering sets',
      model: 'Qwen2.5-7B',
    },
    sources: {
      'settings.retrieval.k': 'code: search_r1/llm_agent/generation.py',
      'settings.retrieval.maxSearches': 'ours; code: 5',
      'grpo.groupSize': 'ours; code: 5',
      'grpo.branching.chance': 'code: 20/101 (search_r1/llm_agent/generation.py)',
      'grpo.branching.rate': 'code: ρ₀',
      'grpo.branching.smoothing': 'code: α of the moving mean',
    },
    expectedEffect:
      'Fewer groups are all wrong, and some clones are correct; without the correction the ratio of the sentences is far from 1.',
  },
  settings: { ...searchLoop(3, 4), dialect: 'search-r1' },
  training: [
    { name: 'grpo', title: 'GRPO, failures continued, ratio to the mixture', settings },
    {
      name: 'uncorrected',
      title: 'GRPO, failures continued, no correction',
      differences: 'Ablation: clones are trained as if the policy had written the sentences.',
      settings: { ...settings, branching: { ...branching, correction: 'none' } },
    },
  ],
};

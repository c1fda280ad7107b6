import { z } from 'zod';
import { searchLoop, SHARED_DIFFERENCES } from '../../recipes/parts/loops.ts';
import type { VariantSettings } from '../../recipes/parts/recipe.ts';
import { CRITIC, OBJECTIVE, trainedOn } from '../../recipes/parts/training-base.ts';
import { defineSystem } from '../parts/define.ts';

/*
 * SmartRAG (arXiv 2410.18141; code: gaojingsheng/SmartRAG): decides whether to search, searches up to a quota, answers;
 * each search costs 0.2. The quota is not given; 2 here. Passages for the question come before it, so that some
 * questions need no search: the policy has no knowledge of an invented world.
 */
const loop = searchLoop(2, 2);

const grpo: VariantSettings = trainedOn('smart-rag', {
  objective: { ...OBJECTIVE, kl: { form: 'k3', place: 'loss', coefficient: 1e-3 } },
});
const ppo: VariantSettings = trainedOn('smart-rag', {
  updates: 2,
  objective: {
    ...OBJECTIVE,
    aggregation: 'token-mean',
    credit: 'span',
    kl: { form: 'k1', place: 'reward', coefficient: 1e-3 },
  },
  critic: { ...CRITIC, gamma: 0.99, lambda: 0.95 },
});
const adaptive: VariantSettings = {
  ...ppo,
  objective: {
    ...ppo.objective,
    kl: { ...ppo.objective.kl, adaptive: { target: 0.2, gain: 0.1 } },
  },
};
const CRITIC_DIFFERENCE =
  'The critic is a linear head over the policy’s hidden states; the cost of a search is at its end (`credit: span`).';
const RESET = { system: { reset: true } } as const;
const RESET_DIFFERENCE =
  'A result replaces the background before the question; earlier results are not shown again.';

const params = z.strictObject({
  /** After a search the context restarts with the result and the question. Absent: results are appended, and stay. */
  reset: z.literal(true).optional(),
});
export type Params = z.infer<typeof params>;

export const smartRag = defineSystem({
  id: 'smart-rag',
  version: '1',
  title: 'SmartRAG',
  summary: 'Decides whether to search at all; each search costs, a correct answer is rewarded.',
  about: {
    paper: '2410.18141',
    kind: 'trained by RL',
    parts: ['background', 'context: reset', 'shaping: cost a search', 'critic'],
    differences: [
      ...SHARED_DIFFERENCES,
      'The result is appended to the context; the paper starts a new prompt with question and observation: `smart-rag/reset`, `smart-rag/reset-ppo`, or `system.reset=true`.',
      'Background passages for the question replace what the paper’s model knows from pre-training; no supervised warm-up teaches when to search.',
      'KL is k3 with 0.001 in the loss; the paper adapts the coefficient, as `smart-rag/adaptive` does. γ and λ are those of its library.',
    ],
    published: {
      figure: 'above separately trained modules',
      benchmark: 'PopQA, AmbigNQ, HotpotQA, its abstract',
      model: 'Flan-T5-large, LLaMA-2-7B',
    },
    sources: {
      'settings.retrieval.k': 'ours; code: 4 results',
      'settings.retrieval.maxSearches': 'ours; the paper’s quota is not given',
      'grpo.objective.kl.coefficient': 'code: RL4LMs, there adaptive',
      'adaptive.objective.kl.adaptive.target': 'code: the popqa configs',
      'adaptive.objective.kl.adaptive.gain': 'code: RL4LMs, its KLController',
      'reward.smart-rag':
        'code: rl4lms/envs/text_generation/reward.py and the popqa configs: 0.2, 1',
    },
    expectedEffect:
      'Searches vanish on questions that the background answers and stay on the others; without the cost they stay on all.',
  },
  params,
  traits: ({ reset = false }) => ({ resetsContext: reset }),
  loop: () => import('./loop.ts'),
  settings: {
    ...loop,
    background: { ...loop.background, mode: 'shown-and-used-by-T' },
  },
  training: [
    { name: 'grpo', title: 'GRPO, EM and F1 minus the searches', settings: grpo },
    {
      name: 'ppo',
      title: 'PPO, EM and F1 minus the searches',
      differences: CRITIC_DIFFERENCE,
      settings: ppo,
    },
    {
      name: 'reset',
      title: 'GRPO, a new prompt after each search',
      differences: RESET_DIFFERENCE,
      settings: { ...grpo, overrides: RESET },
    },
    {
      name: 'reset-ppo',
      title: 'PPO, a new prompt after each search',
      differences: `${CRITIC_DIFFERENCE} ${RESET_DIFFERENCE}`,
      settings: { ...ppo, overrides: RESET },
    },
    {
      name: 'adaptive',
      title: 'PPO, a new prompt after each search, adaptive KL',
      differences: `${CRITIC_DIFFERENCE} ${RESET_DIFFERENCE}`,
      settings: { ...adaptive, overrides: RESET },
    },
  ],
});

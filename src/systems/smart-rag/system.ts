import { z } from 'zod';
import { searchLoop, SHARED_DIFFERENCES } from '../../recipes/parts/loops.ts';
import type { VariantSettings } from '../../recipes/parts/recipe.ts';
import { OBJECTIVE, trainedOn } from '../../recipes/parts/training-base.ts';
import { defineKl, defineSystem } from '../parts/define.ts';
import { ppo } from '../ppo/define.ts';

/*
 * SmartRAG (arXiv 2410.18141; code: gaojingsheng/SmartRAG): decides whether to search, searches up to a quota, answers;
 * each search costs 0.2. The quota is not given; 2 here. Passages for the question come before it, so that some
 * questions need no search: the policy has no knowledge of an invented world.
 */
const loop = searchLoop(2, 2);

const grpo: VariantSettings = trainedOn('smart-rag', {
  objective: { ...OBJECTIVE, kl: { form: 'k3', place: 'loss', coefficient: 1e-3 } },
});
const critic: VariantSettings = trainedOn('smart-rag', {
  updates: 2,
  objective: {
    ...OBJECTIVE,
    estimator: ppo({ gamma: 0.99, lambda: 0.95 }),
    aggregation: 'token-mean',
    credit: 'span',
    kl: { form: 'k1', place: 'reward', coefficient: 1e-3 },
  },
});
const adaptive: VariantSettings = {
  ...critic,
  objective: {
    ...critic.objective,
    kl: { ...critic.objective.kl, system: { id: 'smart-rag', target: 0.2, gain: 0.1 } },
  },
};
/** Most that the KL of one step counts above or below its target, as a share of it. */
const LIMIT = 0.2;

/**
 * PPO's adaptive controller of the KL's coefficient (Ziegler et al., arXiv 1909.08593, section 2.2), one move a step:
 *
 *     e = clip(KL / target − 1, −0.2, 0.2)        β ← β (1 + gain · e)
 *
 * KL is the mean over the step's trained tokens of the estimate that the objective has. Ziegler et al. and RL4LMs, on which
 * SmartRAG is built, have a gain of 0.1; verl has the rollouts of a step over a horizon in its place.
 */
export function nextCoefficient(
  beta: number,
  measured: number,
  { target, gain }: { target: number; gain: number },
): number {
  const error = Math.min(LIMIT, Math.max(-LIMIT, measured / target - 1));
  return beta * (1 + gain * error);
}

defineKl('smart-rag', {
  params: z
    .strictObject({
      target: z.number().positive().default(0.2).meta({ title: 'Target, nats per token' }),
      gain: z.number().positive().max(5).default(0.1).meta({ title: 'Gain' }),
    })
    .meta({
      title: 'Coefficient goes after a target (PPO’s controller)',
      description: 'It grows while the KL is above the target, and falls while it is below',
    }),
  clash({ place, coefficient }) {
    if (place === 'off')
      return 'There is no KL whose coefficient could go after a target. Set objective.kl.place, or objective.kl.system to null.';
    return coefficient === 0
      ? 'The coefficient is scaled, and 0 stays 0. Set objective.kl.coefficient above 0, or objective.kl.system to null.'
      : null;
  },
  rule: (params) => ({ next: (beta, measured) => nextCoefficient(beta, measured, params) }),
});

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
      'adaptive.objective.kl.system.target': 'code: the popqa configs',
      'adaptive.objective.kl.system.gain': 'code: RL4LMs, its KLController',
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
      settings: critic,
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
      settings: { ...critic, overrides: RESET },
    },
    {
      name: 'adaptive',
      title: 'PPO, a new prompt after each search, adaptive KL',
      differences: `${CRITIC_DIFFERENCE} ${RESET_DIFFERENCE}`,
      settings: { ...adaptive, overrides: RESET },
    },
  ],
});

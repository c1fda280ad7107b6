import { z } from 'zod';
import { searchLoop, SHARED_DIFFERENCES } from '../../recipes/parts/loops.ts';
import { OBJECTIVE, trainedOn, TRAINING } from '../../recipes/parts/training-base.ts';
import { defineSystem } from '../parts/define.ts';

/*
 * R1-Router (arXiv 2505.22095; code: OpenBMB/R1-Router): each step asks a sub-question and names the source that should
 * answer it; at most 3 steps. Its released actor computes a KL term and does not add it: none here.
 */
const objective = { ...OBJECTIVE, aggregation: { microBatch: 4 } } as const;

export const r1Router = defineSystem({
  id: 'r1-router',
  version: '1',
  title: 'R1-Router',
  summary:
    'Asks a sub-question and names its source, step by step; each step is rewarded for both.',
  about: {
    paper: '2505.22095',
    kind: 'trained by RL',
    parts: ['tools: source choice by the policy', 'process reward: route', 'advantages per span'],
    differences: [
      ...SHARED_DIFFERENCES,
      'The sources are the local corpus and the web, instead of text, images with text, and tables.',
      'Groups are whole rollouts; the advantage of a search is its own and later rewards. The paper groups the same step of another model’s trajectory; `r1-router/steps` does so with steps of the gold chain.',
      'The policy reads passages, not a separate answer to each sub-question; similarity of queries is token F1.',
      'A search without a named source queries both, and is correct only if both have the passage.',
    ],
    published: {
      figure: 'over 7 % above its baselines',
      benchmark: 'mean of its sets, its abstract',
      model: 'Qwen2.5-VL-7B',
    },
    sources: {
      'settings.retrieval.k': 'ours; code: 5',
      'settings.retrieval.maxSearches': 'code: three steps',
      'grpo.objective.kl.place': 'code: computed and not added',
      'grpo.objective.aggregation': 'code: Easy-R1/verl/workers/actor/dp_actor.py',
      'grpo.objective.aggregation.microBatch': 'not confirmed: EasyR1’s default',
      'reward.r1-router-step': 'code: Easy-R1/verl/utils/reward_score/step.py: 0.5, 0.5',
      'reward.r1-router': 'code: Easy-R1/verl/utils/reward_score/step.py: 0.5, 0.5',
    },
    expectedEffect:
      'Searches name the source that has the passage; with only the outcome as reward they do not.',
  },
  params: z.strictObject({}),
  traits: () => ({ choosesSource: true }),
  loop: () => import('./loop.ts'),
  settings: searchLoop(3, 3),
  training: [
    {
      name: 'grpo',
      title: 'GRPO, each search for its query and its source',
      settings: trainedOn('r1-router', { objective: { ...objective, credit: 'span' } }),
    },
    {
      name: 'steps',
      title: 'Step-GRPO: a group is one step after the gold steps before it',
      differences:
        'A group samples its step; earlier sub-questions and sub-answers are those of the gold chain. There are no groups for answers to sub-questions: only the last answer is rewarded.',
      settings: {
        ...TRAINING,
        stages: [
          {
            steps: TRAINING.steps,
            reward: 'r1-router-step',
            weights: {},
            overrides: { loop: 'program' },
          },
        ],
        objective,
      },
    },
  ],
});

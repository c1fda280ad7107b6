import type { Recipe } from '../../parts/recipe.ts';
import { OBJECTIVE, TRAINING } from '../../parts/training-base.ts';
import { searchLoop, SHARED_DIFFERENCES } from '../loop.ts';

/*
 * R1-Router (arXiv 2505.22095; code: OpenBMB/R1-Router): each step asks a sub-question and names the source that is to
 * answer it; at most 3 steps. Its released actor computes a KL term and does not add it: none here.
 */
const loop = searchLoop(3, 3);
const objective = { ...OBJECTIVE, aggregation: 'token-mean', microBatch: 4 } as const;

export const r1Router: Recipe = {
  id: 'r1-router',
  version: '1',
  title: 'R1-Router',
  summary: 'Asks a sub-question and names its source, step by step; each step is paid for both.',
  about: {
    paper: '2505.22095',
    kind: 'trained by RL',
    parts: ['tools: source choice by the policy', 'process reward: route', 'advantages per span'],
    differences: [
      ...SHARED_DIFFERENCES,
      'The sources are the local corpus and the web, in place of text, images with text, and tables.',
      'Groups are whole rollouts in which each search has the advantage of what it and later ones earn; theirs groups the same step of a trajectory that another model made, as `r1-router/steps` does with steps of the gold chain.',
      'The policy reads passages, not a separate answer to each sub-question; likeness of queries is token F1.',
      'A search without a named source asks both, and is the right one only where both have the passage.',
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
      'grpo.objective.microBatch': 'not confirmed: EasyR1’s default',
      'reward.r1-router-step': 'code: Easy-R1/verl/utils/reward_score/step.py: 0.5, 0.5',
      'reward.r1-router': 'code: Easy-R1/verl/utils/reward_score/step.py: 0.5, 0.5',
    },
    expectedEffect:
      'Searches name the source that has the passage; with the outcome alone as reward they do not.',
  },
  settings: { ...loop, retrieval: { ...loop.retrieval, chooses: true, honourTags: true } },
  training: [
    {
      name: 'grpo',
      title: 'GRPO, each search for its query and its source',
      settings: {
        ...TRAINING,
        stages: [{ steps: TRAINING.steps, reward: 'r1-router', weights: {} }],
        objective: { ...objective, credit: 'span' },
      },
    },
    {
      name: 'steps',
      title: 'Step-GRPO: a group is one step behind the gold steps before it',
      differences:
        'A group draws which step it is of; sub-questions and sub-answers before it are those of the gold chain. There are no groups of answers to sub-questions: the answer that is rewarded is the last.',
      settings: {
        ...TRAINING,
        stages: [
          {
            steps: TRAINING.steps,
            reward: 'r1-router-step',
            weights: {},
            overrides: { loop: 'one-step' },
          },
        ],
        objective,
      },
    },
  ],
};

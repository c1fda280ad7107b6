import { TRAINING } from '../parts/training-base.ts';
import type { Switch } from './switch.ts';

/** Posterior-GRPO (arXiv 2508.05170): R = R_f + R_o + R_o R_t, so that reasoning is rewarded only if the outcome is correct. */
export const posteriorGrpo: Switch = {
  id: 'posterior-grpo',
  title: 'Posterior-GRPO',
  summary: 'Search results are rewarded only if the answer is correct.',
  about: {
    paper: '2508.05170',
    kind: 'switch of training',
    parts: ['reward gates: process by outcome'],
    differences: [
      'The reward for reasoning is the share of supporting titles that the searches found, instead of a reward model trained on optimised and degraded thoughts.',
      'The outcome is exact match instead of tests of a program.',
      'Its reward replaces the recipe’s in every stage; without the gate it is `posterior-ungated`.',
    ],
    published: {
      figure: '+4.5 % over the outcome alone',
      benchmark: 'code generation',
      model: '7B',
    },
    sources: {
      'reward.posterior': 'paper: R_f + R_o + R_o R_t',
    },
    expectedEffect: 'Without the gate the reward rises while accuracy does not; with it both rise.',
  },
  changes: { stages: [{ steps: TRAINING.steps, reward: 'posterior', weights: {} }] },
  mark: 'stages.0.reward',
};

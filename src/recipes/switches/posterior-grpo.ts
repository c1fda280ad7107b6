import { TRAINING } from '../parts/training-base.ts';
import type { Switch } from './switch.ts';

/** Posterior-GRPO (arXiv 2508.05170): R = R_f + R_o + R_o R_t, so that reasoning is paid only where the outcome is right. */
export const posteriorGrpo: Switch = {
  id: 'posterior-grpo',
  title: 'Posterior-GRPO',
  summary: 'What the searches brought is rewarded only where the answer is right.',
  about: {
    paper: '2508.05170',
    kind: 'switch of training',
    parts: ['reward gates: process by outcome'],
    differences: [
      'The reward of reasoning is the share of supporting titles that the searches brought, in place of a reward model of thoughts that is trained on optimised and degraded ones.',
      'The outcome is exact match in place of tests of a program.',
      'Its reward takes the place of the recipe’s in every stage; without the gate it is `posterior-ungated`.',
    ],
    published: {
      figure: '+4.5 % over the outcome alone',
      benchmark: 'code generation',
      model: '7B',
    },
    sources: {
      'reward.posterior': 'paper: R_f + R_o + R_o R_t',
    },
    expectedEffect: 'Without the gate the reward rises while accuracy does not; with it both do.',
  },
  changes: { stages: [{ steps: TRAINING.steps, reward: 'posterior', weights: {} }] },
  mark: 'stages.0.reward',
};

import type { Recipe } from '../../parts/recipe.ts';
import { OBJECTIVE, TRAINING } from '../../parts/training-base.ts';
import { searchLoop, SHARED_DIFFERENCES } from '../loop.ts';

/*
 * After CTM, the computational thinking model (arXiv 2506.02658): decomposition and computing as blocks of the policy;
 * right trajectories first, then reinforcement learning. Its constants and rewards are not available: all of them are ours.
 */
const SFT_STEPS = 20;

export const afterCtm: Recipe = {
  id: 'after-ctm',
  version: '1',
  title: 'After CTM',
  summary: 'Plans, looks up and computes; imitates its right rollouts, then learns by the answer.',
  about: {
    paper: '2506.02658',
    kind: 'trained otherwise',
    parts: ['blocks: plan', 'blocks: compute', 'code tool', 'stages: SFT, then RL'],
    differences: [
      ...SHARED_DIFFERENCES,
      'A composition of parts after its abstract, not its method: of its four operators there are decomposition and simulation, as plan and calculator.',
      'Its rewards for simple, modular and verified solutions are left out; the answer alone is rewarded.',
    ],
    expectedEffect:
      'Without the calculator questions that count or reckon fall, and bridge questions do not.',
  },
  settings: { ...searchLoop(2, 6), blocks: ['plan', 'compute'] },
  training: [
    {
      name: 'sft-rl',
      title: 'Likelihood of right rollouts, then GRPO',
      settings: {
        ...TRAINING,
        stages: [
          {
            steps: SFT_STEPS,
            reward: 'em',
            weights: {},
            loss: { kind: 'sft', weight: 'right', gold: false },
          },
          { steps: TRAINING.steps - SFT_STEPS, reward: 'em', weights: {} },
        ],
        objective: { ...OBJECTIVE, aggregation: 'token-mean' },
      },
    },
  ],
};

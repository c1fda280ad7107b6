import type { Recipe } from '../../recipes/parts/recipe.ts';
import { OBJECTIVE, TRAINING } from '../../recipes/parts/training-base.ts';
import { searchLoop, SHARED_DIFFERENCES } from '../../recipes/parts/loops.ts';

/*
 * After CTM, the computational thinking model (arXiv 2506.02658): decomposition and computing as blocks of the policy;
 * correct trajectories first, then reinforcement learning. The paper's constants and rewards are not available: all are ours.
 */
const SFT_STEPS = 20;

export const afterCtm: Recipe = {
  id: 'after-ctm',
  version: '1',
  title: 'After CTM',
  summary: 'Plans, searches and computes; SFT on its correct rollouts, then RL on the answer.',
  about: {
    paper: '2506.02658',
    kind: 'trained otherwise',
    parts: ['blocks: plan', 'blocks: compute', 'code tool', 'stages: SFT, then RL'],
    differences: [
      ...SHARED_DIFFERENCES,
      'Parts composed after its abstract, not its full method: of its four operators, decomposition and simulation are here, as plan and calculator.',
      'Its rewards for simple, modular and verified solutions are left out; only the answer is rewarded.',
    ],
    expectedEffect:
      'Without the calculator, counting and arithmetic questions get worse, and bridge questions do not.',
  },
  settings: { ...searchLoop(2, 6), blocks: ['plan', 'compute'] },
  training: [
    {
      name: 'sft-rl',
      title: 'SFT on correct rollouts, then GRPO',
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

import type { Switch } from './switch.ts';

/*
 * SPEED-RL (arXiv 2506.09016; code: rqzhangberkeley/DAPO, data_controller.py): questions are screened with few rollouts, and
 * continued where these differ. Its script screens with 8 and continues with 16, its plots with 4 and 20.
 */
export const speedRl: Switch = {
  id: 'speed-rl',
  title: 'SPEED-RL',
  summary: 'Four rollouts screen a question; the rest of its group is made only where they differ.',
  about: {
    paper: '2506.09016',
    kind: 'switch of training',
    parts: ['question-stream control: screening'],
    differences: [
      'The paper was withdrawn over faults of its experiments, so that the speed-up that it claims is not quoted.',
      'Four rollouts of the recipe’s group screen, in place of 8 of 24.',
      'A question is kept where its reward varies, or exact match with `dynamicSampling.by=accuracy`.',
      'As many batches are drawn as `dynamicSampling.maxBatches` allows, 1 in most recipes, so that a step may train on fewer groups; the paper draws four times as many questions as it trains on.',
      'Screening belongs to the step; a step ahead, as the code has it, with `dynamicSampling.sameStepScreen=false`. No kept questions are carried over.',
      'What is saved is counted in rollouts: no engine works beside the trainer.',
    ],
    sources: {
      'changes.dynamicSampling.screen': 'code: 4 of 24 in its plots, 8 of 24 in its script',
    },
    expectedEffect:
      'It takes fewer rollouts than uniform sampling to the same accuracy; the accuracy of what is kept leans towards the middle, because what screened is trained on too.',
  },
  changes: { dynamicSampling: { on: true, screen: 4 } },
  mark: 'dynamicSampling.screen',
  dependents: ['dynamicSampling.sameStepScreen'],
};

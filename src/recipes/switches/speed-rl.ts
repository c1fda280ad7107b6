import type { Switch } from './switch.ts';

/*
 * SPEED-RL (arXiv 2506.09016; code: rqzhangberkeley/DAPO, data_controller.py): questions are screened with few rollouts, and
 * continued if these differ. Its script screens with 8 and continues with 16, its plots with 4 and 20.
 */
export const speedRl: Switch = {
  id: 'speed-rl',
  title: 'SPEED-RL',
  summary: 'Four rollouts screen a question; the rest of its group is sampled only if they differ.',
  about: {
    paper: '2506.09016',
    kind: 'switch of training',
    parts: ['question-stream control: screening'],
    differences: [
      'The paper was withdrawn over errors in its experiments, so its speed-up is not quoted.',
      'Four rollouts of the recipe’s group screen, instead of 8 of 24.',
      'A question is kept if its reward varies, or its exact match with `dynamicSampling.by=accuracy`.',
      '`dynamicSampling.maxBatches` limits the batches (1 in most recipes), so a step may train on fewer groups; the paper samples four times as many questions as it trains on.',
      'Screening is part of the step; `dynamicSampling.system.withinStep=false` screens one step ahead, as in the code. Kept questions are not carried over.',
      'Savings are counted in rollouts: no engine runs in parallel with the trainer.',
    ],
    sources: {
      'changes.dynamicSampling.system.screen': 'code: 4 of 24 in its plots, 8 of 24 in its script',
    },
    expectedEffect:
      'It needs fewer rollouts than uniform sampling for the same accuracy; kept groups are biased towards medium accuracy, because screening rollouts are trained on too.',
  },
  changes: { dynamicSampling: { system: { id: 'speed-rl', screen: 4 } } },
  mark: 'dynamicSampling.system.id',
};

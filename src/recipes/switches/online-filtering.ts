import type { Switch } from './switch.ts';

/*
 * Online difficulty filtering (arXiv 2504.03380): the batch holds questions that the policy answers in some of their
 * rollouts, by the rollouts of the batch itself; progress is in proportion to p (1 − p).
 */
export const onlineFiltering: Switch = {
  id: 'online-filtering',
  title: 'Online difficulty filtering',
  summary:
    'Questions are trained on whose share of right answers in their own group lies between 0.2 and 0.8.',
  about: {
    paper: '2504.03380',
    kind: 'switch of training',
    parts: ['question-stream control: band'],
    differences: [
      'The band from 0.2 to 0.8 is of this repository: the paper’s thresholds were not at hand.',
      'It is strict on both sides, and groups whose rewards are all equal are left out too.',
      'At most four batches are drawn, one after another; the paper draws until the batch is full, beside the training.',
      'Where too few are kept, groups beyond the band whose rewards vary fill the step.',
    ],
    published: {
      figure: '+4 % over plain GRPO on average, +10 % on AIME',
      benchmark: 'five benchmarks of mathematics',
      model: 'a model that its abstract does not name',
    },
    sources: {
      'changes.dynamicSampling.band.low': 'ours; not at hand',
      'changes.dynamicSampling.band.high': 'ours; not at hand',
      'changes.dynamicSampling.maxBatches':
        'ours: of one batch alone what lies beyond the band would fill the step again',
    },
    expectedEffect:
      'The balanced band teaches more a step than a one-sided one (questions below 0.8 alone), which teaches more than none.',
  },
  changes: { dynamicSampling: { on: true, band: { low: 0.2, high: 0.8 }, maxBatches: 4 } },
  mark: 'dynamicSampling.band',
};

import type { Switch } from './switch.ts';

/*
 * Online difficulty filtering (arXiv 2504.03380): the batch holds questions that the policy answers in some of their
 * rollouts, measured on the batch itself; progress is proportional to p (1 − p).
 */
export const onlineFiltering: Switch = {
  id: 'online-filtering',
  title: 'Online difficulty filtering',
  summary:
    'Trains only on questions whose group has a share of correct answers between 0.2 and 0.8.',
  about: {
    paper: '2504.03380',
    kind: 'switch of training',
    parts: ['question-stream control: band'],
    differences: [
      'The band from 0.2 to 0.8 is ours: the paper’s thresholds were not available.',
      'Its ends are excluded, and groups with equal rewards are left out too.',
      'At most four batches are sampled, one after another; the paper samples until the batch is full, in parallel with training.',
      'If too few are kept, groups outside the band whose rewards vary fill the step.',
    ],
    published: {
      figure: '+4 % over plain GRPO on average, +10 % on AIME',
      benchmark: 'five benchmarks of mathematics',
      model: 'a model that its abstract does not name',
    },
    sources: {
      'changes.dynamicSampling.band.low': 'ours; not available',
      'changes.dynamicSampling.band.high': 'ours; not available',
      'changes.dynamicSampling.maxBatches':
        'ours: with only one batch, groups outside the band would fill the step again',
    },
    expectedEffect:
      'The two-sided band teaches more per step than a one-sided one (only questions below 0.8), which teaches more than none.',
  },
  changes: { dynamicSampling: { band: { low: 0.2, high: 0.8 }, maxBatches: 4 } },
  mark: 'dynamicSampling.band',
};

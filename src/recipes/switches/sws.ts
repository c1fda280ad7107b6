import type { Switch } from './switch.ts';

/*
 * SwS (arXiv 2506.08989; code: MasterVito/SwS): after a first phase without a filter the set is joined by further questions
 * of the categories that were not mastered, as many of each as its share of failures.
 */
export const sws: Switch = {
  id: 'sws',
  title: 'SwS',
  summary:
    'After three steps the questions are joined by others of the categories in which the policy is weak.',
  about: {
    paper: '2506.08989',
    kind: 'switch of training',
    parts: ['question-stream control: weakness synthesis'],
    differences: [
      'Further questions are those that the first phase did not draw from, with certain answers; in the paper a language model writes them from concepts and eight samples vote on the answer.',
      'A category is form, hops and the relation that is asked for last.',
      'A weakness was right in at most half of its rollouts and did not improve: the paper’s thresholds are not known here. Three steps ask a question of the pool at most once, so that nothing is known of its improving; `curriculum.probeSteps` changes that.',
      'The second phase keeps every question; the paper keeps accuracies from 0.125 to 0.875, for which there is the switch online-filtering.',
    ],
    published: {
      figure: '56.7 (46.7 before)',
      benchmark: 'mean of eight benchmarks of mathematics',
      model: '7B',
    },
    sources: {
      'changes.curriculum.probeSteps': 'ours; not confirmed',
    },
    expectedEffect:
      'Accuracy rises more in weak categories than in strong ones, against as many questions added at random.',
  },
  changes: { curriculum: { kind: 'weakness', probeSteps: 3 } },
  mark: 'curriculum.kind',
};

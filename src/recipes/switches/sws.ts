import type { Switch } from './switch.ts';

/*
 * SwS (arXiv 2506.08989; code: MasterVito/SwS): after a first phase without a filter, further questions
 * of the categories that were not mastered are added, in proportion to their failures.
 */
export const sws: Switch = {
  id: 'sws',
  title: 'SwS',
  summary: 'After three steps, more questions from the policy’s weak categories are added.',
  about: {
    paper: '2506.08989',
    kind: 'switch of training',
    parts: ['question-stream control: weakness synthesis'],
    differences: [
      'Further questions are existing ones outside the first phase, with known answers; in the paper a language model writes them from concepts and eight samples vote on the answer.',
      'A category is form, hops and the last relation in the question.',
      'A weakness was correct in at most half of its rollouts and did not improve (the paper’s thresholds are not known). Three steps ask a question at most once, so improvement cannot be seen; `curriculum.system.probeSteps` changes that.',
      'The second phase keeps every question; the paper keeps accuracies from 0.125 to 0.875 (see the switch online-filtering).',
    ],
    published: {
      figure: '56.7 (46.7 before)',
      benchmark: 'mean of eight benchmarks of mathematics',
      model: '7B',
    },
    sources: {
      'changes.curriculum.system.probeSteps': 'ours; not confirmed',
    },
    expectedEffect:
      'Accuracy rises more in weak categories than in strong ones, compared with as many random questions.',
  },
  changes: { curriculum: { system: { id: 'sws', probeSteps: 3 } } },
  mark: 'curriculum.system.id',
};

import type { Switch } from './switch.ts';

/*
 * One-Shot RLVR (arXiv 2504.20571; code: ypwang61/One-Shot-RLVR): one question fills every batch, that whose accuracy
 * spread most over the epochs of an earlier run. GRPO with groups of 8, KL 1e-3, entropy bonus 1e-3.
 */
export const oneShotRlvr: Switch = {
  id: 'one-shot-rlvr',
  title: 'One-Shot RLVR',
  summary: 'One question fills every batch: that whose accuracy spread most.',
  about: {
    paper: '2504.20571',
    kind: 'switch of training',
    parts: ['question-stream control: fixed ids'],
    differences: [
      'Accuracies come from the first three steps of the run itself, over a pool of eight questions that eight a step ask three times; the paper takes them from a whole earlier run over its whole set. `curriculum.probeSteps` and `curriculum.pool` change that.',
      'Two or four questions with `curriculum.count`, named ones with `curriculum.ids`.',
      'No bonus on entropy, which the paper finds to matter; its KL of 1e-3 is the recipe’s to have.',
      'One update a step unless the recipe has more; the paper makes eight.',
      'A small policy has little to be elicited: what may carry over to other questions is how it searches and answers, not what it knows.',
    ],
    published: {
      figure: '73.6 (36.0 before training)',
      benchmark: 'MATH500',
      model: 'Qwen2.5-Math-1.5B',
    },
    sources: {
      'changes.curriculum.probeSteps': 'ours; paper: a whole earlier run',
      'changes.curriculum.pool': 'ours; paper: its whole set',
    },
    expectedEffect:
      'Held-out accuracy keeps rising after the accuracy on the one question has reached 1.',
  },
  changes: { curriculum: { kind: 'one-shot', probeSteps: 3, pool: 8 } },
  mark: 'curriculum.kind',
};

import type { Switch } from './switch.ts';

/*
 * One-Shot RLVR (arXiv 2504.20571; code: ypwang61/One-Shot-RLVR): one question fills every batch, the one whose accuracy
 * varied most over the epochs of an earlier run. GRPO with groups of 8, KL 1e-3, entropy bonus 1e-3.
 */
export const oneShotRlvr: Switch = {
  id: 'one-shot-rlvr',
  title: 'One-Shot RLVR',
  summary: 'One question fills every batch: the one whose accuracy varied most.',
  about: {
    paper: '2504.20571',
    kind: 'switch of training',
    parts: ['question-stream control: fixed ids'],
    differences: [
      'Accuracies come from the first three steps of the run itself, in which eight questions per step cover a pool of eight three times; the paper uses an earlier run over the whole set. `curriculum.system.probeSteps` and `curriculum.system.pool` change that.',
      '`curriculum.system.count` sets two or four questions, `curriculum.system.ids` names them.',
      'No entropy bonus, which the paper finds important; its KL of 1e-3 is left to the recipe.',
      'One update per step unless the recipe has more; the paper makes eight.',
      'A small policy has little hidden ability: how it searches and answers may carry over to other questions, not what it knows.',
    ],
    published: {
      figure: '73.6 (36.0 before training)',
      benchmark: 'MATH500',
      model: 'Qwen2.5-Math-1.5B',
    },
    sources: {
      'changes.curriculum.system.probeSteps': 'ours; paper: a whole earlier run',
      'changes.curriculum.system.pool': 'ours; paper: its whole set',
    },
    expectedEffect:
      'Held-out accuracy keeps rising after the accuracy on the one question has reached 1.',
  },
  changes: {
    curriculum: { system: { id: 'one-shot-rlvr', probeSteps: 3, pool: 8 } },
  },
  mark: 'curriculum.system.id',
};

import { TRAINING } from '../parts/training-base.ts';
import type { Switch } from './switch.ts';

/*
 * FSPO (arXiv 2505.24630) as its released code has it (nusnlp/FSPO: verl/workers/fsdp_workers.py, trainer/ppo/ray_trainer.py):
 * the answer alone is rewarded, and tokens after the thought count as supported whatever the answer is.
 */
export const fspoAsReleased: Switch = {
  id: 'fspo-as-released',
  title: 'FSPO, as released',
  summary: 'FSPO with the answer alone as reward, and the tokens of wrong answers pushed up.',
  about: {
    paper: '2505.24630',
    kind: 'switch of training',
    parts: ['advantages per span'],
    differences: [
      'A step is a thought in place of a sentence, checked as `fspo` has it.',
      'The released mask begins at the wrong token, by another tokenizer; that is not reproduced.',
      'Its reward takes the place of the recipe’s in every stage; KL and learning rate stay the recipe’s.',
    ],
    sources: { 'reward.fspo-released': 'code: trainer/ppo/ray_trainer.py, the F1 of the answer' },
    expectedEffect: 'Wrong answers become surer, which by the paper’s rule they do not.',
  },
  changes: {
    objective: { factuality: 'as-released' },
    stages: [{ steps: TRAINING.steps, reward: 'fspo-released', weights: {} }],
  },
  mark: 'objective.factuality',
};

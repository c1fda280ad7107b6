import { TRAINING } from '../parts/training-base.ts';
import type { Switch } from './switch.ts';

/*
 * FSPO (arXiv 2505.24630) as in its released code (nusnlp/FSPO: verl/workers/fsdp_workers.py, trainer/ppo/ray_trainer.py):
 * only the answer is rewarded, and tokens after the thought count as supported whatever the answer is.
 */
export const fspoAsReleased: Switch = {
  id: 'fspo-as-released',
  title: 'FSPO, as released',
  summary: 'FSPO with only the answer as reward, and the tokens of wrong answers pushed up.',
  about: {
    paper: '2505.24630',
    kind: 'switch of training',
    parts: ['advantages per span'],
    differences: [
      'A step is a thought instead of a sentence, checked as in `fspo`.',
      'The released mask starts at the wrong token because of another tokenizer; that is not reproduced.',
      'Its reward replaces the recipe’s in every stage; KL and learning rate stay the recipe’s.',
    ],
    sources: { 'reward.fspo-released': 'code: trainer/ppo/ray_trainer.py, the F1 of the answer' },
    expectedEffect:
      'Wrong answers become more confident, which does not happen with the paper’s rule.',
  },
  changes: {
    objective: { factuality: 'as-released' },
    stages: [{ steps: TRAINING.steps, reward: 'fspo-released', weights: {} }],
  },
  mark: 'objective.factuality',
};

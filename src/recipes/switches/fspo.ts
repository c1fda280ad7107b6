import { TRAINING } from '../parts/training-base.ts';
import type { Switch } from './switch.ts';

/*
 * FSPO (arXiv 2505.24630; code: nusnlp/FSPO): a verdict on each step of reasoning is part of the reward and flips the
 * advantage of the step's own tokens. Groups of 8, KL 1e-3, learning rate 4e-7 to 5e-7.
 */
export const fspo: Switch = {
  id: 'fspo',
  title: 'FSPO',
  summary:
    'Thoughts are checked against the passages read; the verdict is rewarded and flips the sign of their tokens’ advantage.',
  about: {
    paper: '2505.24630',
    kind: 'switch of training',
    parts: ['process reward: verdicts on thoughts', 'advantages per span'],
    differences: [
      'A step is a thought instead of a sentence.',
      'The verifier compares names and numbers with the passages that were read, instead of asking a language model.',
      'Tokens outside thoughts keep their advantage. As released they are all pushed up, those of wrong answers too: `fspo-as-released`.',
      'Its reward replaces the recipe’s in every stage.',
      'KL and learning rate stay the recipe’s.',
    ],
    published: {
      figure: '58.4 and 89.5',
      benchmark: 'TruthfulQA and GSM8K',
      model: 'Qwen2.5-7B-Instruct',
    },
    sources: {
      'reward.fspo': 'paper: answer and mean verdict',
    },
    expectedEffect:
      'The share of thoughts without support in the passages falls while accuracy does not; as released, wrong answers become more confident.',
  },
  changes: {
    objective: { rules: { fspo: { form: 'paper' } } },
    stages: [{ steps: TRAINING.steps, reward: 'fspo', weights: {} }],
  },
  mark: 'objective.rules.fspo.form',
};

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
    objective: { rules: { fspo: { form: 'as-released' } } },
    stages: [{ steps: TRAINING.steps, reward: 'fspo-released', weights: {} }],
  },
  mark: 'objective.rules.fspo.form',
};

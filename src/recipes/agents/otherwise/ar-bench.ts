import type { Recipe } from '../../parts/recipe.ts';
import { OBJECTIVE, TRAINING } from '../../parts/training-base.ts';
import { searchLoop, SHARED_DIFFERENCES } from '../loop.ts';

/*
 * AR-Bench (arXiv 2506.08295): a benchmark of problems that lack something, which has to be asked for. Here the question
 * form is the world's own: two bear a name, and the one who asked knows which is meant.
 */
export const arBench: Recipe = {
  id: 'ar-bench',
  version: '1',
  title: 'Asking back, after AR-Bench',
  summary: 'Plain search with a block that asks the asker which of two namesakes is meant.',
  about: {
    paper: '2506.08295',
    kind: 'trained by RL',
    parts: ['blocks: ask', 'ask action'],
    differences: [
      ...SHARED_DIFFERENCES,
      'A benchmark, not a system: its detective cases, situation puzzles and numbers to guess are not here; questions that need a clarification are.',
      'The reply is the world’s, by rule; a question that needs none is answered so.',
      'It is trained by GRPO on exact match; theirs tries SFT, DPO and search at test time.',
      'An ask has one form, so that their choice between several asks by what each is expected to leave has nothing to choose from; `ar-bench/asks` pays for what an ask narrows. It may ask as often as its tokens allow; `budgets.asks` is their limit of turns.',
    ],
    published: {
      figure: 'about 35 % of numbers guessed',
      benchmark: 'AR-Bench, guessing numbers',
      model: 'GPT-4o',
    },
    sources: {
      'settings.retrieval.maxSearches': 'ours; code: 25 turns',
      'reward.ar-bench': 'ours; its measure: code (tmlr-group/AR-Bench)',
    },
    expectedEffect:
      'It asks on questions with namesakes and on no others; without the block it is right on these about half of the time.',
  },
  settings: { ...searchLoop(2, 6), blocks: ['ask'] },
  training: [
    {
      name: 'grpo',
      title: 'GRPO by exact match',
      settings: {
        ...TRAINING,
        stages: [{ steps: TRAINING.steps, reward: 'em', weights: {} }],
        objective: { ...OBJECTIVE, aggregation: 'token-mean' },
      },
    },
    {
      name: 'asks',
      title: 'GRPO by exact match and what asks narrow',
      differences:
        'Each ask is paid the share of the namesakes that it is expected to leave out, by which the paper’s search at test time ranks asks; a question that is clear pays nothing.',
      settings: {
        ...TRAINING,
        stages: [{ steps: TRAINING.steps, reward: 'ar-bench', weights: {} }],
        objective: { ...OBJECTIVE, aggregation: 'token-mean' },
      },
    },
  ],
};

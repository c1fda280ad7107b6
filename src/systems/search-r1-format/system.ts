import type { Recipe } from '../../recipes/parts/recipe.ts';
import { trainedOn, verlObjective } from '../../recipes/parts/training-base.ts';
import { searchLoop, SHARED_DIFFERENCES } from '../../recipes/parts/loops.ts';

/*
 * Search-R1 with a format reward, the empirical study of arXiv 2505.15117 (same code, scripts v0.3): 4 searches
 * of 3 passages. Its axes are the reward for the format, for gold that was read, and the engine in training.
 */

const objective = verlObjective(8);

export const searchR1Format: Recipe = {
  id: 'search-r1-format',
  version: '1',
  title: 'Search-R1 with format reward',
  summary: 'Search-R1 with a reward for the format and, in one variant, for gold that it read.',
  about: {
    paper: '2505.15117',
    kind: 'trained by RL',
    parts: ['outcome and format ladder', 'process reward: gold string'],
    differences: [
      ...SHARED_DIFFERENCES,
      "The required order of blocks is Forage's, with exactly one box.",
      'Model and engine are settings of a run.',
    ],
    sources: {
      'settings.retrieval.k': 'code: scripts/nq_hotpotqa/v0.3',
      'settings.retrieval.maxSearches': 'code: scripts/nq_hotpotqa/v0.3',
      'grpo.objective.kl.coefficient': 'code: scripts/nq_hotpotqa/v0.3',
      'grpo.groupSize': 'ours; code: 5 (scripts/nq_hotpotqa/v0.3)',
      'reward.search-r1-format':
        'code: reward_score/qa_em_format.py with the values of v0.3: 0.2, 0.1',
    },
    expectedEffect:
      'The format is right earlier than under exact match alone, and exact match rises earlier.',
  },
  settings: { ...searchLoop(3, 4), dialect: 'search-r1' },
  training: [
    {
      name: 'grpo',
      title: 'GRPO, answer and format',
      settings: trainedOn('search-r1-format', { objective }),
    },
    {
      name: 'grpo-retrieval',
      title: 'GRPO, answer, format and gold that was read',
      settings: trainedOn('search-r1-format-retrieval', { objective }),
    },
  ],
};

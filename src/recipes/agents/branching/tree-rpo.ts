import type { Recipe } from '../../parts/recipe.ts';
import { OBJECTIVE, TRAINING } from '../../parts/training-base.ts';
import { searchLoop, SHARED_DIFFERENCES } from '../loop.ts';

/*
 * TreeRPO (arXiv 2506.05183): a group is a tree of turns; a turn is worth the mean of what follows it and is told
 * from its siblings. A part of reinforcement learning: --set branching.kind=tree puts it under any recipe.
 */
export const treeRpo: Recipe = {
  id: 'tree-rpo',
  version: '1',
  title: 'TreeRPO',
  summary: 'Every turn has siblings, and is credited with what follows it on average.',
  about: {
    paper: '2506.05183',
    kind: 'trained by RL',
    parts: ['tree rollouts', 'span advantages'],
    differences: [
      ...SHARED_DIFFERENCES,
      'A step is a turn with its search in place of a fixed number of tokens, and the tree branches behind results.',
      'Two children and three levels in place of eight and three, which the paper is said to have.',
      "The advantage is divided by the siblings' own deviation; the paper's normaliser is not known here.",
      'Its tasks are mathematics without search.',
    ],
    published: {
      figure: 'pass@1 35.5 on average (19.0 before training)',
      benchmark: 'mathematics',
      model: 'Qwen2.5-Math-1.5B',
    },
    sources: {
      'settings.retrieval.maxSearches': 'ours',
      'grpo.branching.children': 'ours; 8 is not confirmed of the paper',
      'grpo.branching.depth': 'not confirmed of the paper',
    },
    expectedEffect:
      "A turn's advantage tells whether it retrieved a supporting passage better than GRPO's does, at as many leaves.",
  },
  settings: searchLoop(3, 4),
  training: [
    {
      name: 'grpo',
      title: 'Trees of two children and three levels, exact match',
      settings: {
        ...TRAINING,
        stages: [{ steps: TRAINING.steps, reward: 'search-r1', weights: {} }],
        objective: { ...OBJECTIVE, aggregation: 'token-mean' },
        branching: { kind: 'tree', children: 2, depth: 3 },
      },
    },
  ],
};

import { z } from 'zod';
import type { Recipe } from '../../recipes/parts/recipe.ts';
import { OBJECTIVE, trainedOn } from '../../recipes/parts/training-base.ts';
import { searchLoop, SHARED_DIFFERENCES } from '../../recipes/parts/loops.ts';
import { defineGrouping } from '../parts/define.ts';

/*
 * TreeRPO (arXiv 2506.05183): a group is a tree of turns; the value of a turn is the mean over what follows it, and
 * its advantage is relative to its siblings. --set branching.id=tree-rpo applies it to any recipe.
 */

const params = z.strictObject({
  /** N and D: a group has at most N^D rollouts. */
  children: z.int().min(2).max(8),
  depth: z.int().min(1).max(4),
});
export type Tree = z.infer<typeof params>;

defineGrouping('tree-rpo', {
  params,
  begins: ({ children }) => children,
  grows: 'are a tree of turns',
  load: () => import('./grouping.ts'),
});

export const treeRpo: Recipe = {
  id: 'tree-rpo',
  version: '1',
  title: 'TreeRPO',
  summary: 'Every turn has siblings and gets the mean reward of what follows it.',
  about: {
    paper: '2506.05183',
    kind: 'trained by RL',
    parts: ['tree rollouts', 'span advantages'],
    differences: [
      ...SHARED_DIFFERENCES,
      'A step is a turn with its search instead of a fixed number of tokens, and the tree branches after results.',
      'Two children and three levels instead of eight and three (the paper’s, not confirmed).',
      "The advantage is divided by the siblings' standard deviation; the paper's normaliser is not known.",
      'The paper’s tasks are mathematics without search.',
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
      "A turn's advantage predicts whether it retrieved a supporting passage better than GRPO's does, at the same number of leaves.",
  },
  settings: searchLoop(3, 4),
  training: [
    {
      name: 'grpo',
      title: 'Trees of two children and three levels, exact match',
      settings: trainedOn('search-r1', {
        objective: { ...OBJECTIVE, aggregation: 'token-mean' },
        branching: { id: 'tree-rpo', children: 2, depth: 3 },
      }),
    },
  ],
};

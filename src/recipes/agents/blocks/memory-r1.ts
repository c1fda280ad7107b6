import { OBJECTIVE, TRAINING } from '../../parts/training-base.ts';
import type { Recipe } from '../../parts/recipe.ts';
import { searchLoop, SHARED_DIFFERENCES } from '../loop.ts';
import { BLOCKS_SHOWN } from './shown.ts';

/*
 * Memory-R1 (arXiv 2508.19828; no code): a memory bank of facts that the policy adds to, updates and deletes from, and a
 * frozen answerer that reads the bank alone; both are paid by exact match. Here the manager is what is trained.
 */
export const memoryR1: Recipe = {
  id: 'memory-r1',
  version: '1',
  title: 'Memory-R1, manager',
  summary:
    'Keeps a memory of facts while it searches; a frozen copy answers from the memory alone.',
  about: {
    paper: '2508.19828',
    kind: 'trained by RL',
    parts: ['blocks: memory', 'memory bank', 'frozen answerer'],
    differences: [
      ...SHARED_DIFFERENCES,
      'A world of facts, with older states of pages, in place of dialogues; facts come from searches.',
      'The bank is written anew behind every result; which fact was added, updated, deleted or kept is told by comparison, not named.',
      'The frozen answerer is the checkpoint without its adapter and reads the whole bank, or, in `memory-r1/retrieved`, four facts of at most sixteen, in place of 60. `memory-r1/answerer` trains it by itself, on a memory that holds every sentence that the question finds, sixteen at most: names of those that it keeps, then the answer.',
      'The policy ends with an answer of its own, which earns nothing; metrics and held-out scores are of that answer.',
      BLOCKS_SHOWN,
    ],
    published: {
      figure: 'F1 45.02 (MemoryOS 35.04)',
      benchmark: 'LoCoMo',
      model: 'LLaMA-3.1-8B',
    },
    sources: {
      'settings.retrieval.k': 'ours; paper: no search',
      'settings.retrieval.maxSearches': 'ours; paper: no search',
      'answerer.overrides.retrieval.memories.read': 'ours; paper: 60',
      'answerer.overrides.retrieval.memories.cap': 'ours',
      'reward.em': 'paper: exact match',
      'reward.memory-r1': 'paper: exact match',
      'reward.memory-r1-retrieved': 'ours: 16 and 4; paper: 60 are read',
    },
    expectedEffect:
      'Facts are updated where they were deleted and added before, and fewer contradict each other; a manager that only adds does not.',
  },
  settings: { ...searchLoop(2, 4), blocks: ['memory'] },
  training: [
    {
      name: 'grpo',
      title: 'GRPO, what a frozen copy answers from the memory',
      settings: {
        ...TRAINING,
        stages: [{ steps: TRAINING.steps, reward: 'memory-r1', weights: {} }],
        objective: OBJECTIVE,
      },
    },
    {
      name: 'answerer',
      title: 'The answerer by itself: GRPO, which of four facts it keeps and what it answers',
      differences:
        'Its memory is what a manager that only adds holds of one retrieval with the question, so that questions of two hops at most are asked; it runs ARENA’s loop, whose numbers stand for the memories that theirs writes out.',
      loop: 'arena',
      settings: {
        ...TRAINING,
        overrides: { retrieval: { k: 8, memories: { cap: 16, read: 4 } } },
        stages: [{ steps: TRAINING.steps, reward: 'em', weights: {} }],
        curriculum: { ...TRAINING.curriculum, hops: { min: 1, max: 2 } },
        objective: OBJECTIVE,
      },
    },
    {
      name: 'retrieved',
      title: 'GRPO, what a frozen copy answers from four facts of the memory',
      differences: 'The memory holds sixteen facts; the oldest are forgotten.',
      settings: {
        ...TRAINING,
        stages: [{ steps: TRAINING.steps, reward: 'memory-r1-retrieved', weights: {} }],
        objective: OBJECTIVE,
      },
    },
  ],
};

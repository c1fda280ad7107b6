import { z } from 'zod';
import { BLOCKS_SHOWN, searchLoop, SHARED_DIFFERENCES } from '../../recipes/parts/loops.ts';
import { trainedOn } from '../../recipes/parts/training-base.ts';
import { defineSystem } from '../parts/define.ts';

/*
 * Memory-R1 (arXiv 2508.19828; no code): a memory bank of facts that the policy adds to, updates and deletes from, and a
 * frozen answerer that reads only the bank; both are rewarded by exact match. Here only the manager is trained.
 */
const params = z.strictObject({
  /** Its answerer: single facts are read in place of passages, as of a memory that holds `cap` of what was found. */
  memories: z
    .strictObject({ cap: z.int().min(1).max(64), read: z.int().min(1).max(16) })
    .optional(),
});
export type Params = z.infer<typeof params>;

export const memoryR1 = defineSystem({
  id: 'memory-r1',
  version: '1',
  title: 'Memory-R1, manager',
  summary: 'Keeps a memory of facts while it searches; a frozen copy answers from the memory only.',
  about: {
    paper: '2508.19828',
    kind: 'trained by RL',
    parts: ['blocks: memory', 'memory bank', 'frozen answerer'],
    differences: [
      ...SHARED_DIFFERENCES,
      'A world of facts, with older versions of pages, instead of dialogues; facts come from searches.',
      'The bank is rewritten after every result; which fact was added, updated, deleted or kept is found by comparison, not stated by the model.',
      'The frozen answerer is the checkpoint without its adapter. It reads the whole bank, or in `memory-r1/retrieved` four of at most sixteen facts (paper: 60). `memory-r1/answerer` trains only the answerer, on at most sixteen sentences found with the question: it names the ones it keeps, then answers.',
      'The policy also answers at the end, without a reward; metrics and held-out scores use that answer.',
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
      'answerer.overrides.system.memories.read': 'ours; paper: 60',
      'answerer.overrides.system.memories.cap': 'ours',
      'reward.em': 'paper: exact match',
      'reward.memory-r1': 'paper: exact match',
      'reward.memory-r1-retrieved': 'ours: 16 and 4; paper: 60 are read',
    },
    expectedEffect:
      'Facts are updated instead of deleted and added, and fewer contradict each other; a manager that only adds does not show this.',
  },
  params,
  loop: () => import('./loop.ts'),
  settings: { ...searchLoop(2, 4), blocks: ['memory'] },
  training: [
    {
      name: 'grpo',
      title: 'GRPO, answers of a frozen copy from the memory',
      settings: trainedOn('memory-r1'),
    },
    {
      name: 'answerer',
      title: 'Only the answerer: GRPO, which of four facts it keeps and its answer',
      differences:
        'The memory is filled by one retrieval with the question, so questions have at most two hops. It runs ARENA’s loop: numbers instead of the memories that the paper writes out.',
      loop: 'arena',
      settings: trainedOn('em', {
        overrides: {
          retrieval: { k: 8 },
          system: { id: 'memory-r1', memories: { cap: 16, read: 4 } },
        },
        curriculum: { system: { id: 'simple-rl-zoo', min: 1, max: 2 } },
      }),
    },
    {
      name: 'retrieved',
      title: 'GRPO, answers of a frozen copy from four facts of the memory',
      differences: 'The memory holds sixteen facts; the oldest are forgotten.',
      settings: trainedOn('memory-r1-retrieved'),
    },
  ],
});

import { z } from 'zod';
import { searchLoop, SHARED_DIFFERENCES } from '../../recipes/parts/loops.ts';
import { OBJECTIVE, trainedOn } from '../../recipes/parts/training-base.ts';
import { defineSystem } from '../parts/define.ts';

/*
 * AR-Bench (arXiv 2506.08295): a benchmark of problems with missing information, which has to be asked for. Here
 * questions are from the built-in world: two entities share a name, and the user knows which is meant.
 */
const params = z.strictObject({
  /** Largest number of asks that get a reply; later ones are answered that nothing more is known. Absent: all. */
  asks: z.int().min(1).max(32).optional(),
});
export type Params = z.infer<typeof params>;

export const arBench = defineSystem({
  id: 'ar-bench',
  version: '1',
  title: 'Asking back, after AR-Bench',
  summary: 'Plain search with a block that asks the user which of two namesakes is meant.',
  about: {
    paper: '2506.08295',
    kind: 'trained by RL',
    parts: ['blocks: ask', 'ask action'],
    differences: [
      ...SHARED_DIFFERENCES,
      'A benchmark, not a system: its detective cases, situation puzzles and number guessing are left out; questions that need a clarification are here.',
      'The world replies by rule; if a question needs no clarification, the reply says so.',
      'It is trained by GRPO on exact match; the paper tries SFT, DPO and search at test time.',
      'There is only one way to ask, so the paper’s choice between several asks by expected narrowing does not apply; `ar-bench/asks` rewards what an ask narrows. It may ask as often as its tokens allow; `system.asks` sets the paper’s limit of turns.',
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
      'It asks only on questions with namesakes; without the block it is correct on these about half of the time.',
  },
  params,
  loop: () => import('./loop.ts'),
  settings: { ...searchLoop(2, 6), blocks: ['ask'] },
  training: [
    {
      name: 'grpo',
      title: 'GRPO by exact match',
      settings: trainedOn('em', { objective: { ...OBJECTIVE, aggregation: 'token-mean' } }),
    },
    {
      name: 'asks',
      title: 'GRPO by exact match and by what asks narrow',
      differences:
        'Each ask earns the share of namesakes that it is expected to rule out, the value by which the paper’s search at test time ranks asks; on a clear question it earns nothing.',
      settings: trainedOn('ar-bench', { objective: { ...OBJECTIVE, aggregation: 'token-mean' } }),
    },
  ],
});

import {
  defineDialect,
  numberedPassages,
  PLAIN_TURN,
  searches,
  SHORT,
  tag,
} from '../../recipes/parts/dialect.ts';
import type { Recipe } from '../../recipes/parts/recipe.ts';
import { trainedOn, verlObjective } from '../../recipes/parts/training-base.ts';
import { searchLoop, SHARED_DIFFERENCES } from '../../recipes/parts/loops.ts';

/*
 * AutoRefine (arXiv 2505.11277; code: syr-cn/AutoRefine): at most 5 searches of 3 passages; after every result
 * the policy writes what matters in a <refine> block, which earns 0.1 if the answer is wrong and the
 * block holds the gold answer.
 */

/** AutoRefine (arXiv 2505.11277; code: syr-cn/AutoRefine). */
defineDialect('auto-refine', {
  marks: [tag('think'), tag('search'), tag('refine'), tag('short_answer', 'answer')],
  ...PLAIN_TURN,
  result: ['\n\n<documents>', '</documents>\n\n'],
  passages: numberedPassages,
  answer: 'text',
  instruction: ({ retrieval }) =>
    [
      'You are good at answering questions with several turns of searching. To solve the question, first reason step by step within <think> and </think>.',
      'If you lack knowledge, call the search engine with <search> query </search>; it returns the best passages within <documents> and </documents>.',
      'After each search, write the useful information of the documents within <refine> and </refine>; it may be repeated with the next search.',
      `You may make ${searches(retrieval.maxSearches)}. At the end give the answer alone within <answer> and </answer>. ${SHORT}`,
    ].join(' '),
});

export const autoRefine: Recipe = {
  id: 'auto-refine',
  version: '1',
  title: 'AutoRefine',
  summary: 'Think, search, refine what was read, repeat; trained on F1, and on what was refined.',
  about: {
    paper: '2505.11277',
    kind: 'trained by RL',
    parts: ['blocks: refine', 'process reward: gold in what was refined'],
    differences: [
      ...SHARED_DIFFERENCES,
      'The paper teaches refine blocks by a prompt; the built-in policy saw them in its training.',
    ],
    published: { figure: 'EM 0.405', benchmark: 'mean of seven sets', model: 'Qwen2.5-3B' },
    sources: {
      'settings.retrieval.k': 'code: cmd/train.sh',
      'settings.retrieval.maxSearches': 'code: cmd/train.sh',
      'grpo.objective.aggregation': 'code: verl/workers/actor/dp_actor.py',
      'grpo.objective.aggregation.microBatch': 'code: cmd/train.sh, 64 on 8 GPUs',
      'grpo.groupSize': 'ours; code: 5 (cmd/train.sh)',
      'reward.autorefine': 'code: reward_score/qa_em.py, 0.1 for the refinement',
    },
    expectedEffect:
      'The refine block holds the gold answer nearly as often as the result does; without its reward, less often.',
  },
  settings: { ...searchLoop(3, 5), blocks: ['refine'], dialect: 'auto-refine' },
  training: [
    {
      name: 'grpo',
      title: 'GRPO, F1 and refinement',
      settings: trainedOn('autorefine', { objective: verlObjective(8) }),
    },
  ],
};

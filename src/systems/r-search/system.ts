import { defineDialect, PLAIN_TURN, searches, SHORT, tag } from '../../recipes/parts/dialect.ts';
import { trainedOn, verlObjective } from '../../recipes/parts/training-base.ts';
import type { Recipe } from '../../recipes/parts/recipe.ts';
import { BLOCKS_SHOWN, searchLoop, SHARED_DIFFERENCES } from '../../recipes/parts/loops.ts';

/*
 * R-Search (arXiv 2506.04185; code: QingFei1/R-Search): at most 4 searches of 3 passages; before it answers the policy
 * copies the evidence that it relies on, and is rewarded for what a frozen model answers from only that.
 */

/** R-Search (arXiv 2506.04185; code: QingFei1/R-Search, scripts/pre_train_data.sh, src/train/generation.py). */
defineDialect('r-search', {
  marks: [
    tag('think'),
    tag('search'),
    tag('evidence', 'original_evidence'),
    tag('short_answer', 'answer'),
  ],
  ...PLAIN_TURN,
  result: ['\n\n<observation>', '</observation>\n\n'],
  passages: (all) => all.map(({ title, text }) => `(Title: "${title}") ${text}`).join('\n'),
  answer: 'text',
  instruction: ({ retrieval }) =>
    [
      'Solve the question step by step. Begin each step with your reasoning.',
      'Where more information is needed, write one exact query within <search> and </search>; the best passages come back within <observation> and </observation>.',
      `You may make ${searches(retrieval.maxSearches)}.`,
      'Once you know the answer, copy everything in the observations that may bear on it, whole and in its own words, within <original_evidence> and </original_evidence>; leave this out where nothing was observed.',
      `Then give the answer alone within <answer> and </answer>. ${SHORT}`,
    ].join(' '),
});

export const rSearch: Recipe = {
  id: 'r-search',
  version: '2',
  title: 'R-Search',
  summary:
    'Think, search, read, quote the evidence, answer; a frozen copy must answer from the quote.',
  about: {
    paper: '2506.04185',
    kind: 'trained by RL',
    parts: ['blocks: evidence', 'frozen answerer', 'outcome and format ladder'],
    differences: [
      ...SHARED_DIFFERENCES,
      'The frozen answerer is the checkpoint without its adapter, greedy (paper: Llama-3.2-3B at temperature 0.1).',
      BLOCKS_SHOWN,
    ],
    published: {
      figure: 'up to +32.2 % in domain, +25.1 % out of domain over advanced RAG baselines',
      benchmark: 'its abstract',
      model: 'Qwen2.5',
    },
    sources: {
      'settings.retrieval.k': 'code: scripts/train_*.sh',
      'settings.retrieval.maxSearches': 'code: scripts/train_*.sh',
      'grpo.objective.kl.coefficient': 'code: scripts/train_*.sh',
      'grpo.objective.aggregation': 'code: src/verl/workers/actor/dp_actor.py',
      'grpo.objective.aggregation.microBatch': 'code: scripts/train_*.sh, 64 on 8 GPUs',
      'grpo.groupSize': 'ours; code: 5 (scripts/train_*.sh)',
      'reward.r-search': 'code: src/verl/utils/reward_score/qa_f1.py: 0.2, 0.2',
    },
    expectedEffect:
      'The frozen copy’s score from the evidence rises towards the policy’s own; without the evidence term it does not.',
  },
  settings: { ...searchLoop(3, 4), blocks: ['evidence'], dialect: 'r-search' },
  training: [
    {
      name: 'grpo',
      title: 'GRPO, answer, evidence and their formats',
      settings: trainedOn('r-search', { objective: verlObjective(8) }),
    },
  ],
};

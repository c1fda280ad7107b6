import { z } from 'zod';
import {
  defineDialect,
  numberedPassages,
  PLAIN_TURN,
  searches,
  SHORT,
  tag,
} from '../../recipes/parts/dialect.ts';
import { searchLoop, SHARED_DIFFERENCES } from '../../recipes/parts/loops.ts';
import type { VariantSettings } from '../../recipes/parts/recipe.ts';
import { trainedOn, verlObjective } from '../../recipes/parts/training-base.ts';
import { defineSystem } from '../parts/define.ts';

/*
 * ReSeek (arXiv 2510.00568; code: TencentBAC/ReSeek): at most 4 searches of 3 passages; after every result the
 * policy judges whether it helps, and is rewarded for correct judgements. Results judged useless stay in the context,
 * or, as in an earlier version of the paper, are removed: `re-seek/hard`.
 */
const settingsBy = (reward: string): VariantSettings =>
  trainedOn(reward, { objective: verlObjective(8) });

const params = z.strictObject({
  /** `dropped`, the paper's hard effect: with the next search the context restarts without results judged useless. */
  useless: z.literal('dropped').optional(),
});
export type Params = z.infer<typeof params>;

/** ReSeek (arXiv 2510.00568; code: TencentBAC/ReSeek, utils/preprocess_reseek_dataset.py, search/llm_agent). */
defineDialect('re-seek', {
  marks: [tag('think'), tag('search'), tag('judge'), tag('short_answer', 'answer')],
  ...PLAIN_TURN,
  result: ['\n\n<information>', '</information>\n\n'],
  passages: numberedPassages,
  answer: 'text',
  instruction: ({ retrieval }) =>
    [
      'Answer the question step by step. Whenever new information arrives, first reason about it inside <think> and </think>.',
      'If you need knowledge that you lack, search with <search> query </search>; what was found comes back between <information> and </information>.',
      'Behind each result say whether it is useful: <judge> Yes </judge> or <judge> No </judge>.',
      'Where it is useful and enough, answer; where it is useful and not enough, search again; where it is not useful, search again and do not answer.',
      `You may make ${searches(retrieval.maxSearches)}.`,
      `At the end give the answer alone within <answer> and </answer>, and write nothing behind it. ${SHORT}`,
    ].join(' '),
});

export const reSeek = defineSystem({
  id: 're-seek',
  version: '2',
  title: 'ReSeek',
  summary:
    'Think, search, judge what was read, repeat; trained on exact match and on its judgements.',
  about: {
    paper: '2510.00568',
    kind: 'trained by RL',
    parts: ['blocks: judge', 'judge action', 'context: judged'],
    differences: [
      ...SHARED_DIFFERENCES,
      'A result is useful if it contains a new supporting passage; in the paper, if a reranker finds it similar to the gold answer.',
      'The paper teaches judge blocks by a prompt; the built-in policy saw them in its training.',
    ],
    published: {
      figure: 'EM 0.377 (Search-R1 0.342)',
      benchmark: 'mean of eight sets',
      model: 'Qwen2.5-7B',
    },
    sources: {
      'settings.retrieval.k': 'code',
      'settings.retrieval.maxSearches': 'paper, second hand',
      'grpo.objective.aggregation': 'code: verl’s',
      'grpo.objective.aggregation.microBatch':
        'ours; code: 64 over its GPUs (scripts/train_grpo.sh)',
      'grpo.groupSize': 'ours; code: 5',
      'reward.re-seek': 'paper, second hand: 0.3, −0.6, −0.3',
      'reward.re-seek-released': 'code, the variant by a pattern: 0.3 and 0.1, −0.6, −0.3',
      'reward.re-seek-mean': 'ours',
      'reward.re-seek-symmetric': 'ours: −0.3 for both mistakes',
    },
    expectedEffect:
      'Judgements become correct, and correct answers after a "no" vanish; less so with symmetric penalties.',
  },
  params,
  traits: ({ useless }) => ({ resetsContext: useless !== undefined }),
  loop: () => import('./loop.ts'),
  settings: { ...searchLoop(3, 4), blocks: ['judge'], dialect: 're-seek' },
  training: [
    {
      name: 'grpo',
      title: 'GRPO, exact match and judgements',
      settings: settingsBy('re-seek'),
    },
    {
      name: 'as-released',
      title: 'The same, judged by the text of the gold answer',
      differences:
        'Judgements are checked by the gold answer’s text in the result; a "yes" followed by the correct answer counts as correct.',
      settings: settingsBy('re-seek-released'),
    },
    {
      name: 'mean',
      title: 'The same with the mean of the judgements',
      differences:
        'The mean of the judgements replaces their sum, which rewards many searches with a correct "no".',
      settings: settingsBy('re-seek-mean'),
    },
    {
      name: 'symmetric',
      title: 'The same with equal penalties for both mistakes',
      differences: 'Ablation: a wrong "yes" costs the same as a wrong "no", 0.3.',
      settings: settingsBy('re-seek-symmetric'),
    },
    {
      name: 'hard',
      title: 'The same, with useless results left out',
      differences:
        'A result judged useless is removed from the context at the next search; until then the policy still sees it.',
      settings: { ...settingsBy('re-seek'), overrides: { system: { useless: 'dropped' } } },
    },
  ],
});

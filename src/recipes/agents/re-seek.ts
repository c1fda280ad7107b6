import type { Recipe, VariantSettings } from '../parts/recipe.ts';
import { TRAINING, verlObjective } from '../parts/training-base.ts';
import { searchLoop, SHARED_DIFFERENCES } from './loop.ts';

/*
 * ReSeek (arXiv 2510.00568; code: TencentBAC/ReSeek): at most 4 searches of 3 passages; after every result the
 * policy judges whether it helps, and is paid for judging rightly. What it calls useless stays in the context, or, as an
 * earlier version of the paper has it, is left out: `re-seek/hard`.
 */
const settingsBy = (reward: string): VariantSettings => ({
  ...TRAINING,
  stages: [{ steps: TRAINING.steps, reward, weights: {} }],
  objective: verlObjective(8),
});

export const reSeek: Recipe = {
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
      'A result is useful where it brings a supporting passage not read before, not where a reranker finds it like the gold answer.',
      'Theirs learns judge blocks from a prompt; the built-in policy was shown them in its training.',
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
      'grpo.objective.microBatch': 'ours; code: 64 over its GPUs (scripts/train_grpo.sh)',
      'grpo.groupSize': 'ours; code: 5',
      'reward.re-seek': 'paper, second hand: 0.3, −0.6, −0.3',
      'reward.re-seek-released': 'code, the variant by a pattern: 0.3 and 0.1, −0.6, −0.3',
      'reward.re-seek-mean': 'ours',
      'reward.re-seek-symmetric': 'ours: −0.3 for both mistakes',
    },
    expectedEffect:
      'Judgements become right, and answers right behind a "no" vanish; with symmetric penalties less so.',
  },
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
        'Judgements are checked by the text of the gold answer in the result; "yes" behind which the answer is right counts as right.',
      settings: settingsBy('re-seek-released'),
    },
    {
      name: 'mean',
      title: 'The same with the mean of the judgements',
      differences:
        'The sum of the judgements, in which right "no"s can be collected search by search, gives way to their mean.',
      settings: settingsBy('re-seek-mean'),
    },
    {
      name: 'symmetric',
      title: 'The same with both mistakes alike',
      differences: 'The ablation: a wrong "yes" costs what a wrong "no" does, 0.3.',
      settings: settingsBy('re-seek-symmetric'),
    },
    {
      name: 'hard',
      title: 'The same, with useless results left out',
      differences:
        'A result that is judged useless leaves the context with the next search; until then the judgement and what follows it have it in view.',
      settings: { ...settingsBy('re-seek'), overrides: { retrieval: { context: 'judged' } } },
    },
  ],
};

import { z } from 'zod';
import { GRPO_FOR_PPO, searchLoop, SHARED_DIFFERENCES } from '../../recipes/parts/loops.ts';
import type { VariantSettings } from '../../recipes/parts/recipe.ts';
import type { SettingsOverride } from '../../recipes/parts/settings.ts';
import { TRAINING, verlObjective } from '../../recipes/parts/training-base.ts';
import { defineSystem } from '../parts/define.ts';

/*
 * StepSearch (arXiv 2505.15107; code: Zillwang/StepSearch): at most 5 searches of 3 passages; every search is
 * rewarded for new gold and penalised for passages seen before. Its reward file lists the differences from
 * the paper.
 */
const settingsBy = (reward: string, overrides: SettingsOverride = {}): VariantSettings => ({
  ...TRAINING,
  overrides,
  stages: [{ steps: TRAINING.steps, reward, weights: {} }],
  objective: { ...verlObjective(2), credit: 'span' },
});

const params = z.strictObject({
  /** `warn`: after the last result the environment says that no search is left. Absent: no warning. */
  lastTurn: z.literal('warn').optional(),
});
export type Params = z.infer<typeof params>;

export const stepSearch = defineSystem({
  id: 'step-search',
  version: '1',
  title: 'StepSearch',
  summary:
    'Think, search, read, repeat; every search is rewarded for new evidence and penalised for repeats.',
  about: {
    paper: '2505.15107',
    kind: 'trained by RL',
    parts: [
      'process reward: gain less redundancy',
      'process reward: key match',
      'advantages per span',
    ],
    differences: [
      ...SHARED_DIFFERENCES,
      `${GRPO_FOR_PPO} A search’s reward is the advantage of the tokens before it, normalised within the group.`,
      'Gain is the share of supporting titles that a search finds first; the paper’s rise of a TF-IDF similarity is `step-search/tf-idf`.',
      'Queries are matched with those of the gold chain, which have one wording each.',
      'There is no warning after the last result; `step-search/tf-idf` has it (`system.lastTurn=warn`).',
    ],
    published: { figure: 'EM 34.5, F1 45.2', benchmark: 'HotpotQA', model: 'Qwen2.5-3B-instruct' },
    sources: {
      'settings.retrieval.k': 'code: train.sh',
      'settings.retrieval.maxSearches': 'code: train.sh',
      'grpo.objective.kl.coefficient': 'code: train.sh, there in the reward',
      'grpo.objective.aggregation': 'code: verl/workers/actor/dp_actor.py',
      'grpo.objective.aggregation.microBatch': 'code: train.sh, 16 on 8 GPUs',
      'reward.step-search':
        'code: verl/utils/reward_score/qa_step.py, 0.618; its intended weight 0.6',
      'reward.step-search-tf-idf': 'code: verl/utils/reward_score/qa_step.py',
      'reward.step-search-released': 'code: verl/trainer/main_ppo.py, 1.6',
    },
    expectedEffect: 'The share of passages seen before falls; without the penalty it rises.',
  },
  params,
  loop: () => import('./loop.ts'),
  settings: { ...searchLoop(3, 5), dialect: 'search-r1' },
  training: [
    {
      name: 'grpo',
      title: 'GRPO, F1 and single searches',
      differences: GRPO_FOR_PPO,
      settings: settingsBy('step-search'),
    },
    {
      name: 'tf-idf',
      title: 'The same with gain by TF-IDF, and a warning after the last result',
      differences:
        'A gold paragraph is a passage that states a step of the gold chain, found by its title.',
      settings: settingsBy('step-search-tf-idf', { system: { lastTurn: 'warn' } }),
    },
    {
      name: 'as-released',
      title: 'The same with searches weighted by 1.6',
      differences:
        'The released code adds the weighted score of a search to the score itself, and counts the latest of several queries for a sub-question.',
      settings: settingsBy('step-search-released'),
    },
  ],
});

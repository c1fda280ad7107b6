import type { Recipe, VariantSettings } from '../../parts/recipe.ts';
import { OBJECTIVE, TRAINING } from '../../parts/training-base.ts';
import { searchLoop, SHARED_DIFFERENCES } from '../loop.ts';

/*
 * CoRT (arXiv 2506.09820; code: ChengpengLi1003/CoRT): a hint after the opening of the first thought invites to use the
 * tool; GRPO of groups of 8 with KL 1e-3, right or wrong less ω = 0.1 where every call failed.
 */
const settingsBy = (reward: string): VariantSettings => ({
  ...TRAINING,
  stages: [{ steps: TRAINING.steps, reward, weights: {} }],
  objective: {
    ...OBJECTIVE,
    aggregation: 'token-mean',
    kl: { form: 'k3', place: 'loss', coefficient: 1e-3 },
  },
});

export const cort: Recipe = {
  id: 'cort',
  version: '1',
  title: 'CoRT, for search',
  summary:
    'The first thought begins with an invitation to use the tools; calls that all fail cost.',
  about: {
    paper: '2506.09820',
    kind: 'trained by RL',
    parts: ['hint insertion', 'blocks: compute', 'code tool', 'shaping: cost of failed calls'],
    differences: [
      ...SHARED_DIFFERENCES,
      'Its tool is a Python interpreter that keeps its state; here it is search with a calculator over retrieved values.',
      'Of its hints, the one that opens the first thought; what it learns before from 30 traces made by hand is left out.',
      'Held-out questions are asked with the hint, too, as theirs is a part of the prompt.',
      'Temperature 1 in place of 0.6 with top-p 0.95.',
    ],
    published: {
      figure: '58.3 on average (prompt-hint with RL)',
      benchmark: 'five sets of mathematics',
      model: 'DeepSeek-R1-Distill-Qwen-1.5B',
    },
    sources: {
      'settings.retrieval.maxSearches': 'ours; paper: 12 calls',
      'grpo.groupSize': 'code: 8',
      'grpo.objective.kl.coefficient': 'code',
      'reward.cort': 'paper: ω 0.1',
      'reward.cort-released': 'code: deepscaler/rewards/math_reward_hybrid.py',
    },
    expectedEffect:
      'As released, rollouts without a call vanish even where no call is needed; as in the paper they do not.',
  },
  settings: {
    ...searchLoop(2, 6),
    loop: 'hinted',
    blocks: ['compute'],
    method: { hint: { where: 'open', text: 'look up , then compute . plan :', most: 1 } },
  },
  training: [
    { name: 'grpo', title: 'GRPO, failed calls cost', settings: settingsBy('cort') },
    {
      name: 'as-released',
      title: 'GRPO, no call costs too',
      differences: 'A rollout without a call loses as much as one whose calls all failed.',
      settings: settingsBy('cort-released'),
    },
  ],
};

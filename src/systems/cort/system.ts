import { searchLoop, SHARED_DIFFERENCES } from '../../recipes/parts/loops.ts';
import type { VariantSettings } from '../../recipes/parts/recipe.ts';
import { OBJECTIVE, trainedOn } from '../../recipes/parts/training-base.ts';
import { hintParams } from '../start/system.ts';
import { defineSystem } from '../parts/define.ts';

/*
 * CoRT (arXiv 2506.09820; code: ChengpengLi1003/CoRT): a hint at the start of the first thought suggests using the
 * tool; GRPO with groups of 8 and KL 1e-3, correct or wrong minus ω = 0.1 if every call failed.
 */
const settingsBy = (reward: string): VariantSettings =>
  trainedOn(reward, {
    objective: {
      ...OBJECTIVE,
      aggregation: 'token-mean',
      kl: { form: 'k3', place: 'loss', coefficient: 1e-3 },
    },
  });

export const cort = defineSystem({
  id: 'cort',
  version: '1',
  title: 'CoRT, for search',
  summary:
    'The first thought starts with a hint to use the tools; a rollout whose calls all fail pays a penalty.',
  about: {
    paper: '2506.09820',
    kind: 'trained by RL',
    parts: ['hint insertion', 'blocks: compute', 'code tool', 'shaping: cost of failed calls'],
    differences: [
      ...SHARED_DIFFERENCES,
      'The paper’s tool is a Python interpreter that keeps its state; here it is search with a calculator over retrieved values.',
      'Only the hint that opens the first thought is used; the SFT on 30 hand-made traces is left out.',
      'Held-out questions also get the hint, because in the paper it is part of the prompt.',
      'Temperature 1 instead of 0.6 with top-p 0.95.',
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
      'As released, rollouts without a call vanish even if no call is needed; as in the paper they do not.',
  },
  params: hintParams,
  values: { hint: { where: 'open', text: 'look up , then compute . plan :', most: 1 } },
  loop: () => import('../start/loop.ts'),
  settings: { ...searchLoop(2, 6), loop: 'program', blocks: ['compute'] },
  training: [
    { name: 'grpo', title: 'GRPO, failed calls cost', settings: settingsBy('cort') },
    {
      name: 'as-released',
      title: 'GRPO, no call costs too',
      differences: 'A rollout without a call gets the same penalty as one whose calls all failed.',
      settings: settingsBy('cort-released'),
    },
  ],
});

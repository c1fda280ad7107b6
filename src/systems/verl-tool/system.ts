import type { Recipe } from '../../recipes/parts/recipe.ts';
import { OBJECTIVE, trainedOn, verlObjective } from '../../recipes/parts/training-base.ts';
import { searchLoop, SHARED_DIFFERENCES } from '../../recipes/parts/loops.ts';

/*
 * VerlTool's search tool (arXiv 2509.01055; TIGER-AI-Lab/verl-tool, examples/train/search_r1): Search-R1 with at
 * most 2 searches of 3 passages, each rollout at its own pace, as all rollouts in Forage.
 */
export const verlTool: Recipe = {
  id: 'verl-tool',
  version: '2',
  title: "VerlTool's search tool",
  summary: 'Search-R1 with two searches at most; every rollout runs at its own pace.',
  about: {
    paper: '2509.01055',
    kind: 'trained by RL',
    parts: ['turns'],
    differences: [
      ...SHARED_DIFFERENCES,
      'Groups of 8 in place of 16.',
      'The code’s reduction to a quarter for more than ten answer tags cannot occur: an answer ends the rollout.',
      'Unfinished rollouts, which its DAPO script masks, are those that a limit ended, forced answers included.',
      'Its option to cut observations is Search-R1’s `system.cut`: `left` keeps the last tokens of text (`keep: last`), with the opening tag lost.',
    ],
    published: {
      figure: '2,048 rollouts of one turn in 75 s, in lock step 127 s',
      benchmark: 'time of rollouts',
      model: 'Qwen2.5-3B',
    },
    sources: {
      'settings.retrieval.k': 'code: examples/train/search_r1/train_3b.sh',
      'settings.retrieval.maxSearches': 'code: examples/train/search_r1/train_3b.sh',
      'grpo.objective.kl.coefficient': 'code: examples/train/search_r1/train_3b.sh',
      'grpo.objective.aggregation': 'code: verl’s default',
      'grpo.objective.aggregation.microBatch':
        'ours; code: as many as 8,196 tokens hold (examples/train/search_r1/train_3b.sh)',
      'grpo.groupSize': 'ours; code: 16 (examples/train/search_r1/train_3b.sh)',
    },
    expectedEffect: 'The tokens for a seed are the same as in lock step; the sampler idles less.',
  },
  settings: { ...searchLoop(3, 2), dialect: 'search-r1' },
  training: [
    {
      name: 'grpo',
      title: 'GRPO, exact match, small KL',
      settings: trainedOn('search-r1', { objective: verlObjective(4, 1e-4) }),
    },
    {
      name: 'dapo',
      title: 'DAPO, exact match',
      settings: trainedOn('search-r1', {
        objective: {
          ...OBJECTIVE,
          clip: { low: 0.2, high: 0.3 },
          aggregation: { microBatch: 4 },
          rules: { 'finished-only': {} },
        },
        dynamicSampling: { by: 'reward', maxBatches: 2 },
      }),
    },
  ],
};

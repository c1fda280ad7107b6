import type { Recipe, VariantSettings } from '../../parts/recipe.ts';
import { OBJECTIVE, TRAINING } from '../../parts/training-base.ts';
import { searchLoop, SHARED_DIFFERENCES } from '../loop.ts';

/*
 * ARPO (arXiv 2507.19849; code: dongguanting/ARPO): half of a group begins at the question, the rest branches off
 * behind results where the policy's entropy rose. P = clamp(0.5 + w · ΔH, 0, 1); theirs have w = 0.2 with 32 to 152
 * thousand tokens in the vocabulary. Ours is larger, since a small policy that was trained on the protocol is sure.
 */
const branching = {
  kind: 'entropy',
  start: 4,
  base: 0.5,
  slope: 0.5,
  when: 'drawn',
  tokens: 20,
  credit: 'soft',
} as const;

const settings: VariantSettings = {
  ...TRAINING,
  stages: [{ steps: TRAINING.steps, reward: 'tool-star', weights: {} }],
  objective: { ...OBJECTIVE, aggregation: 'token-mean', dualClip: 3 },
  branching,
};

export const arpo: Recipe = {
  id: 'arpo',
  version: '2',
  title: 'ARPO',
  summary: 'Rollouts branch behind results that leave the policy uncertain.',
  about: {
    paper: '2507.19849',
    kind: 'trained by RL',
    parts: ['branch on entropy', 'blocks: compute', 'conditional bonus: both tools'],
    differences: [
      ...SHARED_DIFFERENCES,
      'The entropy is of the whole vocabulary and of the tokens behind the result, as in the paper; the code takes ten tokens of it, and the segment before the result, which `arpo/as-released` does, too.',
      'Its first entropies are of the rollout itself; the released table of them is never cleared between batches: `arpo/as-released-kept`.',
      'w is 0.5 in place of 0.2, for a policy that is surer of its words.',
      'Groups of 8 of which 4 begin at the question, in place of 16 and 8. Where all have ended, the rest begin at the question at once; the code begins one a round, which may branch.',
      'The second tool is a calculator over retrieved values in place of Python.',
    ],
    published: {
      figure: '58.3 on average (GRPO 56.5)',
      benchmark: 'ten benchmarks of reasoning and search',
      model: 'Qwen2.5-7B',
    },
    sources: {
      'settings.retrieval.maxSearches': 'code: three calls; six in deep search',
      'grpo.branching.start': 'ours; code: 8 of 16',
      'grpo.branching.base': 'paper and code',
      'grpo.branching.slope': 'ours; paper and code: 0.2',
      'grpo.branching.tokens': 'code: vllm_rollout_with_tools.py',
      'grpo.objective.dualClip': 'code',
      'reward.tool-star': 'code: verl/utils/reward_score/deep_research.py',
    },
    expectedEffect:
      'Tool calls that are made a trained rollout fall, and branches stand behind results of high entropy; with w = 0 they do not.',
  },
  settings: { ...searchLoop(3, 3), blocks: ['compute'], dialect: 'tool-star' },
  training: [
    { name: 'grpo', title: 'Branches, each rollout with its own advantage', settings },
    {
      name: 'hard',
      title: 'Branches, the mean advantage on shared tokens',
      settings: { ...settings, branching: { ...branching, credit: 'hard' } },
    },
    {
      name: 'once',
      title: 'Branches, shared tokens counted once',
      differences: 'Paper and code count a shared token in every rollout that holds it.',
      settings: { ...settings, branching: { ...branching, credit: 'once' } },
    },
    {
      name: 'as-released',
      title: 'Branches by the entropy before the result',
      differences:
        'As in the released code, the entropy is of what was written before the result, less that of what the rollout, or branch, first wrote itself: at its first own result branching is a fair coin.',
      settings: { ...settings, branching: { ...branching, measured: 'before-result' } },
    },
    {
      name: 'as-released-kept',
      title: 'Branches by the entropy before the result, less the first of all in its place',
      differences:
        'As in the released code, the entropy is of what was written before the result, and is told from what was first written in the same place of a batch in all of the run. A place is that of the question in its batch and of the rollout in its group; theirs numbers branches over the batch.',
      settings: { ...settings, branching: { ...branching, measured: 'before-result-kept' } },
    },
  ],
};

import { searchLoop, SHARED_DIFFERENCES } from '../../recipes/parts/loops.ts';
import type { Recipe, VariantSettings } from '../../recipes/parts/recipe.ts';
import { OBJECTIVE, trainedOn } from '../../recipes/parts/training-base.ts';
import { defineGrouping } from '../parts/define.ts';
import { ruleSchema } from './entropy.ts';

/*
 * ARPO (arXiv 2507.19849; code: dongguanting/ARPO): half of a group starts at the question, the rest branches
 * after results at which the policy's entropy rose. P = clamp(0.5 + w · ΔH, 0, 1); the paper has w = 0.2 with 32 to 152
 * thousand tokens in the vocabulary. Ours is larger: a small policy that was trained on the protocol has low entropy.
 */
const branching = {
  id: 'arpo',
  start: 4,
  base: 0.5,
  slope: 0.5,
  when: 'drawn',
  tokens: 20,
  credit: 'soft',
} as const;

defineGrouping('arpo', {
  params: ruleSchema,
  begins: ({ start }) => start,
  grows: 'branch off each other by entropy',
  load: () => import('./grouping.ts'),
});

const settings: VariantSettings = trainedOn('tool-star', {
  objective: { ...OBJECTIVE, aggregation: 'token-mean', dualClip: 3 },
  branching,
});

export const arpo: Recipe = {
  id: 'arpo',
  version: '2',
  title: 'ARPO',
  summary: 'Rollouts branch after results that leave the model uncertain.',
  about: {
    paper: '2507.19849',
    kind: 'trained by RL',
    parts: ['branch on entropy', 'blocks: compute', 'conditional bonus: both tools'],
    differences: [
      ...SHARED_DIFFERENCES,
      'Entropy is over the whole vocabulary and over the tokens after the result, as in the paper. The code uses ten tokens of the vocabulary and the segment before the result; `arpo/as-released` also uses that segment.',
      'First entropies are those of the rollout itself; the released code never clears its table of them between batches: `arpo/as-released-kept`.',
      'w is 0.5 instead of 0.2, because the built-in policy has lower entropy.',
      'Groups of 8, of which 4 start at the question, instead of 16 and 8. When all have ended, the rest start at the question at once; the code starts one per round, which may branch.',
      'The second tool is a calculator over retrieved values instead of Python.',
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
      'Tool calls per trained rollout fall, and branches follow results of high entropy; with w = 0 they do not.',
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
      differences: 'Paper and code count a shared token once per rollout that contains it.',
      settings: { ...settings, branching: { ...branching, credit: 'once' } },
    },
    {
      name: 'as-released',
      title: 'Branches by the entropy before the result',
      differences:
        'As in the released code, ΔH is the entropy of the text before the result minus that of the first text of the rollout or branch; at its first own result it branches with probability 0.5.',
      settings: { ...settings, branching: { ...branching, measured: 'before-result' } },
    },
    {
      name: 'as-released-kept',
      title: 'Branches by the entropy before the result, minus the first one ever at its position',
      differences:
        'As in the released code, ΔH is the entropy of the text before the result minus that of the first text at the same position of a batch in the whole run. A position is question in batch and rollout in group; the code numbers branches over the batch.',
      settings: { ...settings, branching: { ...branching, measured: 'before-result-kept' } },
    },
  ],
};

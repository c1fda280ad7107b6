import { z } from 'zod';
import { searchLoop, SHARED_DIFFERENCES } from '../../recipes/parts/loops.ts';
import type { Recipe, VariantSettings } from '../../recipes/parts/recipe.ts';
import { trainedOn, verlObjective } from '../../recipes/parts/training-base.ts';
import { defineCurriculum } from '../parts/define.ts';

/*
 * ZeroSearch (arXiv 2505.04588; code: Alibaba-NLP/ZeroSearch): at most 5 searches of 5 passages, trained on F1
 * against a simulated engine whose noise grows; it is tested with the real one. The paper simulates with a language
 * model that sees question and answer; here gold passages and noise are looked up
 * (`curriculum.ts`). In its code a simulator may see another sample's answer,
 * because questions are taken by position from a list of another length: `zero-search/as-released`.
 */
const params = z.strictObject({
  /**
   * `by-place`, as the released code: of the rollouts that search at a time, the j-th is answered for the question of the
   * batch's j-th. Absent: each for its own.
   */
  simulator: z
    .literal('by-place')
    .optional()
    .meta({
      title: 'Simulator answers',
      choices: { 'by-place': 'by place in the batch, as released' },
    }),
});
export type Params = z.infer<typeof params>;

defineCurriculum('zero-search', {
  draws: 'as they come, with a simulated engine (ZeroSearch)',
  params,
  lacks: ({ simulator }) => (simulator ? 'an engine chosen by place' : null),
  load: () => import('./curriculum.ts'),
});

const settings: VariantSettings = trainedOn('f1', {
  curriculum: { system: { id: 'zero-search' } },
  objective: verlObjective(16),
});

export const zeroSearch: Recipe = {
  id: 'zero-search',
  version: '1',
  title: 'ZeroSearch',
  summary:
    'Search-R1 trained on a simulated engine that returns gold or noise, with more and more noise.',
  about: {
    paper: '2505.04588',
    kind: 'trained by RL',
    parts: ['engine: simulated'],
    differences: [
      ...SHARED_DIFFERENCES,
      'The simulated engine looks up passages; in the paper a language model writes them.',
      'Three passages per search instead of five: the context of the built-in policy is short.',
    ],
    published: { figure: 'EM 34.47', benchmark: 'mean of seven sets', model: 'Qwen2.5-3B' },
    sources: {
      'settings.retrieval.k': 'ours; code: 5 documents (llm_agent/generation.py)',
      'settings.retrieval.maxSearches': 'code: train_grpo.sh',
      'grpo.objective.kl.coefficient': 'code: train_grpo.sh',
      'grpo.objective.aggregation': 'code: verl/workers/actor/dp_actor.py',
      'grpo.objective.aggregation.microBatch': 'code: train_grpo.sh, 64 on 4 GPUs (README.md)',
      'grpo.groupSize': 'ours; code: 5 (train_grpo.sh)',
      'reward.f1': 'code: reward_score/qa_em.py',
    },
    expectedEffect:
      'Exact match with the real engine is not below that of a run trained on it; with constant noise it is lower.',
  },
  settings: { ...searchLoop(3, 5), dialect: 'search-r1' },
  training: [
    { name: 'grpo', title: 'GRPO, F1 on a simulated engine', settings },
    {
      name: 'as-released',
      title: 'The same with questions by position',
      differences:
        'As in the released code, the first rollout that searches in a round gets the engine’s answer for the batch’s first question, and so on, so the engine may see another question and answer. A rollout’s n-th search is in round n.',
      settings: {
        ...settings,
        curriculum: {
          ...settings.curriculum,
          system: { id: 'zero-search', simulator: 'by-place' },
        },
      },
    },
  ],
};

import { OBJECTIVE, TRAINING } from '../../recipes/parts/training-base.ts';
import type { Recipe, Variant } from '../../recipes/parts/recipe.ts';
import {
  BLOCKS_SHOWN,
  GRPO_FOR_PPO,
  searchLoop,
  SHARED_DIFFERENCES,
} from '../../recipes/parts/loops.ts';

/*
 * Interleaved Reasoning (arXiv 2505.19640; no code): every step of the reasoning ends in a sub-answer that is shown at
 * once. Correct ones are rewarded only if the final answer is correct and the batch improves. KL k3 0.001, temperature 0.8.
 */
const variant = (name: string, title: string, reward: string): Variant => ({
  name,
  title,
  settings: {
    ...TRAINING,
    temperature: 0.8,
    stages: [{ steps: TRAINING.steps, reward, weights: {} }],
    objective: { ...OBJECTIVE, kl: { form: 'k3', place: 'loss', coefficient: 1e-3 } },
  },
});

export const interleaved: Recipe = {
  id: 'interleaved',
  version: '1',
  title: 'Interleaved Reasoning',
  summary:
    'Think, search, give a sub-answer at once, repeat; sub-answers are rewarded while the batch improves.',
  about: {
    paper: '2505.19640',
    kind: 'trained by RL',
    parts: ['blocks: sub-answer', 'process reward: sub-answers', 'batch rule'],
    differences: [
      ...SHARED_DIFFERENCES,
      GRPO_FOR_PPO,
      'It searches; the paper reasons over given paragraphs without tools.',
      'λ_f and λ_a are 1; the paper gives none.',
      BLOCKS_SHOWN,
    ],
    published: {
      figure: 'Pass@1 0.501 (think, then answer: 0.420)',
      benchmark: 'mean of its sets',
      model: 'Qwen2.5-1.5B',
    },
    sources: {
      'settings.retrieval.maxSearches': 'ours; paper: no tools',
      'grpo.groupSize': 'paper: 8',
      'grpo.temperature': 'paper',
      'grpo.objective.kl.coefficient': 'paper',
      'reward.interleaved': 'paper: 2, −1.5, −2 and 0.5; its λ are not given, 1 is ours',
    },
    expectedEffect:
      'The first correct sub-answer comes after fewer tokens; with an ungated intermediate reward, sub-answers improve and answers do not.',
  },
  settings: { ...searchLoop(3, 4), blocks: ['summary'] },
  training: [
    variant('grpo', 'GRPO, sub-answers discounted by time', 'interleaved'),
    variant('partial', 'GRPO, each right sub-answer', 'interleaved-partial'),
    variant('all-or-none', 'GRPO, all sub-answers or none', 'interleaved-all'),
    variant('ungated', 'GRPO, sub-answers always rewarded (ablation)', 'interleaved-ungated'),
  ],
};

import { defineDialect, PLAIN_TURN, searches, SHORT, tag } from '../../recipes/parts/dialect.ts';
import type { Recipe, VariantSettings } from '../../recipes/parts/recipe.ts';
import { trainedOn, verlObjective } from '../../recipes/parts/training-base.ts';
import { GRPO_FOR_PPO, searchLoop, SHARED_DIFFERENCES } from '../../recipes/parts/loops.ts';

/*
 * InForage, "Scent of Knowledge" (arXiv 2505.09316; code: qhjqhj00/InForage): Search-R1's loop with at most 6
 * turns in training, 3 passages per search; the reward of reward.ts.
 */
const settingsBy = (reward: string): VariantSettings =>
  trainedOn(reward, { objective: verlObjective(8) });

/** InForage (arXiv 2505.09316; code: qhjqhj00/InForage, tasks/construct_rl_training_data.py, tools/llm_agent). */
defineDialect('in-forage', {
  marks: [tag('think'), tag('search'), tag('short_answer', 'answer')],
  ...PLAIN_TURN,
  result: ['\n\n<evidence>', '</evidence>\n\n'],
  passages: (all) => all.map(({ title, text }, i) => `Doc ${i + 1} "${title}"\n${text}`).join('\n'),
  answer: 'text',
  instruction: ({ retrieval }) =>
    [
      'You solve a task by finding knowledge and reasoning step by step. Whenever information arrives, think about it inside <think> and </think>.',
      'If you need more, write a sub-query inside <search> and </search>; what was found comes back between <evidence> and </evidence>.',
      `You may make ${searches(retrieval.maxSearches)}.`,
      `When you have gathered enough, give the answer without reasons inside <answer> and </answer>. ${SHORT}`,
    ].join(' '),
});

export const inForage: Recipe = {
  id: 'in-forage',
  version: '2',
  title: 'InForage',
  summary:
    'Think, search, read, repeat; rewarded for the best single search, less the longer it takes.',
  about: {
    paper: '2505.09316',
    kind: 'trained by RL',
    parts: ['process reward: gold titles, best search', 'shaping: decay by turn'],
    differences: [
      ...SHARED_DIFFERENCES,
      GRPO_FOR_PPO,
      'The training of the built-in policy replaces the paper’s supervised warm-up.',
      'Gold sources are titles of supporting passages.',
    ],
    sources: {
      'settings.retrieval.k': 'code: scripts/train_ppo.sh',
      'settings.retrieval.maxSearches': 'code: 6 in training, 8 in evaluation',
      'grpo.objective.kl.coefficient': 'code: scripts/train_ppo.sh',
      'grpo.objective.aggregation': 'code: verl/workers/actor/dp_actor.py',
      'grpo.objective.aggregation.microBatch': 'code: scripts/train_ppo.sh, 64 on 8 GPUs',
      'reward.in-forage':
        'code: tools/llm_agent/generation.py, verl/utils/reward_score/qa_em.py: 0.2, 0.95',
    },
    expectedEffect:
      'The best gold share of a search rises before exact match does; without the decay, searches per question do not fall.',
  },
  settings: { ...searchLoop(3, 6), dialect: 'in-forage' },
  training: [
    {
      name: 'grpo',
      title: 'GRPO, answer and best search',
      differences: GRPO_FOR_PPO,
      settings: settingsBy('in-forage'),
    },
    {
      name: 'as-released',
      title: 'The same with gold by position',
      differences:
        'The released code looks up gold sources by position among the rollouts that search, so a search may be scored against another question’s gold.',
      settings: settingsBy('in-forage-released'),
    },
  ],
};

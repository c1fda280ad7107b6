import { z } from 'zod';
import {
  defineDialect,
  numberedPassages,
  PLAIN_TURN,
  searches,
  SHORT,
  tag,
} from '../../recipes/parts/dialect.ts';
import { GOLD_OF_ARTICLES } from '../../recipes/parts/loops.ts';
import { DEFAULT_SETTINGS } from '../../recipes/parts/settings.ts';
import { trainedOn, verlObjective } from '../../recipes/parts/training-base.ts';
import { defineSystem } from '../parts/define.ts';
import { ppo } from '../ppo/define.ts';

const KL_IN_REWARD = {
  ...verlObjective(8),
  kl: { form: 'k1', place: 'reward', coefficient: 1e-3 },
} as const;

/*
 * Search-R1 (arXiv 2503.09516).
 *
 * Loop: think and search in rounds, as in the plain search loop. Differences: the tags of the
 * built-in policy, and both sources instead of one.
 *
 * Training with GRPO: exact match, KL 1e-3 in the loss. Its code (train_grpo.sh, verl's dp_actor.py)
 * takes the mean over the tokens of each micro-batch and then the mean of these; 64 rollouts on 8 GPUs
 * are 8 to a micro-batch. Its default top-p 0.95 is left out; see `ur2.ts`.
 */
const params = z.strictObject({
  /**
   * Most tokens of a whole result; absent: as many as there is room for. `tags`: `kept`, the text gives way; `lost`, as
   * the released code cuts, the tag at the end that is cut off is lost with it.
   */
  cut: z
    .strictObject({
      tokens: z.int().min(1).max(8192),
      keep: z.enum(['first', 'last']),
      tags: z.enum(['kept', 'lost']),
    })
    .optional(),
});
export type Params = z.infer<typeof params>;

/** Search-R1 (arXiv 2503.09516; code: PeterGriffinJin/Search-R1), and those that were built on its code. */
defineDialect('search-r1', {
  marks: [tag('think'), tag('search'), tag('short_answer', 'answer')],
  ...PLAIN_TURN,
  result: ['\n\n<information>', '</information>\n\n'],
  passages: numberedPassages,
  answer: 'text',
  instruction: ({ retrieval }) =>
    [
      'Answer the question below. Whenever new information arrives, first reason about it inside <think> and </think>.',
      'If you then find that you lack knowledge, call a search engine with <search> query </search>; what it found comes back between <information> and </information>.',
      `You may make ${searches(retrieval.maxSearches)}.`,
      'Once nothing more is needed, give the answer inside <answer> and </answer> without further explanation, for example <answer> Beijing </answer>.',
      SHORT,
    ].join(' '),
});

export const searchR1 = defineSystem({
  id: 'search-r1',
  version: '2',
  title: 'Search-R1',
  summary: 'Think, search, read, repeat, as in the plain search loop; trained on exact match.',
  about: {
    paper: '2503.09516',
    kind: 'trained by RL',
    parts: ['turns'],
    differences: [
      'The tags are those of the built-in policy, which is trained on the protocol and needs no prompt.',
      'A search queries both sources instead of one.',
      'Up to 8 searches instead of 2 or 4.',
      'Learning rate, batch and steps are sized for a small policy with LoRA; one update per batch instead of ten.',
      GOLD_OF_ARTICLES,
      '`overrides.system.cut` with 500 tokens, `keep: first` and `tags: lost` cuts results like the released code, which may lose the closing tag.',
    ],
    published: {
      figure: '+41 % relative over RAG baselines',
      benchmark: 'seven question sets',
      model: 'Qwen2.5-7B',
    },
    sources: {
      'settings.retrieval.k': 'code: train_grpo.sh',
      'settings.retrieval.maxSearches': 'ours; code: 2 (train_*.sh), 4 (scripts/nq_hotpotqa)',
      'grpo.objective.kl.coefficient': 'code: train_grpo.sh',
      'grpo.groupSize': 'ours; code: 5 (train_grpo.sh)',
      'ppo.objective.estimator.lambda': 'code: train_ppo.sh, γ = λ = 1',
      'ppo.objective.kl.coefficient': 'code: train_ppo.sh',
      'as-released.overrides.system.cut.tokens': 'code: search_r1/llm_agent/generation.py',
      'reward.search-r1': 'code: verl/utils/reward_score/qa_em.py',
      'reward.search-r1-released': 'code: verl/utils/reward_score/qa_em.py, extract_solution',
    },
    expectedEffect:
      'Every rollout searches within the first steps, and searches rise with hops; if results are trained on too, the KL to the starting policy grows faster at equal reward.',
  },
  params,
  loop: () => import('./loop.ts'),
  settings: { ...DEFAULT_SETTINGS, dialect: 'search-r1' },
  training: [
    {
      name: 'grpo',
      title: 'GRPO, exact match, KL',
      differences:
        'A micro-batch is the next 8 rollouts of the update; the code balances lengths between its GPUs ' +
        'first. Its default top-p 0.95 is 1 here, so that log-probabilities are those of the sampled distribution.',
      settings: trainedOn('search-r1', { objective: verlObjective(8) }),
    },
    {
      name: 'ppo',
      title: 'PPO, exact match, KL in the reward',
      differences:
        'The critic is a linear head over the policy’s hidden states, without a gradient to the policy; the ' +
        'code’s is a whole model at learning rate 1e-5. Groups of 8 instead of single rollouts; GAE skips ' +
        'environment tokens, unlike the code (`objective.estimator.environment=released`); top-p is 1.',
      settings: trainedOn('search-r1', {
        objective: { ...KL_IN_REWARD, estimator: ppo() },
      }),
    },
    {
      name: 'as-released',
      title: 'GRPO with the faults of the released code',
      differences:
        'As in the released code, results are cut at 500 tokens, which may remove the closing tag, and a rollout without ' +
        'an answer is scored by the example answer of its prompt, Beijing.',
      settings: trainedOn('search-r1-released', {
        overrides: { system: { cut: { tokens: 500, keep: 'first', tags: 'lost' } } },
        objective: verlObjective(8),
      }),
    },
    {
      name: 'ppo-as-released',
      title: 'PPO over environment tokens, as released',
      differences:
        'As in the released code, GAE, whitening and value loss include environment tokens, and the reward also reads the example in the prompt.',
      settings: trainedOn('search-r1-released', {
        objective: { ...KL_IN_REWARD, estimator: ppo({ environment: 'released' }) },
      }),
    },
  ],
});

import { defineDialect, PLAIN_TURN, searches, SHORT, tag } from '../../recipes/parts/dialect.ts';
import { GOLD_OF_ARTICLES } from '../../recipes/parts/loops.ts';
import type { Recipe } from '../../recipes/parts/recipe.ts';
import { DEFAULT_SETTINGS } from '../../recipes/parts/settings.ts';
import { OBJECTIVE, TRAINING } from '../../recipes/parts/training-base.ts';

/*
 * R1-Searcher (arXiv 2503.05592).
 *
 * Loop: think and search in rounds, as in the plain search loop. Differences: the tags of the
 * built-in policy, and both sources instead of one.
 *
 * Training: retrieval and format first, then F1; REINFORCE++ with a baseline. Mean over each rollout's
 * tokens, then over rollouts, as in its code (OpenRLHF's PolicyLoss). Difference: its code samples at
 * top-p 0.95; see `ur2.ts`.
 */

/** Queries between tokens of the form <|begin_…|>, inside the thoughts. */
export const QUERY_MARKS = [
  tag('think'),
  { kind: 'search', open: '<|begin_of_query|>', close: '<|end_of_query|>' },
] as const;

export const AROUND_DOCUMENTS = [
  '\n\n<|begin_of_documents|>\n',
  '\n<|end_of_documents|>\n\n',
] as const;

export const asksInThought = (searchCount: string): string =>
  'Whenever you are unsure of a fact, write one query about it with keywords alone, in the form ' +
  '<|begin_of_query|> query <|end_of_query|>, and stop; passages come back in the form ' +
  `<|begin_of_documents|> passages <|end_of_documents|>. You may make ${searchCount}. ` +
  'A query asks for one fact.';

/** R1-Searcher (arXiv 2503.05592; code: RUCAIBox/R1-Searcher). */
defineDialect('r1-searcher', {
  marks: [...QUERY_MARKS, tag('short_answer', 'answer')],
  searchesInThought: true,
  ...PLAIN_TURN,
  result: AROUND_DOCUMENTS,
  // experience_maker.py; what follows a number is a line of the corpus that it was trained on.
  passages: (all) =>
    all.map(({ title, text }, i) => `(${i + 1})Title: ${title} Text: ${text}`).join('\n'),
  answer: 'text',
  instruction: ({ retrieval }) =>
    [
      'You first think about the reasoning and then give the answer: the reasoning within <think> </think>, the final answer within <answer> </answer>, as in "<think> reasoning </think><answer> final answer </answer>".',
      'While thinking you may search.',
      asksInThought(searches(retrieval.maxSearches)),
      SHORT,
    ].join(' '),
});

export const r1Searcher: Recipe = {
  id: 'r1-searcher',
  version: '2',
  title: 'R1-Searcher',
  summary: 'Think, search, read, repeat, as in the plain search loop; trained in two stages.',
  about: {
    paper: '2503.05592',
    kind: 'trained by RL',
    parts: ['stages', 'outcome and format ladder'],
    differences: [
      'The tags are those of the built-in policy, which is trained on the protocol and needs no prompt.',
      'A search queries both sources instead of one.',
      'Its code samples at top-p 0.95; here it is 1.',
      'Questions are not sorted by the number of rollouts until a correct answer.',
      'Learning rate, batch and steps are sized for a small policy with LoRA.',
      GOLD_OF_ARTICLES,
    ],
    published: { figure: '75.0 by an LLM judge', benchmark: 'HotpotQA', model: 'Qwen2.5-7B' },
    sources: {
      'settings.retrieval.k': 'code: train/, evaluation/',
      'settings.retrieval.maxSearches': 'ours; code: 10, of 11 generations',
      'reinforce++.objective.estimator': 'code: scripts',
      'reinforce++.groupSize': 'ours; code: 16',
      'reinforce++.stages.0.reward': 'paper: stage 1 rewards only search and format',
      'as-released.stages.0.reward': 'code: train/reward_server_llama_stage1.py',
      'as-released.stages.1.reward': 'code: train/reward_server_llama_stage2.py',
      'as-released.objective.estimator':
        'code: scripts/llama_reinforce_plus_train_stage1.sh, group_norm',
      'as-released.objective.kl.coefficient': 'code: scripts/llama_reinforce_plus_train_stage*.sh',
      'as-released.updates': 'code: scripts/llama_reinforce_plus_train_stage1.sh, 240 by 60',
    },
    expectedEffect:
      'Stage 1 raises searches per question and not exact match, stage 2 raises exact match; without stage 1 searches do not rise.',
  },
  settings: { ...DEFAULT_SETTINGS, dialect: 'r1-searcher' },
  training: [
    {
      name: 'reinforce++',
      title: 'REINFORCE++ with a baseline, two stages',
      differences:
        'The code samples at top-p 0.95; here it is 1, so that log-probabilities are those of the sampled distribution.',
      settings: {
        ...TRAINING,
        stages: [
          { steps: 20, reward: 'r1-searcher-stage-1', weights: {} },
          { steps: 80, reward: 'r1-searcher-stage-2', weights: {} },
        ],
        objective: { ...OBJECTIVE, estimator: 'reinforce++-baseline' },
      },
    },
    {
      name: 'as-released',
      title: 'Two stages as released for Llama',
      differences:
        'As released for Llama-3.1-8B-Instruct: rewards of its two servers, advantages divided by the group’s standard deviation, KL 1e-4, four ' +
        'updates per batch. Text between result tags is masked out of the loss, even if the policy wrote the tags: a policy that invents ' +
        'the tags masks itself. The KL is in the loss as k2, which has the gradient of k1 in the rewards (as in the code): ' +
        'with equal rewards the group’s deviation would make it large. The code’s stage 2 subtracts the group’s mean and whitens ' +
        'the batch instead.',
      settings: {
        ...TRAINING,
        updates: 4,
        stages: [
          { steps: 20, reward: 'r1-searcher-stage-1-released', weights: {} },
          { steps: 80, reward: 'r1-searcher-stage-2-instruct', weights: {} },
        ],
        objective: {
          ...OBJECTIVE,
          estimator: 'grpo',
          rules: { 'result-mask': { by: 'by-tags' } },
          kl: { form: 'k2', place: 'loss', coefficient: 1e-4 },
        },
      },
    },
  ],
};

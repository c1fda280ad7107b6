import {
  defineDialect,
  PLAIN_TURN,
  quotedPassages,
  searches,
  SHORT,
  tag,
} from '../../recipes/parts/dialect.ts';
import type { Recipe } from '../../recipes/parts/recipe.ts';
import { trainedOn, verlObjective } from '../../recipes/parts/training-base.ts';
import { searchLoop, SHARED_DIFFERENCES } from '../../recipes/parts/loops.ts';

/*
 * ReSearch (arXiv 2503.19470; code: Agent-RL/ReCall, branch re-search): 5 passages per search and no limit on
 * searches except tokens; F1, with a floor of 0.1 for the format.
 */

/** ReSearch (arXiv 2503.19470; code: Agent-RL/ReSearch). */
defineDialect('research', {
  marks: [tag('think'), tag('search'), tag('short_answer', 'answer')],
  ...PLAIN_TURN,
  result: [' <result>\n', '\n</result>'],
  passages: quotedPassages,
  answer: 'boxed-block',
  instruction: ({ retrieval }) =>
    [
      'You solve the question step by step with the help of a Wikipedia search tool. First think about the reasoning and then give the answer.',
      'While thinking you may search for facts about one topic at a time. Reasoning stands within <think> </think>, a query within <search> </search>, its results within <result> </result>, the answer within <answer> </answer>.',
      'For example: <think> this is the reasoning . </think> <search> query </search> <result> what was found </result> <think> this is the reasoning . </think> <answer> The final answer is \\boxed{answer here} </answer>.',
      `You may make ${searches(retrieval.maxSearches)}. In the answer, the exact answer alone stands in \\boxed{}. ${SHORT}`,
    ].join(' '),
});

export const research: Recipe = {
  id: 'research',
  version: '1',
  title: 'ReSearch',
  summary:
    'Think, search, read, repeat, as often as it likes; trained on F1 with a floor for the format.',
  about: {
    paper: '2503.19470',
    kind: 'trained by RL',
    parts: ['outcome and format ladder'],
    differences: [
      ...SHARED_DIFFERENCES,
      'At most 16 searches; at a limit the answer is forced (the code gives 0).',
    ],
    published: {
      figure: '63.6 by an LLM judge (naive RAG 49.6)',
      benchmark: 'HotpotQA',
      model: 'Qwen2.5-32B-instruct',
    },
    sources: {
      'settings.retrieval.k': 'code: branch re-search',
      'settings.retrieval.maxSearches': 'ours; code: no limit but 8,192 tokens',
      'grpo.objective.kl.coefficient': 'code: scripts/train/train.sh',
      'grpo.objective.aggregation': 'code: src/verl/workers/actor/dp_actor.py',
      'grpo.objective.aggregation.microBatch':
        'ours; code: as many as 17,408 tokens hold (scripts/train/train.sh)',
      'grpo.groupSize': 'ours; code: 5 (scripts/train/train.sh)',
      'reward.research': 'code: src/verl/utils/reward_score/re_search.py',
    },
    expectedEffect: 'The format is learnt before F1 rises; without the floor it is learnt later.',
  },
  settings: { ...searchLoop(5, 16), dialect: 'research' },
  training: [
    {
      name: 'grpo',
      title: 'GRPO, F1 with a floor for the format',
      settings: trainedOn('research', { objective: verlObjective(8) }),
    },
  ],
};

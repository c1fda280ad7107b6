import { z } from 'zod';
import { jsonOf } from '../../base/fetch-file.ts';
import { isObjectOrList } from '../../base/objects.ts';
import {
  defineDialect,
  numberedPassages,
  PLAIN_TURN,
  queriesOf,
  searches,
  SHORT,
  tag,
} from '../../recipes/parts/dialect.ts';
import { TRAINING, verlObjective } from '../../recipes/parts/training-base.ts';
import { defineCurriculum } from '../parts/define.ts';
import type { Recipe } from '../../recipes/parts/recipe.ts';
import {
  BLOCKS_SHOWN,
  GRPO_FOR_PPO,
  searchLoop,
  SHARED_DIFFERENCES,
} from '../../recipes/parts/loops.ts';

/*
 * s3 (arXiv 2505.14146; code: pat-jj/s3): only the searcher is trained. Passages retrieved with the question are given first;
 * the policy names the passages that matter in each result, and a frozen copy answers from these. The reward is the
 * gain over one retrieval. Three searches; k = 2, of which it names some (released code: 3 of 8).
 */
const loop = searchLoop(2, 4);

const selection = z.strictObject({
  pool: z.int().min(1).nullable().default(192).meta({
    title: 'Leave out what one retrieval answers',
    description: 'Of a number of questions, which the model answers before the first step',
  }),
  yesNo: z.boolean().default(true).meta({ title: 'Leave out what is answered by yes or no' }),
});
export type Selection = z.infer<typeof selection>;

defineCurriculum('s3', {
  draws: 'from those that one retrieval does not answer (s3)',
  params: selection,
  scored: ({ pool }) => ({ pool: pool ?? 0, scoringRollouts: 1 }),
  lacks: ({ pool }) =>
    pool === null ? null : 'leaving out what the policy answers from one retrieval',
  load: () => import('./curriculum.ts'),
});

const curriculum = { system: { id: 's3', ...selection.parse({}) } };

/** `{"query": "…"}`; text that is no JSON is the query itself. */
function queryField(inner: string): string {
  const value = jsonOf(inner);
  if (value === undefined) return inner.trim();
  return queriesOf(isObjectOrList(value) ? value['query'] : value);
}

/**
 * s3 (arXiv 2505.14146; code: pat-jj/s3, scripts/data_process, s3/llm_agent/generation_s3.py). Theirs writes
 * `<search_complete>` after a choice, which is read as a thought, and leaves the answer to another model; here the
 * searcher is asked for one, which earns nothing.
 */
defineDialect('s3', {
  marks: [
    tag('think'),
    tag('search', 'query'),
    tag('important', 'important_info'),
    tag('short_answer', 'answer'),
  ],
  ...PLAIN_TURN,
  question: ['<question>\n', '\n</question>\n'],
  result: ['\n\n<information>', '</information>\n\n'],
  passages: numberedPassages,
  query: queryField,
  writeQuery: (query) => JSON.stringify({ query }),
  answer: 'text',
  instruction: ({ retrieval }) =>
    [
      'You search for a model that answers questions. You see a question and what was found with it between <information> and </information>, and decide whether that is enough.',
      'Where it is not, write a query as JSON, <query> {"query": "words"} </query>; what was found comes back between <information> and </information>.',
      'Behind each result name the passages that matter by their numbers in it, three at most, such as <important_info> [1, 3] </important_info>: only these are given to the model.',
      `Then write <search_complete> False </search_complete> and the next query, or <search_complete> True </search_complete>. You may make ${searches(retrieval.maxSearches)}. You may think inside <think> and </think> at any time.`,
      `Behind True give your own answer within <answer> and </answer>. ${SHORT}`,
    ].join(' '),
});

export const s3: Recipe = {
  id: 's3',
  version: '2',
  title: 's3',
  summary: 'Trains only the searcher: a frozen copy answers from the passages that it selects.',
  about: {
    paper: '2505.14146',
    kind: 'trained by RL',
    parts: [
      'first result given',
      'blocks: important passages',
      'frozen answerer',
      'gain beyond naive RAG',
      'data selection: what one retrieval answers is left out',
    ],
    differences: [
      ...SHARED_DIFFERENCES,
      GRPO_FOR_PPO,
      'The frozen generator is the checkpoint without its adapter (paper: Qwen2.5-14B).',
      'The searcher also answers at the end, without a reward; metrics and held-out scores use that answer.',
      'Two passages per search instead of eight: the context of the built-in policy is short.',
      'The policy itself decides, over a pool of 192 questions, which ones plain retrieval answers; the paper asks its generator about 170,000.',
      BLOCKS_SHOWN,
    ],
    published: {
      figure: '58.9 (Search-R1 57.8)',
      benchmark: 'mean of general question answering, by a generator',
      model: 'Qwen2.5-7B',
    },
    sources: {
      'settings.retrieval.k': 'ours; code: 8',
      'settings.retrieval.maxSearches': 'ours; code: 3',
      'grpo.objective.kl.coefficient': 'code: its PPO',
      'grpo.temperature': 'code: scripts/train/train_s3.sh',
      'grpo.objective.aggregation': 'code: verl/workers/actor/dp_actor.py',
      'grpo.objective.aggregation.microBatch':
        'ours, a divisor of the batch; code: 3 (scripts/train/train_s3.sh, 15 on 5 GPUs)',
      'reward.s3': 'paper: gain beyond RAG',
      'reward.s3-released': 'code: verl/utils/reward_score/rag_2.py',
    },
    expectedEffect:
      'The frozen answerer is correct more often although it is not trained, and searching harms fewer questions.',
  },
  settings: {
    ...loop,
    blocks: ['important'],
    dialect: 's3',
    method: { firstSearch: 'question' },
  },
  training: [
    {
      name: 'grpo',
      title: 'GRPO, gain of a frozen answerer',
      settings: {
        ...TRAINING,
        temperature: 0.6,
        curriculum,
        stages: [{ steps: TRAINING.steps, reward: 's3', weights: {} }],
        objective: verlObjective(4),
      },
    },
    {
      name: 'as-released',
      title: 'GRPO, accuracy and gain as released',
      settings: {
        ...TRAINING,
        temperature: 0.6,
        curriculum,
        stages: [{ steps: TRAINING.steps, reward: 's3-released', weights: {} }],
        objective: verlObjective(4),
      },
    },
  ],
};

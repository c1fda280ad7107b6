import { z } from 'zod';
import { defineDialect, PLAIN_TURN, searches, SHORT } from '../../recipes/parts/dialect.ts';
import { GOLD_OF_ARTICLES } from '../../recipes/parts/loops.ts';
import type { Recipe, VariantSettings } from '../../recipes/parts/recipe.ts';
import { DEFAULT_SETTINGS, type RecipeSettings } from '../../recipes/parts/settings.ts';
import { OBJECTIVE, TRAINING } from '../../recipes/parts/training-base.ts';
import { defineCurriculum } from '../parts/define.ts';
import { AROUND_DOCUMENTS, asksInThought, QUERY_MARKS } from '../r1-searcher/system.ts';

/*
 * UR² (arXiv 2508.06165). Where its released code differs, see src/systems/ur2-released.
 *
 * Loop
 * - At most four queries of fewer than 20 words; a longer one is a fault against the format (D.2). The
 *   open-domain prompt says five queries, 4.4 says four turns.
 * - k = 10 (4.4), and the policy reads a summary of them: without summaries the method fails, says the
 *   ablation (table 4), so a run that has no summarizer is refused. With `retrieval.summarize: off`, an
 *   ablation, k is reduced to what fits in the policy's context; the record of a search
 *   says how many passages that were.
 * - A query that asks for reasoning gets the fallback sentence in place of a summary, and a hint (C.4).
 * - Whether a question may retrieve at all is part of the question (`mayRetrieve`, the code's isRetrieve).
 * - A policy whose tags are text uses the paper's (`dialect`): `<|begin_of_query|>` and so on, and the answer
 *   in a box or after "the correct answer is:".
 * Differences: a policy whose tags are special tokens, as the built-in one's, uses those, and its answer is in
 * a box. Both sources instead of one. The summarizer sees query and passages, not the reasoning before it (D.3).
 *
 * Training as in the paper: stage 1 (10 steps) rewards format and retrieval, stage 2 the answer; no
 * clip, no KL, Norm_batch(Norm_group), each rollout's mean over its own tokens, (1) to (3).
 * - Stage 1 starts from a policy that does not search (`start`), like instruct models: the built-in one
 *   was pre-trained to search, so stage 1 could teach it nothing.
 * - The difficulty curriculum scores a pool of 96 questions by 20 rollouts, which costs as much as 30 steps,
 *   with the policy before the handicap (`start`). The paper scores its whole training set with
 *   a 7B model whichever policy is trained.
 * - Hard, medium and easy questions 7 : 2 : 1 (3.1.2), of mathematics 1 : 1 : 1 (C.3).
 * - Tasks 1 : 1 : 1, as the paper has 3,000 questions each of QA, mathematics and MedQA (4.1). Retrieval QA
 *   always retrieves, arithmetic if it is hard, multiple choice 1 : 1, as in 3.1.2. Other shares,
 *   or none: `curriculum.system.tasks`.
 * Differences: paper (C.1) and code sample at top-p 0.9 and compute log-probabilities over the whole
 * vocabulary, so ratio and gradient belong to another distribution than the sampled one. Here top-p is 1.
 * Mathematics is the arithmetic of the built-in world. Batch, group and learning rate are sized for a
 * policy of a million parameters (paper: 64 questions by 16 rollouts, 2e-6).
 */

const parts = z.number().min(0);
const mix = z.tuple([
  parts.meta({ title: 'Parts hard' }),
  parts.meta({ title: 'Parts medium' }),
  parts.meta({ title: 'Parts easy' }),
]);

export const params = z.strictObject({
  scoringRollouts: z.int().min(1).default(20).meta({
    title: 'Scored by, rollouts',
    description: 'Questions are scored before the first step',
  }),
  /** Later draws are from these. */
  pool: z.int().min(1).default(96).meta({ title: 'Questions scored' }),
  /** What a stage with the reward of stage 1 draws: the dropped questions (C.5), or the whole pool. */
  coldStart: z
    .enum(['dropped', 'all'])
    .default('dropped')
    .meta({
      title: 'Stage 1 draws',
      choices: { dropped: 'the dropped ones', all: 'the whole pool' },
    }),
  taskMixing: z.boolean().default(true).meta({
    title: 'Task mixing',
    description:
      'Medium and easy questions without retrieval; by task, where the recipe mixes tasks',
  }),
  /**
   * Shares of draws by task (`curriculum.ts`), in any unit; the share of a task that has no questions goes to the others. With
   * it, task mixing is the paper's: retrieval QA keeps its searches, arithmetic keeps them where it is hard, multiple
   * choice has them 1 : 1. Null: questions as they come, and mixing by difficulty only.
   */
  tasks: z
    .strictObject({
      qa: parts.default(1).meta({ title: 'Parts retrieval QA' }),
      arithmetic: parts.default(1).meta({ title: 'Parts arithmetic' }),
      choice: parts.default(1).meta({ title: 'Parts multiple choice' }),
    })
    .nullable()
    .default({ qa: 1, arithmetic: 1, choice: 1 })
    .meta({
      title: 'Draws by task',
      description: 'Retrieval QA, arithmetic with a checked number, multiple choice',
    }),
  /** Shares of hard, medium and easy questions: of all, or of each task; without `tasks`, those of `qa`. */
  mix: z
    .union([
      mix,
      z.strictObject({
        qa: mix.meta({ title: 'retrieval QA' }),
        arithmetic: mix.meta({ title: 'arithmetic' }),
        choice: mix.meta({ title: 'multiple choice' }),
      }),
    ])
    .default({ qa: [7, 2, 1], arithmetic: [1, 1, 1], choice: [7, 2, 1] }),
});
export type Params = z.infer<typeof params>;

defineCurriculum('ur2', {
  draws: 'by difficulty (UR²)',
  params,
  scored: (own) => own,
  clash: ({ taskMixing }, { searches }) =>
    taskMixing && !searches
      ? 'Task mixing takes searches from medium and easy questions, and this loop never lets the policy search. Set curriculum.system.taskMixing to false, or choose another recipe.'
      : null,
  load: () => import('./curriculum.ts'),
});

/** Shown in the training form. */
export const UNTRUNCATED =
  'Paper and code sample at top-p 0.9 and compute log-probabilities over the whole vocabulary, so ' +
  'the gradient belongs to another distribution than the sampled one. Here top-p is 1.';

export const UR2_SETTINGS: RecipeSettings = {
  ...DEFAULT_SETTINGS,
  dialect: 'ur2',
  retrieval: {
    ...DEFAULT_SETTINGS.retrieval,
    k: 10,
    fitK: true,
    maxSearches: 4,
    queryWords: 19,
    summarize: 'on',
  },
};

/** Training settings of both versions. */
export const UR2_TRAINING = {
  ...TRAINING,
  start: 'not-searching',
  curriculum: {
    system: { id: 'ur2', ...params.parse({}) },
  },
} satisfies Omit<VariantSettings, 'stages' | 'objective'>;

const SUMMARY =
  'Think and search in rounds, at most four short queries; reads summaries, and answers without searching when asked to.';

/** What is said of the length of a query. */
const most = (words: number | undefined): string[] =>
  words === undefined ? [] : [`It has at most ${words} words.`];

/** UR² (arXiv 2508.06165; code: Tsinghua-dhy/UR2). */
defineDialect('ur2', {
  marks: QUERY_MARKS,
  ...PLAIN_TURN,
  result: AROUND_DOCUMENTS,
  answer: 'boxed-prose',
  phrase: 'the correct answer is:',
  instruction: ({ retrieval }) =>
    [
      'Reason step by step, in few words where the question is easy.',
      ...(retrieval.maxSearches > 0
        ? [asksInThought(searches(retrieval.maxSearches)), ...most(retrieval.queryWords)]
        : ['You cannot search.']),
      `End with the final answer in \\boxed{answer}. ${SHORT}`,
    ].join(' '),
});

export const ur2: Recipe = {
  id: 'ur2',
  version: '2',
  title: 'UR²',
  summary: SUMMARY,
  about: {
    paper: '2508.06165',
    kind: 'trained by RL',
    parts: [
      'stages: retrieval, then answer',
      'difficulty buckets 7 : 2 : 1, of mathematics 1 : 1 : 1',
      'task mixing by permission',
      'summaries in place of passages, fallback',
    ],
    differences: [
      'The tags are those of the built-in policy; both sources instead of one.',
      'The summarizer sees query and passages, not the reasoning before it.',
      'Stage 1 starts from a policy that was trained not to search.',
      'Top-p is 1 instead of 0.9, so that log-probabilities are those of the sampled distribution.',
      'Learning rate, batch and steps are sized for a small policy with LoRA.',
      GOLD_OF_ARTICLES,
    ],
    published: {
      figure: 'F1 58.5 (Search-R1 56.1)',
      benchmark: 'mean of four open-domain sets',
      model: 'Qwen-2.5-7B',
    },
    sources: {
      'settings.retrieval.k': 'paper, 4.4',
      'settings.retrieval.maxSearches': 'paper, 4.4: four turns',
      'settings.retrieval.queryWords': 'paper, D.2: fewer than 20',
      'paper.stages.0.steps': 'paper',
      'paper.curriculum.system.mix.qa': 'paper, 3.1.2: hard : medium : easy',
      'paper.curriculum.system.mix.arithmetic': 'paper, C.3: its mathematics data, 1 : 1 : 1',
      'paper.curriculum.system.pool': 'ours; paper: the whole training set',
      'paper.objective.clip': 'paper, (1) to (3)',
    },
    expectedEffect:
      'Stage 1 raises searches per question from near zero; without summaries, curriculum or stage 1 the final score is lower.',
  },
  settings: UR2_SETTINGS,
  training: [
    {
      name: 'paper',
      title: 'two stages, as in the paper',
      differences: UNTRUNCATED,
      settings: {
        ...UR2_TRAINING,
        stages: [
          { steps: 10, reward: 'ur2-stage-1', weights: {} },
          { steps: 90, reward: 'ur2-stage-2', weights: {} },
        ],
        objective: { ...OBJECTIVE, estimator: 'whitened-grpo', clip: null },
      },
    },
  ],
};

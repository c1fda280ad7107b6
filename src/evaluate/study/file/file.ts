import { z } from 'zod';
import { FROZEN_SOURCES } from '../../../learn/frozen/answers.ts';
import { branchingSchema } from '../../../recipes/parts/branching.ts';
import { routerRewardSchema } from '../../../recipes/parts/settings.ts';
import { SIGNATURE_NUMBERS } from './numbers.ts';
import { courseClaimSchema } from './course.ts';
import { signatureSchema } from './signatures.ts';

/** A study file, `forage.study/1`: trainings and evaluations of several arms over the same questions. */

const count = z.int().min(1);
const changes = z.record(z.string(), z.unknown());
const path = z.string().min(1);

/**
 * Where questions and passages come from, one of: a generated world (`seed`), a world's
 * folder (`folder`), or files of passages and questions (`corpus`, `questions`). Paths are relative to
 * the study file.
 */
const studyWorldSchema = z.strictObject({
  /** In tables; of a generated world its seed by default. */
  name: z.string().min(1).max(60).optional(),
  seed: z.int().min(0).optional(),
  /** Of a generated world: the web holds every local page, too (`world/pages/corpora.ts`). */
  web: z.literal('superset').optional(),
  folder: path.optional(),
  corpus: z.array(path).min(1).optional(),
  questions: path.optional(),
  /** How `corpus` is searched; lexically by default. */
  method: z.string().optional(),
});

/** How rollouts that run together continue. */
const PACES = ['own', 'lock-step'] as const;
export type Pace = (typeof PACES)[number];

const armSchema = z.strictObject({
  name: z.string().trim().min(1).max(80),
  /** Which training, `kunlun-baize/dapo`; of an arm that is not trained, which recipe's loop. */
  recipe: z.string().min(1),
  /** The study does not train it: the policy as it is, or with `adapter`. */
  untrained: z.literal(true).optional(),
  /** PEFT folder of an adapter that an untrained arm is evaluated with. */
  adapter: path.optional(),
  /** Changes of the training's settings, over `train.settings`. */
  training: changes.default({}),
  /** Changes of the loop's settings, in training and evaluation. */
  loop: changes.default({}),
  /** The control: rewards go to other rollouts of the step. */
  shuffled: z.boolean().default(false),
  /**
   * Who summarizes where its loop has summaries on, in training and evaluation: `extractive`, the built-in one (default);
   * `oracle`, the same with every gold sentence that was retrieved, as the bound of what a better one gives.
   */
  summarizer: z.enum(['extractive', 'oracle']).optional(),
  /** What the policy without adapter is asked of each rollout, for the measures of frozen answers. */
  frozen: z.enum(FROZEN_SOURCES).optional(),
  /**
   * `own`: each rollout continues as soon as it can; `lock-step`: those that run together wait for each other at every search.
   * Where it is given, rollouts run in waves, each when the one before has ended, and how long each takes is kept.
   */
  pace: z.enum(PACES).optional(),
  /**
   * How the rollouts of a question come from each other where it is evaluated by groups; its
   * training's by default; null: they do not.
   */
  branching: branchingSchema.nullable().optional(),
  /** Rollouts (.jsonl) of the supervised warm-up, or trajectories that its stages learn from. */
  demonstrations: path.optional(),
});

export const studyFileSchema = z.strictObject({
  format: z.literal('forage.study/1'),
  /** Name of its folder of tables. */
  name: z.string().regex(/^[a-z0-9][\w-]{0,59}$/i, 'must be letters, digits, _ and -'),
  /** What it asks, in a sentence. */
  question: z.string().trim().min(1),
  /** Checkpoint folder; the built-in policy by default. */
  policy: path.optional(),
  /** Milliseconds added to each call of the web, in training and evaluation. */
  webDelayMs: z.number().min(0).max(60_000).default(0),
  /** Needed where an arm is trained. */
  train: z
    .strictObject({
      /** Every arm is trained on each of them apart. */
      worlds: z.array(studyWorldSchema).min(1),
      seeds: z.array(z.int().min(0)).min(1),
      steps: count,
      /** Changes of the training settings of all arms. */
      settings: changes.default({}),
    })
    .optional(),
  evaluate: z.strictObject({
    worlds: z.array(studyWorldSchema).min(1),
    /** Of each world: the first of the split. */
    questions: count,
    split: z.enum(['train', 'dev', 'test', 'all']).default('test'),
    compositions: z.enum(['any', 'held-out', 'seen']).default('any'),
    temperature: z.number().min(0).max(4).default(0.3),
    routing: z.enum(['argmax', 'sampled']).default('argmax'),
    /** Of the sampling; the same for every arm. */
    seed: z.int().min(0).default(0),
    /**
     * Rollouts of each question, grown as the arm's training grows its groups; every number is then their mean, and those of
     * groups have a value. One rollout per question by default.
     */
    group: z.int().min(2).max(64).optional(),
    /** Questions that are asked once more, one at a time, for the numbers that clocks tell. */
    timed: z.int().min(0).default(0),
    /** Reward of `numbers`, for every arm the same whatever it was trained by. */
    reward: z
      .strictObject({ id: z.string(), weights: z.record(z.string(), z.number()).default({}) })
      .optional(),
    /** Reading of (20) for `routerReward`. */
    routerReward: routerRewardSchema.default({ reward: 'measured', beta1: 0.2, beta2: 0.8 }),
    /** Changes of every arm's loop in evaluation alone. */
    loop: changes.default({}),
  }),
  arms: z.array(armSchema).min(1),
  /** Name of the arm that the others are compared with. */
  reference: z.string(),
  numbers: z.array(z.enum(SIGNATURE_NUMBERS)).min(1).default(['em', 'f1', 'searches']),
  /** Claims of recipes, each with the difference that would show it. */
  signatures: z.array(signatureSchema).default([]),
  /** Claims about how trainings went, step by step. */
  course: z.array(courseClaimSchema).default([]),
  /** Percentile bootstrap. */
  interval: z
    .strictObject({
      resamples: count.max(100_000).default(2000),
      level: z.number().gt(0).lt(1).default(0.95),
      seed: z.int().min(0).default(0),
    })
    .prefault({}),
});

export type StudyFile = z.infer<typeof studyFileSchema>;
export type StudyWorld = z.infer<typeof studyWorldSchema>;
export type StudyArm = z.infer<typeof armSchema>;

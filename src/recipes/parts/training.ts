import { z } from 'zod';
import { LORA_TARGETS } from '../../policy/lora/spec.ts';
import { branchingSchema } from './branching.ts';
import { stageLossSchema } from './stage-loss.ts';
import { klRules, objectiveRulesSchema } from './objective-rules.ts';
import { systemCurriculumSchema } from './curriculum.ts';
import { declarations } from './declared.ts';
import type { SystemSettings } from './system.ts';

/** Everything that a training run is made of; together with the policy's files it reproduces the run. */

const share = z.number().min(0).max(1);
const positiveInt = z.int().min(1);

export const ESTIMATORS = [
  'grpo',
  'dr-grpo',
  'rloo',
  'reinforce++-baseline',
  'whitened-grpo',
  'trl-grpo',
] as const;
export type EstimatorId = (typeof ESTIMATORS)[number];

/** Estimators that do more than compare the rollouts of a group, as a critic does. */
export const estimators = declarations<{ params: z.ZodObject }>('estimator');

/** Gates of latent reasoning that a system trains beside the adapter's factors; a starts between `rMin` and `rMax`. */
export interface Gates extends SystemSettings {
  rMin: number;
  rMax: number;
}

const { declared, schema: gatesSchema } = declarations<
  { params: z.ZodObject<{ rMin: z.ZodType<number>; rMax: z.ZodType<number> }> },
  Gates
>('gates');
export const declaredGates = declared;

const adapterSchema = z.strictObject({
  rank: positiveInt.max(256),
  alpha: z.number().positive(),
  targets: z.array(z.enum(LORA_TARGETS)).min(1),
  /** Gates of latent reasoning beside the factors; absent or null: none. With `rMin` and `rMax` 1 they stay shut. */
  gates: gatesSchema.nullable().optional(),
});

export const objectiveSchema = z.strictObject({
  /** How advantages are made: by the rollouts of a group, or by a system's own way (`defineEstimator`). */
  estimator: z.union([z.enum(ESTIMATORS), estimators.schema], {
    error: `expected ${ESTIMATORS.join(', ')}, or the id of a system with its parameters`,
  }),
  /** Ratio clip 1 − low … 1 + high; `null`: no clip. */
  clip: z.strictObject({ low: share, high: z.number().min(0) }).nullable(),
  /** Dual clip constant c for negative advantages; `null`: off. */
  dualClip: z.number().min(1).nullable(),
  /**
   * `span`: what single searches earned, where the reward values them, is the tokens' before them alone; absent:
   * all of a reward is all tokens'.
   */
  credit: z.literal('span').optional(),
  /** What systems change of the loss, by id (`defineObjectiveRule`). */
  rules: objectiveRulesSchema,
  /**
   * How an update's tokens become one loss: a mean over all, or over each sequence's; `microBatch`: a mean over the tokens of
   * each micro-batch of that many sequences, then the mean of these; `constant`: a sum over a constant, tokens a sequence.
   */
  aggregation: z.union([
    z.enum(['token-mean', 'sequence-mean']),
    z.strictObject({ microBatch: positiveInt }),
    z.strictObject({ constant: positiveInt }),
  ]),
  kl: z.strictObject({
    form: z.enum(['k1', 'k2', 'k3']),
    place: z.enum(['off', 'loss', 'reward']),
    coefficient: z.number().min(0),
    /** A system's rule for the coefficient and for the rollouts that have the KL (`defineKl`); absent or null: none. */
    system: klRules.schema.nullable().optional(),
  }),
});

/** The estimator by groups; GRPO's where a system's own makes the advantages. */
export const groupEstimatorOf = ({
  estimator,
}: Pick<z.infer<typeof objectiveSchema>, 'estimator'>): EstimatorId =>
  typeof estimator === 'string' ? estimator : 'grpo';

type Aggregation = z.infer<typeof objectiveSchema>['aggregation'];

/** Its kind, and its number where it has one. */
export function aggregationParts(aggregation: Aggregation) {
  if (typeof aggregation === 'string') return { kind: aggregation, of: null };
  return 'constant' in aggregation
    ? ({ kind: 'sum-over-constant', of: aggregation.constant } as const)
    : ({ kind: 'micro-batch-mean', of: aggregation.microBatch } as const);
}

export const aggregationWords = (aggregation: Aggregation): string => {
  const { kind, of } = aggregationParts(aggregation);
  return of === null ? kind : `${kind} ${of}`;
};

/** What a system's way to sample may not fit; `latent`: thoughts are mixtures, which no record holds. */
export interface SampledRun {
  groupSize: number;
  branching: SystemSettings | undefined;
  latent: boolean;
  trainsOnlyRouter: boolean;
}

export const samplings = declarations<{
  params: z.ZodObject;
  /** Why it cannot sample such a run; null where it can. */
  clash: (system: SystemSettings, run: SampledRun) => string | null;
}>('way to sample groups');

/** DAPO: groups that teach nothing are drawn again. */
const dynamicSamplingSchema = z.strictObject({
  /**
   * Which groups are trained on: those whose rewards (`reward`) or exact match (`accuracy`) vary, or those whose share of
   * right answers is strictly between two numbers (online difficulty filtering).
   */
  by: z
    .union([z.enum(['reward', 'accuracy']), z.strictObject({ above: share, below: share })])
    .default('reward'),
  /** Batches of a step at most. */
  maxBatches: positiveInt.max(10).default(1),
  /** A system's way to sample the groups (`defineSampling`); absent or null: whole groups, a batch after the other. */
  system: samplings.schema.nullable().optional(),
});
export type DynamicSampling = z.infer<typeof dynamicSamplingSchema>;

export const verifiers = declarations<{ params: z.ZodObject }>('verifier');

/** One stage. A recipe knows its reward by id; `learn/settings/edit-settings.ts` refuses one that is not there. */
export const stageSchema = z.strictObject({
  /** Steps of this stage; the last stage also takes what is left. */
  steps: positiveInt,
  reward: z.string(),
  /** Factors λ of the reward's clauses by name, where the reward has them. */
  weights: z.record(z.string(), z.number()).default({}),
  /** Changes of the loop's settings for the rollouts of this stage; held-out questions are asked without them. */
  overrides: z.record(z.string(), z.unknown()).optional(),
  /** What it learns by; absent: the policy gradient of `objective`. One update per step. */
  loss: stageLossSchema.optional(),
});

/**
 * Cold start: supervised updates on demonstrations before reinforcement learning. AdamW at a rate that falls to 0 in a
 * line, with the weight decay and clipping of `optimizer`. It is evaluated before, after each quarter, and ends early
 * when the format rate reaches `stopAt`.
 */
const warmUpSchema = z
  .strictObject({
    /**
     * The policy's right rollouts of this very run's loop are the demonstrations, sampled before the first update, half of
     * them with clean results and half with noise; every update takes as many of each, KunLunBaizeRAG's (14). Absent or
     * null: the user brings demonstrations.
     */
    own: z
      .strictObject({
        /** Rollouts that are sampled; the right ones of them are learned from. */
        rollouts: z.int().min(2).max(4096).default(256),
      })
      .nullable()
      .optional(),
    /** Updates, or passes over the demonstrations: 0.5 is half of them. */
    length: z.union([
      z.strictObject({ updates: positiveInt }),
      z.strictObject({ epochs: z.number().positive().max(100) }),
    ]),
    /** Demonstrations per update. */
    batch: positiveInt.max(256),
    learningRate: z.number().positive(),
    /** Leaves out demonstrations whose answer was wrong, or that have no gold answer. */
    onlyCorrect: z.boolean(),
    /** Share of the demonstrations that is not trained on, 32 at most: their loss is in every evaluation. Default 0. */
    heldOut: z.number().min(0).max(0.5).optional(),
    /** Held-out questions that are answered in every evaluation. Default 0. */
    questions: z.int().min(0).max(1000).optional(),
    /** Ends the cold start when this share of those answers keeps to the format. Absent or null: never. */
    stopAt: share.min(0.01).nullable().optional(),
  })
  .refine(({ stopAt = null, questions = 0 }) => stopAt === null || questions > 0, {
    path: ['stopAt'],
    message: 'the format rate is measured on held-out questions; set warmUp.questions too',
  });
export type WarmUpSettings = z.infer<typeof warmUpSchema>;

/** A cold start that the user asks for without saying how: LoRA at the rate that suits one of rank 16. */
export const DEFAULT_WARM_UP: WarmUpSettings = {
  length: { epochs: 1 },
  batch: 4,
  learningRate: 8e-4,
  onlyCorrect: true,
  heldOut: 0.1,
  questions: 16,
  stopAt: 0.98,
};

export const trainSettingsSchema = z.strictObject({
  format: z.literal('forage.train/1'),
  /** Recipe and variant that these settings began as, `search-r1/grpo`. */
  preset: z.string(),
  /** Recipe whose loop the rollouts run, and what differs from its settings. */
  recipe: z.string(),
  overrides: z.record(z.string(), z.unknown()).default({}),
  seed: z.int().min(0),
  /** Of reinforcement learning; 0: a cold start only. */
  steps: z.int().min(0),
  /** Questions per step, and rollouts per question. */
  questions: positiveInt.max(256),
  groupSize: positiveInt.max(64),
  /** Optimizer updates a batch is split into; 1 is on-policy. */
  updates: positiveInt.max(16),
  temperature: z.number().positive().max(4),
  adapter: adapterSchema,
  stages: z.array(stageSchema).min(1),
  /** How the rollouts of a group come from each other; absent: all begin at the question. */
  branching: branchingSchema.optional(),
  objective: objectiveSchema,
  /** null: one batch of groups a step, each trained. */
  dynamicSampling: dynamicSamplingSchema.nullable(),
  /** A system's verifier, which replaces the check of answers while the run trains; absent or null: none does. */
  verifier: verifiers.schema.nullable().optional(),
  /** DAPO's soft overlong punishment; lengths in policy tokens. */
  overlong: z.strictObject({ max: positiveInt, buffer: positiveInt }).nullable(),
  optimizer: z.strictObject({
    learningRate: z.number().positive(),
    weightDecay: z.number().min(0),
    clipNorm: z.number().min(0),
    schedule: z.enum(['constant', 'cosine']),
    warmUpSteps: z.int().min(0),
  }),
  curriculum: z.strictObject({
    /** A system's way to draw questions, and its parameters (`defineCurriculum`); absent or null: as they come. */
    system: systemCurriculumSchema.nullable().optional(),
  }),
  router: z.strictObject({
    /** `off`: as in the recipe; `beside`: trained with the language policy; `alone`: only the router. */
    train: z.enum(['off', 'beside', 'alone']),
    learningRate: z.number().positive(),
  }),
  /** A fixed sample of the dev split, scored every this many steps. */
  heldOut: z.strictObject({
    questions: z.int().min(0).max(1000),
    every: positiveInt,
    temperature: z.number().min(0).max(4),
  }),
  /**
   * The policy that reinforcement learning begins with, made of the one available by supervision
   * (`src/learn/rl/start/`). `not-searching`: one that thinks and answers at once, as UR²'s stage 1 needs one to
   * teach. `reasoning-queries`: one that searches for what it should work out, which UR²'s fallback
   * penalty is about. Absent: as it is.
   */
  start: z.enum(['searching', 'not-searching', 'reasoning-queries']).optional(),
  /** Cold start (SFT) before the first step; null: none. */
  warmUp: warmUpSchema.nullable().default(null),
  checkpointEvery: positiveInt,
  /** Control: rewards are shuffled over the rollouts of a step before advantages are made. */
  shuffleRewards: z.boolean(),
});
export type TrainSettings = z.infer<typeof trainSettingsSchema>;

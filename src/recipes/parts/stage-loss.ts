import { z } from 'zod';

const beta = z.number().positive();
/** Factor of the chosen one's negative log-likelihood, a mean over its tokens; 0: none. */
const nll = z.number().min(0);
const batch = z.int().min(1).max(1024);

const preference = {
  beta,
  nll,
  /**
   * Iterated DPO: the stage's steps are this many rounds, as equal as can be, and the reference of a round is the policy with
   * which it begins (`learn/supervised/items.ts`). Absent: the checkpoint, throughout.
   */
  rounds: z.int().min(1).max(1000).optional(),
};

/** What a stage learns by in place of the policy gradient. */
export const stageLossSchema = z.discriminatedUnion('kind', [
  /** Likelihood of a step's rollouts, each with a weight; `learn/supervised/items.ts`. */
  z.strictObject({
    kind: z.literal('sft'),
    weight: z.enum(['right', 'first', 'likelihood', 'best', 'uniform', 'released']),
    /** The gold answer is in the place of the policy's own. */
    gold: z.boolean(),
  }),
  /** Direct preference optimisation on pairs of a step's rollouts: chosen ones earned at least `high`, rejected ones at most `low`. */
  z
    .strictObject({ kind: z.literal('dpo'), high: z.number(), low: z.number(), ...preference })
    .refine(({ high, low }) => low < high, {
      path: ['low'],
      message: 'The worse rollouts would not earn less than the better ones. Set low below high.',
    }),
  /** On pairs in WebThinker's order: of right ones fewer calls, then shorter where the other is more than `gamma` times as long. */
  z.strictObject({
    kind: z.literal('efficient-dpo'),
    gamma: z.number().min(1).default(1.5),
    ...preference,
    /** How often the pairs of a step are learned from, each time from where the one before it left the policy; 1 where absent. */
    passes: z.int().min(1).max(64).optional(),
    /**
     * Most pairs of one update: a pass over more is several updates, in an order of the seed
     * (`learn/supervised/items.ts`). Absent: a pass is one update.
     */
    pairsAnUpdate: z.int().min(1).max(1024).optional(),
  }),
  /** On candidates for one step of a rollout by their ranks, as RAG-Gym's. */
  z.strictObject({ kind: z.literal('action-dpo'), ...preference }),
  /** Likelihood of stored trajectories by their weights, `batch` an update; no rollouts are made. */
  z.strictObject({ kind: z.literal('stored-sft'), batch }),
  /** Direct preference optimisation on stored pairs, `batch` an update; no rollouts are made. */
  z.strictObject({ kind: z.literal('stored-dpo'), beta, nll, batch }),
]);

type StageLoss = z.infer<typeof stageLossSchema>;

/** What a stage learns by from stored trajectories. */
export type StoredStage = Extract<StageLoss, { kind: `stored-${string}` }>;
/** What it learns by from its own rollouts. */
export type SupervisedStage = Exclude<StageLoss, StoredStage>;

export const isStored = (loss: StageLoss | undefined): loss is StoredStage =>
  loss?.kind === 'stored-sft' || loss?.kind === 'stored-dpo';

import { z } from 'zod';

const beta = z.number().positive();
/** Factor of the chosen one's negative log-likelihood, a mean over its tokens; 0: none. */
const nll = z.number().min(0);
const batch = z.int().min(1).max(1024);

/** What a stage learns by in place of the policy gradient. */
export const stageLossSchema = z.discriminatedUnion('kind', [
  /** Likelihood of a step's rollouts, each with a weight; `learn/supervised/items.ts`. */
  z.strictObject({
    kind: z.literal('sft'),
    weight: z.enum(['right', 'first', 'likelihood', 'best', 'uniform', 'released']),
    /** The gold answer is in the place of the policy's own. */
    gold: z.boolean(),
  }),
  /** Direct preference optimisation on pairs of a step's rollouts, or of actions in them. */
  z.strictObject({
    kind: z.literal('dpo'),
    beta,
    nll,
    /** Chosen ones earned at least `high`, rejected ones at most `low`. */
    high: z.number(),
    low: z.number(),
    /**
     * `reward`, also where absent: as above; `efficient`: WebThinker's order, of right ones fewer calls, then shorter;
     * `actions`: RAG-Gym's, candidates for one step of a rollout by their ranks.
     */
    pairs: z.enum(['reward', 'efficient', 'actions']).optional(),
    /** `efficient`: more than this many times as long is the longer one; 1.5 where absent. */
    gamma: z.number().min(1).optional(),
    /**
     * Iterated DPO: the stage's steps are this many rounds, as equal as can be, and the reference of a round is the policy with
     * which it begins (`learn/supervised/items.ts`). Absent: the checkpoint, throughout.
     */
    rounds: z.int().min(1).max(1000).optional(),
    /** How often the pairs of a step are learned from, each time from where the one before it left the policy; 1 where absent. */
    passes: z.int().min(1).max(64).optional(),
    /**
     * Most pairs of one update: a pass over more is several updates, in an order of the seed
     * (`learn/supervised/items.ts`). Absent: a pass is one update.
     */
    pairsAnUpdate: z.int().min(1).max(1024).optional(),
  }),
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

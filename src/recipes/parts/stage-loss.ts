import { z } from 'zod';

/** What a stage learns by in place of the policy gradient, from the same rollouts. */
export const stageLossSchema = z.discriminatedUnion('kind', [
  /** Likelihood of trajectories, each with a weight; `learn/supervised/weights.ts`. */
  z.strictObject({
    kind: z.literal('sft'),
    weight: z.enum(['right', 'likelihood', 'best', 'uniform', 'released']),
    /** The gold answer stands in the place of the policy's own. */
    gold: z.boolean(),
  }),
  /** Direct preference optimisation on pairs of rollouts of one question. */
  z.strictObject({
    kind: z.literal('dpo'),
    beta: z.number().positive(),
    /** Factor of the chosen one's negative log-likelihood, a mean over its tokens; 0: none. */
    nll: z.number().min(0),
    /** Chosen ones earned at least `high`, rejected ones at most `low`. */
    high: z.number(),
    low: z.number(),
  }),
]);

export type SupervisedStage = z.infer<typeof stageLossSchema>;

import { z } from 'zod';

/** How the rollouts of a group come from each other in training; without it, all begin at the question. */

const share = z.number().min(0).max(1);

/** How tokens that rollouts of a group share count in the loss; `learn/branching/credit.ts`. */
const SHARED_CREDITS = ['soft', 'hard', 'once'] as const;

export const branchingSchema = z.discriminatedUnion('kind', [
  /** ARPO (2507.19849): rollouts branch after a result where the policy's entropy rose. */
  z.strictObject({
    kind: z.literal('entropy'),
    /** N: rollouts that begin at the question; the group's size is M. */
    start: z.int().min(1).max(64),
    /** α and w of P = clamp(α + w · ΔH, 0, 1). */
    base: share,
    slope: z.number().min(0),
    /** `drawn`: with probability P, as the code; a number τ: where P > τ, as the paper. */
    when: z.union([z.literal('drawn'), share]),
    /**
     * `before-result`, as the released code: entropies of what was written before the result, less what the rollout first
     * wrote itself, after its branch if it is one. `before-result-kept`: less what was first written in this place of a
     * step in all of the run, since its table of them is never cleared. Absent: of what is after the result.
     */
    measured: z.enum(['before-result', 'before-result-kept']).optional(),
    /** Tokens whose entropy is summed, from the first one there. */
    tokens: z.int().min(1).max(512),
    credit: z.enum(SHARED_CREDITS),
  }),
  /** TreeRPO (2506.05183): every turn has as many children; a node is worth the mean of them. */
  z.strictObject({
    kind: z.literal('tree'),
    /** N and D: a group has at most N^D rollouts. */
    children: z.int().min(2).max(8),
    depth: z.int().min(1).max(4),
  }),
  /** REX-RAG (2508.08149): wrong rollouts are continued after a sentence that doubts. */
  z.strictObject({
    kind: z.literal('revive'),
    /** P: that a wrong rollout is cloned. */
    chance: share,
    /** ρ₀, and the share of a step's accuracy that moves ρ. */
    rate: share,
    smoothing: share,
    /** `mixture`: the ratio's denominator is the density of policy and probes together. */
    correction: z.enum(['mixture', 'none']),
  }),
]);

export type Branching = z.infer<typeof branchingSchema>;

import { z } from 'zod';
import { checkParams, type SystemSettings } from './system.ts';

/** How the rollouts of a group come from each other in training; without it, all begin at the question. */

const share = z.number().min(0).max(1);

interface DeclaredGrouping {
  params: z.ZodObject;
  /** Rollouts of a group that begin at the question. */
  begins: (branching: SystemSettings) => number;
  /** What the rollouts of a group do: `branch off each other by entropy`. */
  grows: string;
}

const declared = new Map<string, DeclaredGrouping>();

export const declareGrouping = (id: string, grouping: DeclaredGrouping): void => {
  declared.set(id, grouping);
};

/** @throws Error where the system declares none */
export function declaredGrouping(id: string): DeclaredGrouping {
  const found = declared.get(id);
  if (!found) throw new Error(`the system "${id}" declares no grouping`);
  return found;
}

export const branchingSchema = z.discriminatedUnion('kind', [
  /** By a system's own code: its parameters are beside its id (`src/systems`). */
  z
    .looseObject({
      kind: z.literal('system'),
      id: z.string({ error: 'name the system whose grouping this is' }),
    })
    .superRefine((branching, context) => {
      const { kind: _, ...system } = branching;
      checkParams(system, declared, 'grouping', context);
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

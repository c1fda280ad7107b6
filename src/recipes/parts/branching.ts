import { z } from 'zod';
import { checkParams, type SystemSettings } from './system.ts';

/** How the rollouts of a group come from each other in training; without it, all begin at the question. */

interface DeclaredGrouping {
  params: z.ZodObject;
  /** Rollouts of a group that begin at the question; absent: all that the group size says. */
  begins?: ((branching: SystemSettings) => number) | undefined;
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

/** The system whose code makes the groups, with its parameters beside its id (`src/systems`). */
export const branchingSchema = z
  .looseObject({ id: z.string({ error: 'name the system whose grouping this is' }) })
  .superRefine((branching, context) => checkParams(branching, declared, 'grouping', context));

export type Branching = z.infer<typeof branchingSchema>;

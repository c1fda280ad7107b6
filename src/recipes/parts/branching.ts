import type { z } from 'zod';
import { declarations } from './declared.ts';
import type { SystemSettings } from './system.ts';

/** How the rollouts of a group come from each other in training; without it, all begin at the question. */

interface DeclaredGrouping {
  params: z.ZodObject;
  /** Rollouts of a group that begin at the question; absent: all that the group size says. */
  begins?: ((branching: SystemSettings) => number) | undefined;
  /** What the rollouts of a group do: `branch off each other by entropy`. */
  grows: string;
}

/** `branchingSchema`: the system whose code makes the groups, with its parameters beside its id (`src/systems`). */
export const { declared: declaredGroupings, schema: branchingSchema } =
  declarations<DeclaredGrouping>('grouping');

/** @throws Error where the system declares none */
export function declaredGrouping(id: string): DeclaredGrouping {
  const found = declaredGroupings.get(id);
  if (!found) throw new Error(`the system "${id}" declares no grouping`);
  return found;
}

export type Branching = z.infer<typeof branchingSchema>;

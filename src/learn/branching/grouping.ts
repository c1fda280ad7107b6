import type { AgentDeps, GroupRequest } from '../../agent/request.ts';
import type { Branching } from '../../recipes/parts/branching.ts';
import type { Rollout } from '../../records/rollout.ts';
import type { Credit, Shared } from './credit.ts';

/** What a group is grown from beside its question. */
export interface Ground {
  /** The question's place in the batch. */
  place: number;
  /** Numbers that a grouping keeps from step to step, by a name of its own; they are added to. */
  kept: KeptNumbers;
  /** The first rollouts of the group, from the question, which are made already. */
  begun: readonly Rollout[];
}

export type KeptNumbers = Record<string, number>;

/** How the rollouts of a group come from each other, as a system's own code. */
export interface Grouping {
  /** The rollouts of one question for a step beside those that are begun, in the order of their places. */
  grow(deps: AgentDeps, request: GroupRequest, ground: Ground): Promise<Rollout[]>;
  /** What trained tokens count for where rollouts share some; null: each counts for its rollout. */
  credit?(
    sequences: readonly Shared[],
    advantages: ArrayLike<number | Float32Array>,
  ): Credit[] | null;
}

type OfSystem = Extract<Branching, { kind: 'system' }>;
type MakeGrouping = (branching: OfSystem) => Grouping;

const loaders = new Map<string, () => Promise<MakeGrouping>>();
const loaded = new Map<string, MakeGrouping>();

/** Says where a system's grouping is; it is loaded with its first group. */
export const provideGrouping = (id: string, load: () => Promise<MakeGrouping>): void => {
  loaders.set(id, load);
};

/** @throws Error where no group was grown by it before */
export function groupingOf(branching: OfSystem): Grouping {
  const make = loaded.get(branching.id);
  if (!make) throw new Error(`the grouping of the system "${branching.id}" is not loaded`);
  return make(branching);
}

/** @throws Error where the system provides none */
export async function loadGrouping(branching: OfSystem): Promise<Grouping> {
  const { id } = branching;
  const load = loaders.get(id);
  if (!load) throw new Error(`the grouping of the system "${id}" is not registered`);
  if (!loaded.has(id)) loaded.set(id, await load());
  return groupingOf(branching);
}

import type { AgentDeps, GroupRequest } from '../../agent/request.ts';
import type { PolicyTokenizer } from '../../policy/policy.ts';
import type { Branching } from '../../recipes/parts/branching.ts';
import { loadedCode } from '../../recipes/parts/declared.ts';
import type { Rollout } from '../../records/rollout.ts';
import type { Sequence } from '../mask.ts';
import type { PolicyLearner } from '../replicas/learner.ts';
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

/** The groups of a step before anything of them is trained. */
interface MadeGroups {
  groups: readonly (readonly Rollout[])[];
  /** It holds the adapter that sampled. */
  learner: PolicyLearner;
  tokenizer: PolicyTokenizer;
  /** As in `Ground`. */
  kept: KeptNumbers;
  /** What the loss takes of groups, in order. */
  sequencesOf: (groups: readonly (readonly Rollout[])[]) => Sequence[];
}

/** How the rollouts of a group come from each other, as a system's own code. */
export interface Grouping {
  /** The rollouts of one question for a step beside those that are begun, in the order of their places. */
  grow(deps: AgentDeps, request: GroupRequest, ground: Ground): Promise<Rollout[]>;
  /** What is trained, where that is not every rollout as it was sampled. */
  sequences?(made: MadeGroups): Promise<Sequence[]>;
  /** What trained tokens count for where rollouts share some; null: each counts for its rollout. */
  credit?(
    sequences: readonly Shared[],
    advantages: ArrayLike<number | Float32Array>,
  ): Credit[] | null;
  /** Mean ratio of tokens that the system wrote into rollouts, after the update; null where there are none. */
  probeRatio?(
    learner: PolicyLearner,
    sequences: readonly Sequence[],
    adapter: Float32Array,
  ): Promise<number | null>;
}

type MakeGrouping = (branching: Branching) => Grouping;

const code = loadedCode<MakeGrouping>('grouping');

/** Says where a system's grouping is; it is loaded with its first group. */
export const provideGrouping = code.provide;

/** @throws Error where the system provides none */
export const loadGrouping = async (branching: Branching): Promise<Grouping> =>
  (await code.load(branching.id))(branching);

import { deriveSeed } from '../../base/random.ts';
import type { Rollout } from '../../records/rollout.ts';
import type { Branching } from '../../recipes/parts/branching.ts';
import type { AgentDeps, GroupRequest } from '../../agent/request.ts';
import { runFork, runGroup } from '../../agent/run.ts';
import { loadGrouping, type Ground } from './grouping.ts';
import { turnsOf, type Turn } from './turns.ts';

/**
 * Groups whose rollouts come from each other. Rollouts are run to their end before others branch off them:
 * what comes after a branch does not depend on what its sibling does, so the group is the one that branching
 * on the way would give.
 */

/** A rollout and its result at which it may still branch. */
export interface Growing {
  rollout: Rollout;
  turns: Turn[];
  /** Which of `turns` is next. */
  next: number;
}

/** Another rollout from after a result of one, with the seed of its place in the group. */
export async function branchOff(
  deps: AgentDeps,
  request: GroupRequest,
  { rollout, turn }: { rollout: Rollout; turn: Turn },
  place: number,
): Promise<Rollout> {
  const branch = await runFork(
    deps,
    { of: rollout, event: turn.event },
    {
      question: request.question,
      rolloutId: `${request.groupId}-${place}`,
      seed: deriveSeed(request.seed, 'rollout', place),
      signal: request.signal,
    },
  );
  request.onRollout?.(branch);
  return branch;
}

export const growing = (rollout: Rollout): Growing => ({
  rollout,
  turns: turnsOf(rollout),
  next: 0,
});

/** The rollouts of a group that begin at the question, in the order of their places: those begun, and more up to `size`. */
export async function fromQuestion(
  deps: AgentDeps,
  request: GroupRequest,
  begun: readonly Rollout[],
  size: number,
): Promise<Rollout[]> {
  const more = Math.max(0, size - begun.length);
  return [...begun, ...(await runGroup(deps, { ...request, first: begun.length, size: more }))];
}

/** Rollouts from the question at given places of the group. */
export async function freshRollouts(
  deps: AgentDeps,
  request: GroupRequest,
  places: readonly number[],
): Promise<Rollout[]> {
  const last = places.at(-1);
  if (last === undefined) return [];
  const made = places.map((place) =>
    runGroup(deps, {
      ...request,
      seed: deriveSeed(request.seed, 'fresh', place),
      groupId: `${request.groupId}-${place}`,
      size: 1,
    }),
  );
  return (await Promise.all(made))
    .flat()
    .map((rollout) => ({ ...rollout, groupId: request.groupId }));
}

/** The rollouts of one question for a step beside those that are begun, in the order of their places. */
export async function growGroup(
  deps: AgentDeps,
  request: GroupRequest,
  branching: Branching | undefined,
  ground: Ground,
): Promise<Rollout[]> {
  if (branching) return (await loadGrouping(branching)).grow(deps, request, ground);
  const { begun } = ground;
  return (await fromQuestion(deps, request, begun, request.size)).slice(begun.length);
}

import { deriveSeed, uniform } from '../../base/random.ts';
import { itemAt } from '../../base/items.ts';
import type { Rollout } from '../../records/rollout.ts';
import type { Branching } from '../../recipes/parts/branching.ts';
import type { AgentDeps, GroupRequest } from '../../agent/request.ts';
import { runFork, runGroup } from '../../agent/run.ts';
import {
  branches,
  firstWritten,
  openingOf,
  riseAt,
  summedEntropy,
  turnsOf,
  type FirstEntropies,
  type Turn,
} from './entropy.ts';
import { reviveGroup } from './revive.ts';

/**
 * Groups whose rollouts come from each other. Rollouts are run to their end before others branch off them:
 * what comes behind a branch does not depend on what its sibling does, so the group is the one that branching
 * on the way would give.
 */

/** A rollout and its result at which it may still branch. */
interface Growing {
  rollout: Rollout;
  turns: Turn[];
  /** Which of `turns` is next. */
  next: number;
}

/** Another rollout from behind a result of one, with the seed of its place in the group. */
async function branchOff(
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
      ...(request.signal ? { signal: request.signal } : {}),
    },
  );
  request.onRollout?.(branch);
  return branch;
}

const growing = (rollout: Rollout): Growing => ({ rollout, turns: turnsOf(rollout), next: 0 });

/**
 * ARPO: N rollouts from the question; in rounds, in the order of their places, each branches at most once
 * behind its next result, until the group has M. What is then missing begins at the question.
 */
async function growByEntropy(
  deps: AgentDeps,
  request: GroupRequest,
  rule: Extract<Branching, { kind: 'entropy' }>,
  { place: question, firsts }: Kept,
): Promise<Rollout[]> {
  const start = Math.min(rule.start, request.size);
  const group = (await runGroup(deps, { ...request, size: start })).map(growing);
  const { vocabSize } = deps.policy.tokenizer;
  const sum = (values: readonly number[]): number => summedEntropy(values, rule.tokens, vocabSize);
  const keeps = rule.measured === 'before-result-kept';
  const nameOf = (place: number): string => `${question}-${place}`;
  /** Notes what was first written in a place of the group, where nothing ever was. */
  const note = ({ rollout, turns, next }: Growing, place: number): void => {
    if (!keeps) return;
    firsts[nameOf(place)] ??= sum(firstWritten({ turns, opening: openingOf(rollout) }, next));
  };
  group.forEach(note);
  for (let round = 0; group.length < request.size; round++) {
    if (group.every(({ turns, next }) => next >= turns.length)) break;
    const chosen = group.flatMap((one, place) => {
      const { turns } = one;
      if (one.next >= turns.length) return [];
      const at = one.next++;
      const turn = itemAt(turns, at, 'turns');
      const first = keeps ? firsts[nameOf(place)] : undefined;
      const known = { turns, at, opening: openingOf(one.rollout) };
      const rise = riseAt(first === undefined ? known : { ...known, first }, rule.measured, sum);
      const draw = uniform(deriveSeed(one.rollout.seed, 'branch', round));
      return branches(rise, draw, rule) ? [{ rollout: one.rollout, turn, next: one.next }] : [];
    });
    const first = group.length;
    const made = await Promise.all(
      chosen
        .slice(0, request.size - first)
        .map((one, i) => branchOff(deps, request, one, first + i)),
    );
    made.forEach((rollout, i) => {
      const branch = { ...growing(rollout), next: itemAt(chosen, i, 'branches').next };
      note(branch, group.push(branch) - 1);
    });
  }
  const missing = Array.from({ length: request.size - group.length }, (_, i) => group.length + i);
  const fresh = await freshRollouts(deps, request, missing);
  fresh.forEach((rollout, i) => note(growing(rollout), itemAt(missing, i, 'places')));
  return [...group.map(({ rollout }) => rollout), ...fresh];
}

/** What steps hand on: ARPO's table of first entropies, which is added to, and the question's place in the batch. */
export interface Kept {
  place: number;
  firsts: FirstEntropies;
}

/** Rollouts from the question at given places of the group. */
async function freshRollouts(
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

/** TreeRPO: N rollouts from the question, and behind each result as many, down to depth D. */
async function growTree(
  deps: AgentDeps,
  request: GroupRequest,
  { children, depth }: Extract<Branching, { kind: 'tree' }>,
): Promise<Rollout[]> {
  const roots = await runGroup(deps, { ...request, size: children });
  const group = roots.map(growing);
  for (let level = 1; level < depth; level++) {
    const parents = group.filter(({ turns, next }) => next < turns.length);
    const wanted = parents.flatMap((one) => {
      const turn = itemAt(one.turns, one.next++, 'turns');
      return Array.from({ length: children - 1 }, () => ({ ...one, turn }));
    });
    const first = group.length;
    const made = await Promise.all(
      wanted.map((one, i) => branchOff(deps, request, one, first + i)),
    );
    made.forEach((rollout, i) =>
      group.push({ ...growing(rollout), next: itemAt(wanted, i, 'branches').next }),
    );
  }
  return group.map(({ rollout }) => rollout);
}

/** The rollouts of one question for a step, in the order of their places. */
export function growGroup(
  deps: AgentDeps,
  request: GroupRequest,
  branching: Branching | undefined,
  kept: Kept,
): Promise<Rollout[]> {
  switch (branching?.kind) {
    case undefined:
      return runGroup(deps, request);
    case 'entropy':
      return growByEntropy(deps, request, branching, kept);
    case 'tree':
      return growTree(deps, request, branching);
    case 'revive':
      return reviveGroup(deps, request, branching);
  }
}

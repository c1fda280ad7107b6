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
import { clonesOf } from './revive.ts';

/**
 * Groups whose rollouts come from each other. Rollouts are run to their end before others branch off them:
 * what comes after a branch does not depend on what its sibling does, so the group is the one that branching
 * on the way would give.
 */

/** A rollout and its result at which it may still branch. */
interface Growing {
  rollout: Rollout;
  turns: Turn[];
  /** Which of `turns` is next. */
  next: number;
}

/** Another rollout from after a result of one, with the seed of its place in the group. */
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
      signal: request.signal,
    },
  );
  request.onRollout?.(branch);
  return branch;
}

const growing = (rollout: Rollout): Growing => ({ rollout, turns: turnsOf(rollout), next: 0 });

/**
 * ARPO: N rollouts from the question; in rounds, in the order of their places, each branches at most once
 * after its next result, until the group has M. What is then missing begins at the question.
 */
async function growByEntropy(
  deps: AgentDeps,
  request: GroupRequest,
  rule: Extract<Branching, { kind: 'entropy' }>,
  ground: Ground,
): Promise<Rollout[]> {
  const { begun } = ground;
  const start = Math.min(rule.start, request.size);
  const group = (await fromQuestion(deps, request, begun, start)).map(growing);
  const { vocabSize } = deps.policy.tokenizer;
  const sum = (values: readonly number[]): number => summedEntropy(values, rule.tokens, vocabSize);
  const firsts = rule.measured === 'before-result-kept' ? ground.firsts : {};
  const nameOf = (place: number): string => `${ground.place}-${place}`;
  /** Notes what was first written in a place of the group, where nothing was. */
  const note = ({ rollout, turns, next }: Growing, place: number): void => {
    if (rule.measured === undefined) return;
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
      const known = { turns, at, opening: openingOf(one.rollout) };
      const rise = riseAt(known, firsts[nameOf(place)], sum);
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
  return [...group.slice(begun.length).map(({ rollout }) => rollout), ...fresh];
}

/** What a group is grown from beside its question. */
export interface Ground {
  /** The question's place in the batch, and ARPO's table of first entropies, which is added to. */
  place: number;
  firsts: FirstEntropies;
  /** The first rollouts of the group, from the question, which are made already. */
  begun: readonly Rollout[];
}

/** The rollouts of a group that begin at the question, in the order of their places: those begun, and more up to `size`. */
async function fromQuestion(
  deps: AgentDeps,
  request: GroupRequest,
  begun: readonly Rollout[],
  size: number,
): Promise<Rollout[]> {
  const more = Math.max(0, size - begun.length);
  return [...begun, ...(await runGroup(deps, { ...request, first: begun.length, size: more }))];
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

/** TreeRPO: N rollouts from the question, and after each result as many, down to depth D. */
async function growTree(
  deps: AgentDeps,
  request: GroupRequest,
  { children, depth }: Extract<Branching, { kind: 'tree' }>,
  { begun }: Ground,
): Promise<Rollout[]> {
  const roots = await fromQuestion(deps, request, begun, children);
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
  return group.slice(begun.length).map(({ rollout }) => rollout);
}

/** The rollouts of one question for a step beside those that are begun, in the order of their places. */
export async function growGroup(
  deps: AgentDeps,
  request: GroupRequest,
  branching: Branching | undefined,
  ground: Ground,
): Promise<Rollout[]> {
  switch (branching?.kind) {
    case 'entropy':
      return growByEntropy(deps, request, branching, ground);
    case 'tree':
      return growTree(deps, request, branching, ground);
    case undefined:
    case 'revive': {
      const { begun } = ground;
      const originals = await fromQuestion(deps, request, begun, request.size);
      const clones = branching ? await clonesOf(deps, request, branching, originals) : [];
      return [...originals.slice(begun.length), ...clones];
    }
  }
}

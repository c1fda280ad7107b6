import { itemAt } from '../../base/items.ts';
import { deriveSeed, uniform } from '../../base/random.ts';
import { mean } from '../../base/statistics.ts';
import type { AgentDeps, GroupRequest } from '../../agent/request.ts';
import { ownerAt, placesOf, type Credit, type Shared } from '../../learn/branching/credit.ts';
import {
  branchOff,
  freshRollouts,
  fromQuestion,
  growing,
  type Growing,
} from '../../learn/branching/grow.ts';
import type { Ground, Grouping } from '../../learn/branching/grouping.ts';
import type { Rollout } from '../../records/rollout.ts';
import { branches, firstWritten, openingOf, riseAt, summedEntropy, type Rule } from './entropy.ts';

/**
 * ARPO: N rollouts from the question; in rounds, in the order of their places, each branches at most once
 * after its next result, until the group has M. What is then missing begins at the question.
 */
async function growByEntropy(
  deps: AgentDeps,
  request: GroupRequest,
  rule: Rule,
  ground: Ground,
): Promise<Rollout[]> {
  const { begun } = ground;
  const start = Math.min(rule.start, request.size);
  const group = (await fromQuestion(deps, request, begun, start)).map(growing);
  const { vocabSize } = deps.policy.tokenizer;
  const sum = (values: readonly number[]): number => summedEntropy(values, rule.tokens, vocabSize);
  const firsts = rule.measured === 'before-result-kept' ? ground.kept : {};
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

/**
 * ARPO (arXiv 2507.19849, section 3.2). `soft`: every rollout through a token counts it with its own advantage.
 * `hard`: with the mean of theirs; at ratio 1 and a mean over tokens the sum is the same. `once`: with that
 * mean, in the first of them alone (ours: only this one changes what the loss is).
 */
export function sharedCredit(
  sequences: readonly Shared[],
  advantages: ArrayLike<number>,
  by: 'soft' | 'hard' | 'once',
): Credit[] {
  const through = new Map<string, number[]>();
  const keys = sequences.map(({ rollout, mask, group }, s) =>
    placesOf(mask).map((at) => {
      const key = `${group} ${ownerAt(rollout, at)} ${at}`;
      through.set(key, [...(through.get(key) ?? []), s]);
      return key;
    }),
  );
  return keys.map((own, s) =>
    own.map((key) => {
      const all = through.get(key) ?? [s];
      if (by === 'soft') return itemAt(advantages, s, 'advantages');
      if (by === 'once' && all[0] !== s) return null;
      return mean(all.map((one) => itemAt(advantages, one, 'advantages')));
    }),
  );
}

export const grouping = (rule: Rule): Grouping => ({
  grow: (deps, request, ground) => growByEntropy(deps, request, rule, ground),
  credit(sequences, advantages) {
    if (rule.credit === 'soft') return null;
    const own = Array.from(advantages);
    if (own.some((advantage) => typeof advantage !== 'number'))
      throw new Error(
        'training: shared tokens cannot get a mean advantage when single searches are credited; set branching.credit to soft, or leave objective.credit out',
      );
    return sharedCredit(sequences, own as number[], rule.credit);
  },
});

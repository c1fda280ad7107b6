import { itemAt } from '../../../base/items.ts';
import { mean, meanOrNull } from '../../../base/statistics.ts';
import { estimateAdvantages } from '../../../learn/advantages.ts';
import { turnsOf } from '../../../learn/branching/turns.ts';
import { openingOf, riseAt, ruleSchema, summedEntropy } from '../../../systems/arpo/entropy.ts';
import { isClone } from '../../../systems/rex-rag/probes.ts';
import { treeCredit } from '../../../systems/tree-rpo/grouping.ts';
import type { RewardFacts } from '../../../learn/rewards/parts/facts.ts';
import { bonusOf } from '../../../systems/deep-diver/reward.ts';
import { signalBound } from '../../../learn/band.ts';
import { newGoldShares } from '../../../learn/rewards/parts/searches.ts';
import { countSearches } from '../../../records/searches.ts';
import type { Rollout } from '../../../records/rollout.ts';
import type { Branching } from '../../../recipes/parts/branching.ts';
import type { NumberUnit } from './units.ts';

/** Numbers that only several rollouts of a question have, as training would make and credit them. */

export interface Group {
  /** In the order of their places; those that branched off come behind what they branched off from. */
  rollouts: readonly Rollout[];
  /** Of each rollout. */
  facts: readonly RewardFacts[];
  /** How they come from each other. */
  branching: Branching | undefined;
  /** Tokens of the policy's vocabulary. */
  vocabulary: number;
}

interface GroupMeasureDefinition {
  id: string;
  title: string;
  unit: NumberUnit;
  /** Whether each group has 0 or 1. */
  binary?: true;
  /** Null where the group has nothing to measure it by. */
  of: (group: Group) => number | null;
}

/** The event from which a rollout is its own. */
const ownFrom = ({ forks }: Pick<Rollout, 'forks'>): number => forks?.at(-1)?.event ?? 0;

/** Searches that were really made, by the rollouts that they were made for: shared ones once. */
const callsMade = ({ rollouts }: Group): number =>
  mean(
    rollouts.map(
      (one) => countSearches(one.events) - countSearches(one.events.slice(0, ownFrom(one))),
    ),
  );

/** An answered search, with the rollout that made it. */
interface GroupSearch {
  /** Place of its rollout in the group. */
  by: number;
  /** Place of its event. */
  event: number;
  query: string;
  /** Token of the context that its query begins with. */
  token: number;
  /** Whether it brought a supporting passage that its rollout had not seen. */
  brings: boolean;
}

/** Where a segment's first token is in the context. */
const startOf = ({ segments }: Rollout, segment: number): number =>
  segments.slice(0, segment).reduce((sum, { ids }) => sum + ids.length, 0);

/** Searches that were answered, each once. */
function madeSearches({ rollouts, facts }: Group): GroupSearch[] {
  return rollouts.flatMap((rollout, by) => {
    const { searches, supporting } = itemAt(facts, by);
    const gains = newGoldShares(searches, supporting);
    const asked = rollout.events.flatMap((event, i) => (event.kind === 'search' ? [i] : []));
    return asked.flatMap((event, n) => {
      const next = asked[n + 1] ?? rollout.events.length;
      const answered = rollout.events.slice(event, next).some(({ kind }) => kind === 'retrieve');
      const search = searches[n];
      const segment = search?.evidence[0]?.segment;
      if (event < ownFrom(rollout) || !answered || !search || segment === undefined) return [];
      const token = startOf(rollout, segment);
      return [{ by, event, query: search.query.trim(), token, brings: (gains[n] ?? 0) > 0 }];
    });
  });
}

/** Of the other rollouts from the question, the share whose first query is none of those before; null of fewer than two that search. */
function differentQueries(group: Group): number | null {
  const first = new Map<number, string>();
  for (const { by, query } of madeSearches(group))
    if (!group.rollouts[by]?.forks && !first.has(by)) first.set(by, query);
  return first.size < 2 ? null : (new Set(first.values()).size - 1) / (first.size - 1);
}

/** Whether a rollout goes through an event of another, or is that one. */
const goesThrough = (rollout: Rollout, of: Rollout, event: number): boolean =>
  rollout.id === of.id ||
  (rollout.forks ?? []).some((fork) => fork.rolloutId === of.id && fork.event > event);

/** Advantages of searches where exact match is the reward and a search counts in every rollout through it, by GRPO: the mean of theirs. */
function byRollouts({ rollouts, facts }: Group, searches: readonly GroupSearch[]): number[] {
  const advantages = estimateAdvantages(
    'grpo',
    facts.map(({ em }) => em),
    rollouts.map(() => 0),
    rollouts.map(() => 1),
  );
  return searches.map(({ by, event }) => {
    const own = itemAt(rollouts, by);
    return mean(
      rollouts.flatMap((one, i) => (goesThrough(one, own, event) ? [itemAt(advantages, i)] : [])),
    );
  });
}

/** The same by TreeRPO: of the node that the search belongs to, 0 where its siblings are of equal value. */
function byNodes({ rollouts, facts }: Group, searches: readonly GroupSearch[]): number[] {
  const shared = rollouts.map((rollout, i) => ({
    rollout: { ...rollout, reward: itemAt(facts, i).em },
    group: 0,
    mask: Uint8Array.from(rollout.segments.flatMap(({ ids, mask }) => ids.map(() => mask))),
  }));
  const credits = treeCredit(shared).map((credit, i) => {
    const { mask } = itemAt(shared, i);
    const places = [...mask.keys()].filter((at) => at > 0 && mask[at] === 1);
    return new Map(places.map((at, n) => [at, credit[n] ?? 0]));
  });
  return searches.map(({ by, token }) => itemAt(credits, by).get(token) ?? 0);
}

/**
 * Of all pairs of a search that brings a supporting passage and one that does not: how often the first has the higher
 * advantage, equal ones counted half (the area under the curve, by Mann and Whitney). Null without a pair.
 */
function distinguished(
  searches: readonly GroupSearch[],
  advantages: readonly number[],
): number | null {
  const of = (brings: boolean): number[] =>
    advantages.filter((_, i) => itemAt(searches, i).brings === brings);
  return meanOrNull(
    of(true).flatMap((one) => of(false).map((other) => (Math.sign(one - other) + 1) / 2)),
  );
}

/** How well the advantages of a group tell searches apart: a tree's by TreeRPO, all others by GRPO. */
function turnCredit(group: Group): number | null {
  const searches = madeSearches(group);
  const credit = group.branching?.id === 'tree-rpo' ? byNodes : byRollouts;
  return distinguished(searches, credit(group, searches));
}

/** Of a tree: how much better TreeRPO's advantages tell its searches apart than GRPO's over its leaves. */
function turnCreditGain(group: Group): number | null {
  if (group.branching?.id !== 'tree-rpo') return null;
  const searches = madeSearches(group);
  const [own, other] = [byNodes, byRollouts].map((credit) =>
    distinguished(searches, credit(group, searches)),
  );
  return own == null || other == null ? null : own - other;
}

/**
 * Mean ΔH of ARPO at the results after which the group branches, less the mean at other results that come as late in their
 * rollouts, since entropy rises with the turn anyway and branches come early. Null without two such, and where
 * rollouts do not branch by entropy.
 */
function riseAtBranches({ rollouts, branching, vocabulary }: Group): number | null {
  if (branching?.id !== 'arpo') return null;
  const { id: _, ...own } = branching;
  const { tokens } = ruleSchema.parse(own);
  const sum = (values: readonly number[]): number => summedEntropy(values, tokens, vocabulary);
  const points = new Set(
    rollouts.flatMap(({ forks }) => {
      const last = forks?.at(-1);
      return last ? [`${last.rolloutId} ${last.event}`] : [];
    }),
  );
  const byTurn = new Map<number, { at: number[]; elsewhere: number[] }>();
  for (const rollout of rollouts) {
    const turns = turnsOf(rollout);
    const opening = openingOf(rollout);
    turns.forEach(({ event }, i) => {
      // The result that a rollout branched off behind is the other one's.
      if (rollout.forks && event <= ownFrom(rollout)) return;
      const turn = byTurn.get(i) ?? { at: [], elsewhere: [] };
      byTurn.set(i, turn);
      const rise = riseAt({ turns, at: i, opening }, undefined, sum);
      (points.has(`${rollout.id} ${event}`) ? turn.at : turn.elsewhere).push(rise);
    });
  }
  return meanOrNull(
    [...byTurn.values()].flatMap(({ at, elsewhere }) =>
      elsewhere.length === 0 ? [] : at.map((rise) => rise - mean(elsewhere)),
    ),
  );
}

/**
 * Where the first half of a group screens as SPEED-RL does, and both right and wrong ones are in it: how much further from one
 * half the share of right ones is among the rest. Null where the screening drops the group.
 */
function keptAccuracyLean({ facts }: Group): number | null {
  const half = Math.floor(facts.length / 2);
  const fromMiddle = (part: readonly RewardFacts[]): number =>
    Math.abs(mean(part.map(({ em }) => Number(em === 1))) - 0.5);
  const [screening, rest] = [facts.slice(0, half), facts.slice(half, 2 * half)];
  if (half === 0 || fromMiddle(screening) === 0.5) return null;
  return fromMiddle(rest) - fromMiddle(screening);
}

export const GROUP_MEASURES = [
  {
    id: 'allWrong',
    title: 'groups in which every rollout is wrong',
    unit: 'percent',
    binary: true,
    of: ({ facts }) => Number(facts.every(({ em }) => em !== 1)),
  },
  {
    id: 'bonusPaid',
    title: 'groups in which searching alone was right',
    unit: 'percent',
    binary: true,
    of: ({ facts }) => Number(bonusOf(facts, ({ em }) => em === 1).includes(true)),
  },
  {
    id: 'leanOfKept',
    title: 'distance of accuracy from one half after screening, minus that during screening',
    unit: 'percent',
    of: keptAccuracyLean,
  },
  {
    id: 'signalBound',
    title: 'bound on the signal-to-noise ratio of the gradient',
    unit: 'count',
    of: ({ facts }) => signalBound(facts.length, mean(facts.map(({ em }) => Number(em === 1)))),
  },
  {
    id: 'clonesRight',
    title: 'right rollouts that continue a wrong one',
    unit: 'percent',
    of: ({ rollouts, facts }) =>
      meanOrNull(rollouts.flatMap((one, i) => (isClone(one) ? [itemAt(facts, i).em] : []))),
  },
  { id: 'callsMade', title: 'searches made a rollout', unit: 'count', of: callsMade },
  {
    id: 'differentQueries',
    title: 'first queries that are not another’s',
    unit: 'percent',
    of: differentQueries,
  },
  {
    id: 'turnCredit',
    title: 'searches that bring support credited above those that do not',
    unit: 'percent',
    of: turnCredit,
  },
  {
    id: 'turnCreditGain',
    title: 'searches that bring support credited above those that do not, more often than by GRPO',
    unit: 'percent',
    of: turnCreditGain,
  },
  {
    id: 'branchRise',
    title: 'ΔH at branches above that at other results of the same turn',
    unit: 'share',
    of: riseAtBranches,
  },
] as const satisfies readonly GroupMeasureDefinition[];

export type GroupMeasureId = (typeof GROUP_MEASURES)[number]['id'];

export const GROUP_MEASURE_IDS: readonly GroupMeasureId[] = GROUP_MEASURES.map(({ id }) => id);

/** All measures of a group that has something to measure them by. */
export function groupMeasuresOf(group: Group): Partial<Record<GroupMeasureId, number>> {
  const found = GROUP_MEASURES.flatMap(({ id, of }) => {
    const value = of(group);
    return value === null ? [] : [[id, value]];
  });
  return Object.fromEntries(found) as Partial<Record<GroupMeasureId, number>>;
}

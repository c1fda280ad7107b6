import { itemAt } from '../../../base/items.ts';
import { mean, meanOrNull } from '../../../base/statistics.ts';
import { estimateAdvantages } from '../../../learn/advantages.ts';
import { treeCredit } from '../../../learn/branching/credit.ts';
import { openingOf, riseAt, summedEntropy, turnsOf } from '../../../learn/branching/entropy.ts';
import { isClone } from '../../../learn/branching/revive.ts';
import type { RewardFacts } from '../../../learn/rewards/parts/facts.ts';
import { newGoldShares } from '../../../learn/rewards/parts/searches.ts';
import type { Rollout } from '../../../records/rollout.ts';
import type { Branching } from '../../../recipes/parts/branching.ts';
import type { NumberUnit } from '../signatures/units.ts';

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
  /** Null where the group has nothing to measure it by. */
  of: (group: Group) => number | null;
}

/** The event from which a rollout is its own. */
const ownFrom = ({ forks }: Pick<Rollout, 'forks'>): number => forks?.at(-1)?.event ?? 0;

/** How many of its searches a rollout has from the one that it branched off. */
const sharedSearches = (rollout: Rollout): number =>
  rollout.events.slice(0, ownFrom(rollout)).filter(({ kind }) => kind === 'search').length;

/** Searches that were really made, by the rollouts that they were made for: shared ones once. */
const callsMade = ({ rollouts, facts }: Group): number =>
  mean(rollouts.map((one, i) => itemAt(facts, i).searches.length - sharedSearches(one)));

/** Of the rollouts that search: how many different first queries there are. */
function differentQueries({ facts }: Group): number | null {
  const first = facts.flatMap(({ searches: [one] }) => (one ? [one.query.trim()] : []));
  return first.length < 2 ? null : new Set(first).size / first.length;
}

/**
 * The advantage that each place of a rollout's context is trained with when exact match is the reward: GRPO's, one a
 * rollout; in a tree TreeRPO's, of the node that the token belongs to, 0 where its siblings are of equal value.
 */
function advantagesOf({ rollouts, facts, branching }: Group): ((at: number) => number)[] {
  const rewards = facts.map(({ em }) => em);
  if (branching?.kind !== 'tree') {
    const lengths = rollouts.map(() => 1);
    const one = rollouts.map(() => 0);
    return [...estimateAdvantages('grpo', rewards, one, lengths)].map((own) => () => own);
  }
  const shared = rollouts.map((rollout, i) => ({
    rollout: { ...rollout, reward: itemAt(rewards, i) },
    group: 0,
    mask: Uint8Array.from(rollout.segments.flatMap(({ ids, mask }) => ids.map(() => mask))),
  }));
  return treeCredit(shared).map((credit, i) => {
    const { mask } = itemAt(shared, i);
    const places = [...mask.keys()].filter((at) => at > 0 && mask[at] === 1);
    const byPlace = new Map(places.map((at, n) => [at, credit[n] ?? 0]));
    return (at) => byPlace.get(at) ?? 0;
  });
}

/** Where a segment's first token stands in the context. */
const startOf = ({ segments }: Rollout, segment: number): number =>
  segments.slice(0, segment).reduce((sum, { ids }) => sum + ids.length, 0);

/**
 * Of all pairs of a search that brought a supporting passage that its rollout had not seen, and one that did not: how often
 * the first has the higher advantage, equal ones counted half (the area under the curve, by Mann and Whitney).
 * A search that rollouts share counts once. Null without a pair.
 */
function creditOfTurns(group: Group): number | null {
  const advantages = advantagesOf(group);
  const [bringing, barren]: [number[], number[]] = [[], []];
  group.rollouts.forEach((rollout, i) => {
    const { searches, supporting } = itemAt(group.facts, i);
    const gains = newGoldShares(searches, supporting);
    searches.slice(sharedSearches(rollout)).forEach(({ evidence: [span] }, n) => {
      if (!span) return;
      const advantage = itemAt(advantages, i)(startOf(rollout, span.segment));
      const gain = itemAt(gains, sharedSearches(rollout) + n);
      (gain > 0 ? bringing : barren).push(advantage);
    });
  });
  return meanOrNull(
    bringing.flatMap((one) => barren.map((other) => (Math.sign(one - other) + 1) / 2)),
  );
}

/**
 * Mean ΔH of ARPO at the results behind which the group branches, less the mean at its other results; null without either,
 * and where rollouts do not branch by entropy.
 */
function riseAtBranches({ rollouts, branching, vocabulary }: Group): number | null {
  if (branching?.kind !== 'entropy') return null;
  const sum = (values: readonly number[]): number =>
    summedEntropy(values, branching.tokens, vocabulary);
  const points = new Set(
    rollouts.flatMap(({ forks }) => {
      const last = forks?.at(-1);
      return last ? [`${last.rolloutId} ${last.event}`] : [];
    }),
  );
  const [at, elsewhere]: [number[], number[]] = [[], []];
  for (const rollout of rollouts) {
    const turns = turnsOf(rollout);
    const opening = openingOf(rollout);
    turns.forEach(({ event }, i) => {
      // The result that a rollout branched off behind is the other one's.
      if (rollout.forks && event <= ownFrom(rollout)) return;
      const rise = riseAt({ turns, at: i, opening }, undefined, sum);
      (points.has(`${rollout.id} ${event}`) ? at : elsewhere).push(rise);
    });
  }
  return at.length === 0 || elsewhere.length === 0 ? null : mean(at) - mean(elsewhere);
}

export const GROUP_MEASURES = [
  {
    id: 'allWrong',
    title: 'groups in which every rollout is wrong',
    unit: 'percent',
    of: ({ facts }) => Number(facts.every(({ em }) => em !== 1)),
  },
  {
    id: 'clonesRight',
    title: 'right rollouts that go on with a wrong one',
    unit: 'percent',
    of: ({ rollouts, facts }) =>
      meanOrNull(rollouts.flatMap((one, i) => (isClone(one) ? [itemAt(facts, i).em] : []))),
  },
  { id: 'callsMade', title: 'searches made a rollout', unit: 'count', of: callsMade },
  {
    id: 'differentQueries',
    title: 'different first queries a rollout that searches',
    unit: 'percent',
    of: differentQueries,
  },
  {
    id: 'turnCredit',
    title: 'searches that bring support credited above those that do not',
    unit: 'percent',
    of: creditOfTurns,
  },
  {
    id: 'branchRise',
    title: 'ΔH at branches above that at other results',
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

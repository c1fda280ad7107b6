import { groupBy } from '../../base/items.ts';
import type { Rollout } from '../../records/rollout.ts';
import type { ScoredItem } from '../replicas/replica.ts';
import type { Pair } from './dpo.ts';

/**
 * RAG-Gym's preferences over single steps (arXiv 2502.13957, section 3; code: rewards/lm_rerank.py, dpo/dpo.py): of the
 * candidates for a step, by rank from 0, a candidate's reward is 1 / (1 + rank); those above 0.75 are preferred to
 * those below 0.5, so that rank 1 is in no pair. A candidate that was written twice counts once. Only trajectories whose
 * answer scores above 0.75 are taken.
 */

const CHOSEN = 0.75;
const REJECTED = 0.5;

export const rankReward = (rank: number): number => 1 / (1 + rank);

/** Places, in a list by rank, of the preferred and of the others. */
export function rankedPairs(count: number): Pair[] {
  const ranks = Array.from({ length: count }, (_, rank) => rank);
  const chosen = ranks.filter((rank) => rankReward(rank) > CHOSEN);
  const rejected = ranks.filter((rank) => rankReward(rank) < REJECTED);
  return chosen.flatMap((first) => rejected.map((second) => ({ chosen: first, rejected: second })));
}

/** Whether a rollout's answer scores enough for its steps to be learned from. */
export const answersWell = ({ metrics }: Rollout): boolean =>
  Math.max(metrics?.em ?? 0, metrics?.f1 ?? 0) > CHOSEN;

/** The candidates of a rollout's steps behind what each began with, and pairs of them by their places. */
export function actionPairs(sequences: readonly (ScoredItem & { rollout: Rollout })[]): {
  actions: ScoredItem[];
  pairs: Pair[];
} {
  const actions: ScoredItem[] = [];
  const pairs: Pair[] = [];
  for (const { rollout, ids, temperature } of sequences) {
    if (!answersWell(rollout)) continue;
    const candidates = rollout.events.flatMap((event) =>
      event.kind === 'aside' && event.action ? [event.action] : [],
    );
    for (const [at, step] of groupBy(candidates, (one) => one.at)) {
      const ranked = step.toSorted((a, b) => a.rank - b.rank);
      const distinct = [...groupBy(ranked, (one) => one.ids.join(' ')).values()].flatMap((same) =>
        same.slice(0, 1),
      );
      const first = actions.length;
      for (const one of distinct)
        actions.push({
          ids: Int32Array.from([...ids.slice(0, at), ...one.ids]),
          mask: Uint8Array.from([...new Uint8Array(at), ...one.ids.map(() => 1)]),
          temperature,
        });
      for (const { chosen, rejected } of rankedPairs(distinct.length))
        pairs.push({ chosen: first + chosen, rejected: first + rejected });
    }
  }
  return { actions, pairs };
}

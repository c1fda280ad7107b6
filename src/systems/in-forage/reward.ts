import { clause } from '../../learn/rewards/parts/clause.ts';
import { fixedReward } from '../../learn/rewards/parts/definition.ts';
import type { RewardFacts } from '../../learn/rewards/parts/facts.ts';
import { goldShares } from '../../learn/rewards/parts/searches.ts';

/*
 * InForage (arXiv 2505.09316; code: qhjqhj00/InForage, verl/utils/reward_score/qa_em.py and
 * tools/llm_agent/generation.py; the constants are the code's): (F1 + best search) · decay. F1 has no rule for yes and no. The best search is
 * the greatest share of the gold sources that one search brought, of which a fifth counts. A rollout that is
 * still searching after turn 2 decays by 0.95 to the number of the last turn that it survived. Differences:
 * - Gold sources are the titles of the supporting passages, theirs are addresses of pages.
 * - The code looks up gold sources by place in a list that holds only the rollouts that search, so that one
 *   may be judged by another's: `in-forage-released`.
 */

const BEST_SEARCH = 0.2;
const DECAY = 0.95;
/** Turns, from 0, up to which an answer costs nothing. */
const FREE = 2;

/** @param turn that the answer was given in, from 0: searches before it */
export const decayAt = (turn: number): number => (turn <= FREE ? 1 : DECAY ** (turn - 1));

export const inForage = fixedReward({
  id: 'in-forage',
  name: 'InForage',
  needs: { 'best-search': 'supporting' },
  source: 'InForage, arXiv 2505.09316, values of its code',
  range: [0, 1.2],
  clauses: ({ plainF1, answer, searches, supporting }: RewardFacts) => {
    const shares = goldShares(searches, supporting);
    const best = Math.max(0, ...shares);
    const decay = decayAt(searches.length);
    const evidence = searches[shares.indexOf(best)]?.evidence ?? [];
    return [
      clause('answer', plainF1 * decay, answer),
      clause('best-search', BEST_SEARCH * best * decay, best > 0 ? evidence : []),
    ];
  },
});

/**
 * Whose gold sources the released code takes for the searches of a turn: of the rollouts that search, the j-th has
 * those of the batch's j-th.
 * @param searching of each rollout of the batch, whether it searches in that turn
 * @returns for each rollout the place of the one whose gold it has; null where it does not search
 */
export function goldPlaces(searching: readonly boolean[]): (number | null)[] {
  let next = 0;
  return searching.map((searches) => (searches ? next++ : null));
}

/** The best share of each rollout's searches, each judged by the gold that the released code gives its turn. */
function releasedShares(batch: readonly RewardFacts[]): number[] {
  const best = batch.map(() => 0);
  const turns = Math.max(0, ...batch.map(({ searches }) => searches.length));
  for (let turn = 0; turn < turns; turn++) {
    const places = goldPlaces(batch.map(({ searches }) => searches.length > turn));
    places.forEach((place, i) => {
      const one = batch[i]?.searches[turn];
      const supporting = place === null ? undefined : batch[place]?.supporting;
      if (!one || !supporting) return;
      best[i] = Math.max(best[i] ?? 0, ...goldShares([one], supporting));
    });
  }
  return best;
}

export const inForageReleased = fixedReward({
  id: 'in-forage-released',
  name: 'InForage, as released',
  source: 'InForage, its code: gold sources by place among those that search',
  range: [0, 1.2],
  clauses: ({ plainF1, answer, searches }: RewardFacts) => [
    clause('answer', plainF1 * decayAt(searches.length), answer),
  ],
  ofBatch: (batch) =>
    releasedShares(batch).map((share, i) =>
      clause('best-search', BEST_SEARCH * share * decayAt(batch[i]?.searches.length ?? 0)),
    ),
});

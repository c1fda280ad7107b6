import { clause } from '../parts/clause.ts';
import { fixedReward } from '../parts/definition.ts';
import type { RewardFacts } from '../parts/facts.ts';
import { goldShares } from '../parts/searches.ts';

/*
 * InForage (arXiv 2505.09316; code: qhjqhj00/InForage, verl/utils/reward_score/qa_em.py and
 * tools/llm_agent/generation.py; the constants are the code's): (F1 + best search) · decay. The best search is
 * the greatest share of the gold sources that one search brought, of which a fifth counts. A rollout that is
 * still searching after turn 2 decays by 0.95 to the number of the last turn that it survived. Departures:
 * - Gold sources are the titles of the supporting passages, theirs are addresses of pages.
 * - The code looks up gold sources by place in a list that holds only the rollouts that search, so that one
 *   may be judged by another's. That fault is not reproduced.
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
  source: 'InForage, arXiv 2505.09316, values of its code',
  range: [0, 1.2],
  clauses: ({ f1, answer, searches, supporting }: RewardFacts) => {
    const shares = goldShares(searches, supporting);
    const best = Math.max(0, ...shares);
    const decay = decayAt(searches.length);
    const evidence = searches[shares.indexOf(best)]?.evidence ?? [];
    return [
      clause('answer', f1 * decay, answer),
      clause('best-search', BEST_SEARCH * best * decay, best > 0 ? evidence : []),
    ];
  },
});

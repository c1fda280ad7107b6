import { clause } from '../../learn/rewards/parts/clause.ts';
import { fixedReward } from '../../learn/rewards/parts/definition.ts';
import type { SearchFact } from '../../learn/rewards/parts/searches.ts';

/*
 * β-GRPO (Search Wisely, arXiv 2505.17281): an answer is worth 1 where it is right and every token of
 * every query was at least as likely as β. No code was available. β = 0.4 is what others who ran it took, of
 * the 0.2, 0.4 and 0.6 that the paper compares. Whether a rollout without a search counts as sure is not
 * said: it does here, and so does one whose record has no probabilities. Tags are not part of a query.
 */

const BETA = 0.4;

/** The least probability of a token in any query; 1 without a query, null where the record gives none. */
export function leastCertain(searches: readonly SearchFact[]): number | null {
  let least = 1;
  for (const { logprobs } of searches) {
    if (logprobs === null) return null;
    for (const logprob of logprobs) least = Math.min(least, Math.exp(logprob));
  }
  return least;
}

export const betaGrpo = fixedReward({
  id: 'beta-grpo',
  name: 'β-GRPO, β = 0.4',
  source: 'Search Wisely, arXiv 2505.17281',
  range: [0, 1],
  needs: { answer: 'logprobs' },
  clauses: ({ em, answer, searches }) => {
    const sure = (leastCertain(searches) ?? 1) >= BETA;
    return [clause('answer', sure ? em : 0, answer)];
  },
});

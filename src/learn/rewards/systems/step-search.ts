import { clause } from '../parts/clause.ts';
import { fixedReward } from '../parts/definition.ts';
import type { RewardClause } from '../../../records/rollout.ts';
import type { RewardFacts } from '../parts/facts.ts';
import { newGoldShares, seenShares } from '../parts/searches.ts';

/*
 * StepSearch (arXiv 2505.15107; code: Zillwang/StepSearch, reward_score/qa_step.py): −1 without an answer; else
 * F1, and for each search the gold that it brought first less the share of passages that had been seen, weighed
 * by 0.6. Departures:
 * - Gain is exact here: the share of supporting titles that a search brought first. Theirs is the rise of the
 *   TF-IDF similarity to the gold paragraphs.
 * - The key match (0.618 times the overlap of queries with gold key words) is left out: a record does not
 *   carry the gold queries.
 * - Theirs gives each search its own value at its last token and trains with PPO; here `credit: span` gives it to
 *   the tokens up to there (src/learn/span-advantages.ts), and without that it counts in the rollout's reward.
 * - The code multiplies in place, so that the weight is 1.6 where 0.6 was meant; `step-search-released` has that.
 */

const STEP = 0.6;
/** row += 0.6 · row */
const IN_PLACE = 1 + STEP;

const clausesBy =
  (weight: number) =>
  ({ f1, form, answer, searches, supporting }: RewardFacts): RewardClause[] => {
    if (form === null) return [clause('answer', -1)];
    const gains = newGoldShares(searches, supporting);
    const seen = seenShares(searches);
    return [
      clause('answer', f1, answer),
      ...searches.flatMap(({ evidence }, i) => [
        clause('gain', weight * (gains[i] ?? 0), evidence),
        clause('redundancy', -weight * (seen[i] ?? 0), evidence),
      ]),
    ];
  };

export const stepSearch = fixedReward({
  id: 'step-search',
  name: 'StepSearch, without key match',
  source: 'StepSearch, arXiv 2505.15107',
  range: [-1, 1.6],
  steps: ['gain', 'redundancy'],
  clauses: clausesBy(STEP),
});

export const stepSearchReleased = fixedReward({
  id: 'step-search-released',
  name: 'StepSearch, as released',
  source: 'StepSearch, its code: a weight of 1.6',
  range: [-1, 2.6],
  steps: ['gain', 'redundancy'],
  clauses: clausesBy(IN_PLACE),
});

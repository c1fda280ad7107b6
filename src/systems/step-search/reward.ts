import { mean, roundHalfEven } from '../../base/statistics.ts';
import type { Output, Release } from '../../agent/released.ts';
import { SQUAD } from '../../agent/answers/normalisers.ts';
import { answerScores } from '../../agent/answers/scores.ts';
import { asReleased } from '../../learn/rewards/parts/as-released.ts';
import { clause } from '../../learn/rewards/parts/clause.ts';
import { fixedReward } from '../../learn/rewards/parts/definition.ts';
import type { RewardClause } from '../../records/rollout.ts';
import type { RewardFacts } from '../../learn/rewards/parts/facts.ts';
import { newGoldShares, seenShares } from '../../learn/rewards/parts/searches.ts';
import { release as searchR1 } from '../search-r1/reward.ts';

/**
 * Similarity of two texts by TF-IDF, and what searches gain by it (StepSearch, arXiv 2505.15107, section 3.2; code:
 * reward_score/qa_step.py, with scikit-learn's vectoriser as it comes):
 *
 *     idf(w) = ln((1 + n) / (1 + df(w))) + 1        of the n texts that the vectoriser is fitted on
 *     x(w) = count of w × idf(w), divided by ‖x‖₂    c = x · y
 *
 * A word has at least two letters or digits, in lower case.
 */

const countsOf = (text: string): Map<string, number> => {
  const counts = new Map<string, number>();
  for (const [word] of text.toLowerCase().matchAll(/[\p{L}\p{M}\p{N}_]{2,}/gu))
    counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
};

/**
 * Cosines of a text to each of others, by a vectoriser that is fitted on it and them.
 * @returns one number a text, 0 to 1; 0 where either has no word
 */
export function tfIdfCosines(text: string, others: readonly string[]): number[] {
  const texts = [text, ...others].map(countsOf);
  const found = new Map<string, number>();
  for (const counts of texts)
    for (const word of counts.keys()) found.set(word, (found.get(word) ?? 0) + 1);
  const weighed = texts.map((counts) => {
    const weights = new Map(
      [...counts].map(([word, count]) => [
        word,
        count * (Math.log((1 + texts.length) / (1 + (found.get(word) ?? 0))) + 1),
      ]),
    );
    const length = Math.hypot(...weights.values());
    return { weights, length };
  });
  const [own, ...rest] = weighed;
  if (!own) return [];
  return rest.map(({ weights, length }) => {
    if (own.length === 0 || length === 0) return 0;
    let dot = 0;
    for (const [word, weight] of weights) dot += weight * (own.weights.get(word) ?? 0);
    return dot / (own.length * length);
  });
}

/**
 * For each search the mean over gold paragraphs of how much it raised the best similarity to each of them so far:
 *
 *     g_t = mean_i max(c_{i,t} − M_{i,t−1}, 0)      c_{i,t}: the most of a passage that it brought; M its running maximum
 *
 * @param searches texts of the passages that each brought
 * @returns one number per search, 0 to 1; 0 without gold paragraphs
 */
export function informationGains(
  searches: readonly (readonly string[])[],
  golds: readonly string[],
): number[] {
  const best = golds.map(() => 0);
  return searches.map((texts) => {
    const cosines = texts.map((text) => tfIdfCosines(text, golds));
    let gain = 0;
    golds.forEach((_, i) => {
      const most = Math.max(0, ...cosines.map((one) => one[i] ?? 0));
      gain += Math.max(0, most - (best[i] ?? 0));
      best[i] = Math.max(best[i] ?? 0, most);
    });
    return golds.length === 0 ? 0 : gain / golds.length;
  });
}

/*
 * StepSearch (arXiv 2505.15107; code: Zillwang/StepSearch, reward_score/qa_step.py): −1 without an answer; else
 * F1, 0.618 times how well the queries match the gold sub-questions, and for each search the gold that it brought first
 * less the share of passages that had been seen, weighed by 0.6. Differences:
 * - Gain is exact in `step-search`: the share of supporting titles that a search brought first. Theirs is the rise of the
 *   TF-IDF similarity to the gold paragraphs, as `step-search-tf-idf` has it (`parts/tf-idf.ts`), which a stale state of a
 *   page or a page of like words earns, too.
 * - Key words are the queries of the gold chain, one wording each; theirs are made by a language model. In the code a
 *   later query takes the place of an earlier one of the same sub-question, better or worse: `step-search-released`.
 * - Theirs gives each search its own value at its last token and trains with PPO; here `credit: span` gives it to
 *   the tokens up to there (src/learn/span-advantages.ts), and without that it counts in the rollout's reward.
 * - F1 has no rule for yes and no and is rounded to four places, half to even, as in the code.
 * - The code multiplies in place, so that the weight is 1.6 where 0.6 was meant; `step-search-released` has that.
 */

const STEP = 0.6;
/** row += 0.6 · row */
const IN_PLACE = 1 + STEP;

/** The golden ratio less 1: what the match of queries counts. */
const KEYS = 0.618;

/** The tags are Search-R1's; what is after the last answer takes the answer away. */
const release: Release = {
  ...searchR1,
  answer: (output: Output) =>
    output.text.trimEnd().endsWith('</answer>') ? searchR1.answer(output) : null,
};

/** F1 of the code: without a rule for yes and no, to four places. */
const rounded = (f1: number): number => roundHalfEven(f1, 4);
const likenessOf = (query: string, gold: string): number =>
  rounded(answerScores(query, [gold], SQUAD, false).f1);

/**
 * How well queries match the gold sub-questions, 0 to 1: each is matched to the one that it is most like (token F1), and
 * the mean over sub-questions is taken of the best match, or, `last`, of the latest.
 */
export function keyMatch(
  queries: readonly string[],
  gold: readonly string[],
  which: 'best' | 'last',
): number {
  const matches = gold.map(() => 0);
  for (const query of queries) {
    const likeness = gold.map((one) => likenessOf(query, one));
    const most = Math.max(0, ...likeness);
    const at = likeness.indexOf(most);
    // A query that is like none of them changes nothing.
    if (most > 0) matches[at] = which === 'last' ? most : Math.max(matches[at] ?? 0, most);
  }
  return gold.length === 0 ? 0 : mean(matches);
}

type Gains = (facts: RewardFacts) => number[];

const byTitles: Gains = ({ searches, supporting }) => newGoldShares(searches, supporting);

const byTexts: Gains = ({ searches, goldTexts }) =>
  informationGains(
    searches.map(({ passages }) => passages.map(({ text }) => text)),
    goldTexts.map(({ text }) => text),
  );

const clausesBy = (weight: number, which: 'best' | 'last', gainsOf: Gains = byTitles) =>
  asReleased(release, (facts: RewardFacts): RewardClause[] => {
    const { plainF1, form, answer, searches, steps } = facts;
    if (form === null) return [clause('answer', -1)];
    const gains = gainsOf(facts);
    const seen = seenShares(searches);
    const [queries, gold] = [searches, steps].map((all) => all.map(({ query }) => query));
    const keys = keyMatch(queries ?? [], gold ?? [], which);
    return [
      clause('answer', rounded(plainF1), answer),
      clause('keys', KEYS * keys, keys > 0 ? searches.flatMap(({ evidence }) => evidence) : []),
      ...searches.flatMap(({ evidence }, i) => [
        clause('gain', weight * (gains[i] ?? 0), evidence),
        clause('redundancy', -weight * (seen[i] ?? 0), evidence),
      ]),
    ];
  });

export const stepSearch = fixedReward({
  id: 'step-search',
  name: 'StepSearch',
  needs: { keys: 'keys', gain: 'supporting' },
  source: 'StepSearch, arXiv 2505.15107',
  formula:
    'R = F1 + 0.6 · Σ over searches (gold brought first − passages seen before); −1 without an answer',
  range: [-1, 1.6 + KEYS],
  steps: ['gain', 'redundancy'],
  clauses: clausesBy(STEP, 'best'),
});

export const stepSearchTfIdf = fixedReward({
  id: 'step-search-tf-idf',
  name: 'StepSearch, gain by TF-IDF',
  source: 'StepSearch, arXiv 2505.15107, section 3.2',
  formula:
    'R = F1 + 0.618 · match of queries + 0.6 · Σ over searches (rise of the TF-IDF similarity to the gold paragraphs − passages seen before); −1 without an answer',
  range: [-1, 1.6 + KEYS],
  steps: ['gain', 'redundancy'],
  needs: { keys: 'keys', gain: 'gold-texts' },
  goldTexts: true,
  clauses: clausesBy(STEP, 'best', byTexts),
});

export const stepSearchReleased = fixedReward({
  id: 'step-search-released',
  name: 'StepSearch, as released',
  needs: { keys: 'keys', gain: 'supporting' },
  source: 'StepSearch, its code: a weight of 1.6, the latest match of queries',
  range: [-1, 2.6 + KEYS],
  steps: ['gain', 'redundancy'],
  clauses: clausesBy(IN_PLACE, 'last'),
});

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

import type { RolloutMetrics } from '../data/rollout.ts';
import { normalizeAnswer } from './answers.ts';

/**
 * Answer scores, METHODS section 6: SQuAD normalisation, maximum over the gold answers, no answer
 * scores 0. They stand below `evaluate` because finished rollouts and rewards need them.
 */

const maxOver = (
  prediction: string | null,
  golds: readonly string[],
  score: (prediction: string, gold: string) => number,
): number =>
  prediction === null ? 0 : Math.max(0, ...golds.map((gold) => score(prediction, gold)));

/** 1 where prediction and a gold answer are equal after normalisation. */
export const exactMatch = (prediction: string | null, golds: readonly string[]): number =>
  maxOver(prediction, golds, (p, g) => Number(normalizeAnswer(p) === normalizeAnswer(g)));

const CLOSED = new Set(['yes', 'no', 'noanswer']);

const counted = (tokens: readonly string[]): Map<string, number> => {
  const counts = new Map<string, number>();
  for (const token of tokens) counts.set(token, (counts.get(token) ?? 0) + 1);
  return counts;
};

const tokensOf = (text: string): string[] => normalizeAnswer(text).split(' ').filter(Boolean);

/** Token F1 of one pair, as HotpotQA scores it: a yes/no/noanswer mismatch gives 0. */
export function f1Pair(prediction: string, gold: string): number {
  const [p, g] = [normalizeAnswer(prediction), normalizeAnswer(gold)];
  if (p !== g && (CLOSED.has(p) || CLOSED.has(g))) return 0;
  const [pTokens, gTokens] = [tokensOf(prediction), tokensOf(gold)];
  const goldCounts = counted(gTokens);
  let common = 0;
  for (const [token, count] of counted(pTokens))
    common += Math.min(count, goldCounts.get(token) ?? 0);
  if (common === 0) return 0;
  const precision = common / pTokens.length;
  const recall = common / gTokens.length;
  return (2 * precision * recall) / (precision + recall);
}

export const f1Score = (prediction: string | null, golds: readonly string[]): number =>
  maxOver(prediction, golds, f1Pair);

/** cover-EM: 1 where every token of a gold answer is among the prediction's tokens. */
export const coverExactMatch = (prediction: string | null, golds: readonly string[]): number =>
  maxOver(prediction, golds, (p, g) => {
    const has = new Set(tokensOf(p));
    const wanted = tokensOf(g);
    return Number(wanted.length > 0 && wanted.every((token) => has.has(token)));
  });

/** sub-EM: 1 where a normalised gold answer is a substring of the normalised prediction. */
export const subExactMatch = (prediction: string | null, golds: readonly string[]): number =>
  maxOver(prediction, golds, (p, g) => {
    const gold = normalizeAnswer(g);
    return Number(gold !== '' && normalizeAnswer(p).includes(gold));
  });

/** Share of the supporting titles among the retrieved ones; 0 where the question names none. */
export function supportingRecall(
  retrieved: Iterable<string>,
  supporting: readonly string[],
): number {
  const wanted = new Set(supporting);
  if (wanted.size === 0) return 0;
  const seen = new Set(retrieved);
  return [...wanted].filter((title) => seen.has(title)).length / wanted.size;
}

/** A rollout's metrics from its answer and counts; null where the question has no gold answer. */
export function rolloutMetrics(
  answer: string | null,
  golds: readonly string[],
  counts: Pick<RolloutMetrics, 'recall' | 'searches' | 'tokens' | 'seconds' | 'formatValid'>,
): RolloutMetrics | null {
  if (golds.length === 0) return null;
  return {
    em: exactMatch(answer, golds),
    f1: f1Score(answer, golds),
    cover_em: coverExactMatch(answer, golds),
    ...counts,
  };
}

import { compareCodeUnits } from '../lexical/text.ts';

/** Okapi BM25 with the never-negative idf that Lucene uses. */

export interface Bm25Options {
  /** Saturation of the term frequency. */
  k1: number;
  /** Strength of the length normalisation, 0 to 1. */
  b: number;
}

export const BM25_DEFAULTS: Bm25Options = { k1: 1.2, b: 0.75 };

/** ln(1 + (N − df + ½) / (df + ½)). */
export const idf = (documents: number, documentFrequency: number): number =>
  Math.log(1 + (documents - documentFrequency + 0.5) / (documentFrequency + 0.5));

/** tf (k1 + 1) / (tf + k1 (1 − b + b · length / averageLength)). */
export const termWeight = (
  tf: number,
  length: number,
  averageLength: number,
  { k1, b }: Bm25Options,
): number => (tf * (k1 + 1)) / (tf + k1 * (1 - b + (b * length) / averageLength));

/** Terms of a query with their counts, in the one order in which scores are summed. */
export function queryTerms(words: readonly string[]): [term: string, count: number][] {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return [...counts].sort(([a], [b]) => compareCodeUnits(a, b));
}

import { compareCodeUnits } from './lexical/text.ts';

/** The field's constant k of reciprocal rank fusion (Cormack, Clarke and Büttcher, 2009). */
export const RRF_K = 60;

export interface Fused {
  key: string;
  /** Σ over the lists that hold the key of weight / (k + rank), ranks from 1. */
  score: number;
  /** 1-based rank in each list, in the order of the lists; undefined where a list lacks the key. */
  ranks: (number | undefined)[];
}

/**
 * Reciprocal rank fusion of lists of keys, best first. Ties go to the better best rank, then to the
 * smaller key, so that the order never depends on the order in which lists arrive. A key that a list
 * repeats counts once, at its first rank. Every list weighs 1 by default.
 */
export function fuse(
  lists: readonly (readonly string[])[],
  k: number = RRF_K,
  weights: readonly number[] = [],
): Fused[] {
  const fused = new Map<string, Fused>();
  lists.forEach((list, listIndex) => {
    list.forEach((key, index) => {
      const entry = fused.get(key) ?? { key, score: 0, ranks: lists.map(() => undefined) };
      if (entry.ranks[listIndex] === undefined) entry.ranks[listIndex] = index + 1;
      fused.set(key, entry);
    });
  });
  for (const entry of fused.values()) entry.score = rrfScore(entry.ranks, k, weights);
  return [...fused.values()].sort(
    (a, b) => b.score - a.score || bestRank(a) - bestRank(b) || compareCodeUnits(a.key, b.key),
  );
}

/** Terms are summed from the smallest, so that equal rank sets give bit-equal scores. */
const rrfScore = (
  ranks: readonly (number | undefined)[],
  k: number,
  weights: readonly number[],
): number =>
  ranks
    .flatMap((rank, list) => (rank === undefined ? [] : (weights[list] ?? 1) / (k + rank)))
    .sort((a, b) => a - b)
    .reduce((sum, term) => sum + term, 0);

const bestRank = (entry: Fused): number =>
  Math.min(...entry.ranks.filter((rank) => rank !== undefined));

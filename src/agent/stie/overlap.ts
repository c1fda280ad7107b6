import { sum } from '../../base/statistics.ts';

/** Equations (6)–(8) of arXiv 2506.19466: how far one text is new beside earlier ones. */

export type TokenForm = 'sets' | 'bags';

const counts = (tokens: readonly string[], form: TokenForm): Map<string, number> => {
  const out = new Map<string, number>();
  for (const token of tokens) out.set(token, form === 'sets' ? 1 : (out.get(token) ?? 0) + 1);
  return out;
};

/**
 * Equation (6): `|T(y_t) ∩ T(y_k)| / |T(y_t)|`, in [0, 1]; as bags, intersection takes the smaller
 * count of each word. A text without words overlaps nothing: 0.
 */
export function overlap(
  current: readonly string[],
  earlier: readonly string[],
  form: TokenForm,
): number {
  const own = counts(current, form);
  const size = sum(own.values());
  if (size === 0) return 0;
  const other = counts(earlier, form);
  return sum([...own].map(([token, n]) => Math.min(n, other.get(token) ?? 0))) / size;
}

/** Equation (7). */
export const difference = (
  current: readonly string[],
  earlier: readonly string[],
  form: TokenForm,
): number => 1 - overlap(current, earlier, form);

/** Equation (8): the least difference; null without history. */
export const aggregatedDifference = (differences: readonly number[]): number | null =>
  differences.length === 0 ? null : Math.min(...differences);

/**
 * Holm's step-down correction (S. Holm, "A simple sequentially rejective multiple test procedure",
 * Scandinavian Journal of Statistics 6, 1979): with the p-values in rising order, the i-th of m becomes
 * max over j ≤ i of min(1, (m − j + 1) p_j). Refusing what is at most α then errs anywhere in the family
 * with probability at most α, however the tests depend on each other.
 *
 * @returns adjusted p-values, in the order of those given
 */
export function holm(values: readonly number[]): number[] {
  const order = values.map((p, place) => ({ p, place })).toSorted((a, b) => a.p - b.p);
  const adjusted = values.map(() => 0);
  let before = 0;
  for (const [i, { p, place }] of order.entries()) {
    before = Math.max(before, Math.min(1, (values.length - i) * p));
    adjusted[place] = before;
  }
  return adjusted;
}

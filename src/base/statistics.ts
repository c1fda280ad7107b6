/** Sums and means, by adding in order, so that the same values give the same number to the last bit. */

/** A list or a typed array of numbers. */
export type Numbers = Iterable<number> & { readonly length: number };

export const sum = (values: Iterable<number>): number => {
  let total = 0;
  for (const value of values) total += value;
  return total;
};

/** The mean; 0 where there are no values. */
export const mean = (values: Numbers): number =>
  values.length === 0 ? 0 : sum(values) / values.length;

/** A number rounded to decimal places, an exact half to the even neighbour, as Python's `round` does. */
export function roundHalfEven(value: number, places: number): number {
  const scale = 10 ** places;
  // A double is exactly half a unit only as an odd multiple of 2^−(places + 1): 10^places has no more twos.
  const half = Math.abs(value * 2 ** (places + 1)) % 2 === 1;
  if (!half) return Number(value.toFixed(places));
  const below = Math.floor(value * scale);
  return (below % 2 === 0 ? below : below + 1) / scale;
}

/** The mean; null where there are no values. */
export const meanOrNull = (values: Numbers): number | null =>
  values.length === 0 ? null : mean(values);

/**
 * Mean and variance of the values.
 * @param correction what the divisor leaves out of the count: 0 for the variance of just these values,
 * 1 for the unbiased estimate from a sample (Bessel). The variance is 0 where nothing is left to divide by.
 */
export function moments(
  values: readonly number[],
  correction: 0 | 1,
): { mean: number; variance: number } {
  const centre = mean(values);
  const divisor = values.length - correction;
  if (divisor <= 0) return { mean: centre, variance: 0 };
  return { mean: centre, variance: sum(values.map((v) => (v - centre) ** 2)) / divisor };
}

/**
 * Quantile of sorted values by linear interpolation (Hyndman and Fan, type 7); 0 where there are none.
 * @param q between 0 and 1
 */
export function quantile(sorted: readonly number[], q: number): number {
  const at = q * (sorted.length - 1);
  const below = sorted[Math.floor(at)] ?? 0;
  const above = sorted[Math.ceil(at)] ?? below;
  return below + (above - below) * (at - Math.floor(at));
}

/** The middle value, or the mean of the two in the middle; null where there are none. */
export const median = (values: readonly number[]): number | null => {
  const sorted = values.toSorted((a, b) => a - b);
  const [low, high] = [sorted[(sorted.length - 1) >> 1], sorted[sorted.length >> 1]];
  return low === undefined || high === undefined ? null : (low + high) / 2;
};

/** ln Σ e^x, without overflow. -Infinity of none. */
export function logSumExp(values: Numbers): number {
  let most = -Infinity;
  for (const value of values) most = Math.max(most, value);
  if (!Number.isFinite(most)) return most;
  let total = 0;
  for (const value of values) total += Math.exp(value - most);
  return most + Math.log(total);
}

/** Φ, the standard normal distribution function, by its series at 0 (G. Marsaglia, Journal of Statistical Software 11, 2004). */
function normalBelow(x: number): number {
  let [term, total] = [x, x];
  for (let k = 3; Math.abs(term) > 1e-17 * Math.abs(total); k += 2) {
    term *= (x * x) / k;
    total += term;
  }
  return 0.5 + (total * Math.exp(-(x * x) / 2)) / Math.sqrt(2 * Math.PI);
}

/** Where the standard normal distribution function is p, to nine places. @param p between 0 and 1, both left out */
export function normalQuantile(p: number): number {
  let [low, high] = [-8, 8];
  while (high - low > 1e-10) {
    const middle = (low + high) / 2;
    if (normalBelow(middle) < p) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/** Intervals are 95 % ones by default otherwise: the normal quantile of a two-sided one. */
export const INTERVAL_LEVEL = 0.95;
const Z = 1.96;

export const intervalQuantile = (level: number): number =>
  level === INTERVAL_LEVEL ? Z : normalQuantile((1 + level) / 2);

/** Wilson's interval of a share p of n questions: it has a width at 0 and at 1 too. */
export const shareInterval = (
  p: number,
  n: number,
  level = INTERVAL_LEVEL,
): [low: number, high: number] => {
  if (n <= 0) return [0, 1];
  const z = intervalQuantile(level);
  const spread = (z * z) / n;
  const middle = (p + spread / 2) / (1 + spread);
  const half = (z * Math.sqrt((p * (1 - p)) / n + spread / (4 * n))) / (1 + spread);
  return [Math.max(0, middle - half), Math.min(1, middle + half)];
};

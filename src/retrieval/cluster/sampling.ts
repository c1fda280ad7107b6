import type { SamplingOptions } from './options.ts';
import { itemAt } from '../../base/items.ts';
import { sum } from '../../base/statistics.ts';

/**
 * Temperature at the t-th query (from 0): `τ = max(τ_min, τ_0 (1 − t/T_max)^γ)`, held at τ_0 for the
 * first queries (KunLunBaizeRAG, section 3.1.1).
 */
export function temperature(t: number, options: SamplingOptions): number {
  const { initialTemperature, minimumTemperature, heldQueries, annealingQueries } = options;
  if (t < heldQueries) return initialTemperature;
  const left = Math.max(0, 1 - t / annealingQueries);
  return Math.max(minimumTemperature, initialTemperature * left ** options.annealingExponent);
}

/** `w ← α w + (1 − α) [hit]` for every cluster, in place, not below the least weight. */
export function updateWeights(
  weights: Float64Array,
  hit: ReadonlySet<number>,
  { smoothing, minimumWeight }: SamplingOptions,
): void {
  for (const [i, weight] of weights.entries()) {
    const next = smoothing * weight + (hit.has(i) ? 1 - smoothing : 0);
    weights[i] = Math.max(minimumWeight, next);
  }
}

/** `p_i ∝ (w_i ρ_i)^{1/τ}`, at least the minimum share of each, summing to one. */
export function shares(
  weights: readonly number[],
  relevance: readonly number[],
  tau: number,
  minimumShare: number,
): Float64Array {
  const chances = Float64Array.from(
    relevance,
    (rho, i) => (itemAt(weights, i, 'weights') * rho) ** (1 / tau),
  );
  const whole = sum(chances);
  // Nothing relevant at all: every cluster alike.
  const p = chances.map((chance) =>
    Math.max(minimumShare, whole > 0 ? chance / whole : 1 / chances.length),
  );
  const total = sum(p);
  return p.map((share) => share / total);
}

/**
 * Whole candidates of each cluster: `n_i = N p_i`, rounded by largest remainders (ties to the lower
 * index), none above its cluster's size; what a full cluster cannot take goes to the others by the
 * same rule. They sum to `min(N, Σ sizes)`.
 */
export function allocate(
  p: Float64Array,
  sizes: readonly number[],
  candidates: number,
): Int32Array {
  const counts = new Int32Array(p.length);
  let left = candidates;
  for (;;) {
    const open = sizes
      .map((size, i) => ({ i, size, share: itemAt(p, i), taken: itemAt(counts, i) }))
      .filter(({ size, taken }) => taken < size);
    if (left <= 0 || open.length === 0) return counts;
    const mass = sum(open.map(({ share }) => share));
    const exact = open.map(({ share }) => (mass > 0 ? (left * share) / mass : left / open.length));
    const rest = left - sum(exact.map(Math.floor));
    const byRemainder = [...exact.entries()]
      .map(([place, quota]) => ({ place, remainder: quota - Math.floor(quota) }))
      .sort((a, b) => b.remainder - a.remainder || a.place - b.place);
    const upwards = new Set(byRemainder.filter((_, rank) => rank < rest).map(({ place }) => place));
    left = 0;
    for (const [place, { i, size, taken }] of open.entries()) {
      const wanted = taken + Math.floor(itemAt(exact, place)) + Number(upwards.has(place));
      counts[i] = Math.min(size, wanted);
      left += Math.max(0, wanted - size);
    }
  }
}

import type { SamplingOptions } from './options.ts';
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
  for (let i = 0; i < weights.length; i++) {
    const next = smoothing * (weights[i] ?? 0) + (hit.has(i) ? 1 - smoothing : 0);
    weights[i] = Math.max(minimumWeight, next);
  }
}

/** `p_i ∝ (w_i ρ_i)^{1/τ}`, at least the minimum share of each, summing to one. */
export function shares(
  weights: ArrayLike<number>,
  relevance: ArrayLike<number>,
  tau: number,
  minimumShare: number,
): Float64Array {
  const p = new Float64Array(relevance.length);
  for (let i = 0; i < p.length; i++) p[i] = ((weights[i] ?? 0) * (relevance[i] ?? 0)) ** (1 / tau);
  const whole = sum(p);
  // Nothing relevant at all: every cluster alike.
  for (let i = 0; i < p.length; i++)
    p[i] = Math.max(minimumShare, whole > 0 ? (p[i] ?? 0) / whole : 1 / p.length);
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
  sizes: ArrayLike<number>,
  candidates: number,
): Int32Array {
  const counts = new Int32Array(p.length);
  let left = candidates;
  for (;;) {
    const open = [...counts.keys()].filter((i) => (counts[i] ?? 0) < (sizes[i] ?? 0));
    const mass = open.reduce((total, i) => total + (p[i] ?? 0), 0);
    if (left <= 0 || open.length === 0) return counts;
    const quota = open.map((i) => (mass > 0 ? (left * (p[i] ?? 0)) / mass : left / open.length));
    const whole = quota.map(Math.floor);
    const remainder = quota.map((exact) => exact - Math.floor(exact));
    let rest = left - sum(whole);
    const byRemainder = [...open.keys()].sort(
      (a, b) => (remainder[b] ?? 0) - (remainder[a] ?? 0) || a - b,
    );
    for (const place of byRemainder) {
      if (rest-- <= 0) break;
      whole[place] = (whole[place] ?? 0) + 1;
    }
    left = 0;
    for (const [place, i] of open.entries()) {
      const wanted = (counts[i] ?? 0) + (whole[place] ?? 0);
      const taken = Math.min(sizes[i] ?? 0, wanted);
      counts[i] = taken;
      left += wanted - taken;
    }
  }
}

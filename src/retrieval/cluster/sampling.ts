import type { SamplingOptions } from './options.ts';

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
    const next = smoothing * weights[i]! + (hit.has(i) ? 1 - smoothing : 0);
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
  let sum = 0;
  for (let i = 0; i < p.length; i++) {
    p[i] = (weights[i]! * relevance[i]!) ** (1 / tau);
    sum += p[i]!;
  }
  let total = 0;
  for (let i = 0; i < p.length; i++) {
    // Nothing relevant at all: every cluster alike.
    p[i] = Math.max(minimumShare, sum > 0 ? p[i]! / sum : 1 / p.length);
    total += p[i]!;
  }
  for (let i = 0; i < p.length; i++) p[i]! /= total;
  return p;
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
    const open = [...counts.keys()].filter((i) => counts[i]! < sizes[i]!);
    const mass = open.reduce((sum, i) => sum + p[i]!, 0);
    if (left <= 0 || open.length === 0) return counts;
    const quota = open.map((i) => (mass > 0 ? (left * p[i]!) / mass : left / open.length));
    const whole = quota.map(Math.floor);
    let rest = left - whole.reduce((sum, n) => sum + n, 0);
    const byRemainder = [...open.keys()].sort(
      (a, b) => quota[b]! - whole[b]! - (quota[a]! - whole[a]!) || a - b,
    );
    for (const place of byRemainder) {
      if (rest-- <= 0) break;
      whole[place]!++;
    }
    left = 0;
    for (const [place, i] of open.entries()) {
      const wanted = counts[i]! + whole[place]!;
      counts[i] = Math.min(sizes[i]!, wanted);
      left += wanted - counts[i];
    }
  }
}

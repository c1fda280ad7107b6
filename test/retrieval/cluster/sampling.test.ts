import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SAMPLING_DEFAULTS } from '../../../src/retrieval/cluster/options.ts';
import {
  allocate,
  shares,
  temperature,
  updateWeights,
} from '../../../src/retrieval/cluster/sampling.ts';

const PAPER = { ...SAMPLING_DEFAULTS, minimumWeight: 0 };

describe('temperature', () => {
  it('is held at 1.2 for 100 queries, falls as (1 − t/T)^γ, and ends at 0.3', () => {
    const options = { ...PAPER, annealingQueries: 1000, annealingExponent: 2 };
    expect([0, 99].map((t) => temperature(t, options))).toEqual([1.2, 1.2]);
    expect(temperature(100, options)).toBeCloseTo(1.2 * 0.9 ** 2, 12);
    expect(temperature(400, options)).toBeCloseTo(1.2 * 0.36, 12);
    // 1.2 · 0.5² = 0.3: from here on the least.
    expect(temperature(501, options)).toBe(0.3);
    expect(temperature(1_000_000, options)).toBe(0.3);
  });
});

describe('weights', () => {
  it('move as w ← 0.9 w + 0.1 [hit]', () => {
    const weights = Float64Array.of(1, 0.5, 0);
    updateWeights(weights, new Set([1]), PAPER);
    expect([...weights]).toEqual([0.9, 0.45 + (1 - 0.9), 0]);
    updateWeights(weights, new Set([1, 2]), PAPER);
    expect(weights[0]).toBeCloseTo(0.81, 12);
    expect(weights[1]).toBeCloseTo(0.9 * 0.55 + 0.1, 12);
    expect(weights[2]).toBeCloseTo(0.1, 12);
  });

  it('stay above their least value, so that a hit cluster has at most four times the chance', () => {
    const weights = Float64Array.of(1, 1);
    for (let t = 0; t < 200; t++) updateWeights(weights, new Set([0]), SAMPLING_DEFAULTS);
    expect(weights[0]).toBeCloseTo(1, 12);
    expect(weights[1]).toBe(0.25);
  });
});

describe('shares and candidates', () => {
  it('are in proportion to (w ρ)^(1/τ)', () => {
    // w ρ = 0.4, 0.1, 0.2; squared 0.16, 0.01, 0.04, of 0.21.
    const p = shares([0.5, 0.2, 1], [0.8, 0.5, 0.2], 0.5, 0);
    [16 / 21, 1 / 21, 4 / 21].forEach((share, i) => expect(p[i]).toBeCloseTo(share, 12));
  });

  it('n_i = N w_i ρ_i / Σ w_j ρ_j at τ = 1, rounded by largest remainders', () => {
    // N p = 4.705…, 1.176…, 4.117… → 4, 1, 4 and the last one to the largest remainder.
    const p = shares([1, 0.5, 0.7], [0.8, 0.4, 1], 1, 0);
    expect([...allocate(p, [100, 100, 100], 10)]).toEqual([5, 1, 4]);
  });

  it('keep the least share of every cluster', () => {
    const p = shares([1, 1], [1, 0], 1, 1 / 2048);
    expect(p[1]).toBeCloseTo(1 / 2049, 12);
    expect(allocate(p, [5000, 5000], 2049)[1]).toBe(1);
  });

  it('go to others where a cluster is full', () => {
    expect([...allocate(Float64Array.of(0.8, 0.1, 0.1), [3, 10, 10], 11)]).toEqual([3, 4, 4]);
    expect([...allocate(Float64Array.of(0.5, 0.5), [3, 2], 100)]).toEqual([3, 2]);
  });

  it('sum to N or to all there is, within every size, in the order of the shares', () => {
    const cluster = fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.nat(50));
    fc.assert(
      fc.property(fc.array(cluster, { minLength: 1, maxLength: 30 }), fc.nat(400), (list, n) => {
        const p = shares(
          list.map(() => 1),
          list.map(([rho]) => rho),
          0.7,
          1 / 2048,
        );
        expect(p.reduce((a, b) => a + b, 0)).toBeCloseTo(1, 9);
        const sizes = list.map(([, size]) => size);
        const counts = allocate(p, sizes, n);
        const total = sizes.reduce((a, b) => a + b, 0);
        expect(counts.reduce((a, b) => a + b, 0)).toBe(Math.min(n, total));
        for (let i = 0; i < counts.length; i++) {
          expect(counts[i]).toBeLessThanOrEqual(sizes[i]!);
          for (let j = 0; j < counts.length; j++) {
            if (p[i]! > p[j]! && counts[i]! < sizes[i]!)
              expect(counts[i]! + 1).toBeGreaterThanOrEqual(counts[j]!);
          }
        }
      }),
      { numRuns: 500 },
    );
  });
});

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SAMPLING_DEFAULTS } from '../../../../src/retrieval/cluster/options.ts';
import { temperatureCurve } from '../../../../src/ui/corpus/clusters/Curves.tsx';

describe('the curve of the temperature', () => {
  it('is held, falls, and ends at the least, as the paper says', () => {
    const points = temperatureCurve(SAMPLING_DEFAULTS);
    const at = (query: number) => points.find((one) => one.query === query)?.temperature;
    expect([at(0), at(100)?.toFixed(3), at(11_000)]).toEqual([1.2, '1.188', 0.3]);
    // τ_0 (1 − t / T_max) where that is above τ_min.
    for (const { query, temperature } of points)
      if (query > 100)
        expect(temperature).toBeCloseTo(Math.max(0.3, 1.2 * (1 - query / 10_000)), 12);
  });

  it('begins at the first query, goes past the annealing, has its corner, and never rises', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 100_000 }),
        fc.nat(2000),
        fc.double({ min: 0.2, max: 4, noNaN: true }),
        (annealingQueries, heldQueries, annealingExponent) => {
          const points = temperatureCurve({
            ...SAMPLING_DEFAULTS,
            annealingQueries,
            heldQueries,
            annealingExponent,
          });
          const queries = points.map(({ query }) => query);
          expect(queries[0]).toBe(0);
          expect(queries.at(-1)).toBeGreaterThanOrEqual(annealingQueries);
          expect(queries).toContain(heldQueries);
          expect(queries).toEqual([...new Set(queries)].toSorted((a, b) => a - b));
          expect(points.length).toBeLessThan(70);
          const rises = points.filter(
            ({ temperature }, i) => temperature > (points[i - 1]?.temperature ?? Infinity),
          );
          expect(rises).toEqual([]);
        },
      ),
    );
  });
});

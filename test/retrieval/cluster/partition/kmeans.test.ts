import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  chooseClusterCount,
  elbows,
  scaled,
} from '../../../../src/retrieval/cluster/partition/choose-k.ts';
import { ClusterKernels } from '../../../../src/retrieval/cluster/kernels/kernels.ts';
import {
  kMeans,
  kMeansPlusPlus,
  squaredDistance,
} from '../../../../src/retrieval/cluster/partition/kmeans.ts';
import {
  dot,
  findNearest,
  type Rows,
} from '../../../../src/retrieval/cluster/partition/nearest.ts';
import { randomNumbers, sampleRows } from '../../../../src/base/random.ts';
import { nthLargest, Selector } from '../../../../src/retrieval/cluster/cluster-index.ts';
import { clustered } from '../../vectors.ts';

const rows = (...list: number[][]): Rows => ({
  values: Float32Array.from(list.flat()),
  dimensions: list[0]!.length,
});

describe('nearest centroids', () => {
  it('gives label and squared distances of the two nearest', () => {
    const points = rows([0, 0], [3, 4], [10, 0]);
    const centroids = rows([0, 1], [3, 3], [9, 0], [100, 0], [0, -50]);
    const { labels, distances, seconds } = findNearest(points, centroids);
    expect([...labels]).toEqual([0, 1, 2]);
    expect([...distances]).toEqual([1, 1, 1]);
    expect([...seconds]).toEqual([18, 18, 58]);
  });

  it('agrees with the differences of every pair, ties to the lower index', () => {
    const row = fc.array(fc.integer({ min: -3, max: 3 }), { minLength: 3, maxLength: 3 });
    const table = fc.array(row, { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(table, table, (a, b) => {
        const [points, centroids] = [rows(...a), rows(...b)];
        const { labels, distances } = findNearest(points, centroids);
        a.forEach((_, p) => {
          const all = b.map((_, c) =>
            squaredDistance(points.values, 3 * p, centroids.values, 3 * c, 3),
          );
          expect(distances[p]).toBe(Math.min(...all));
          expect(labels[p]).toBe(all.indexOf(Math.min(...all)));
        });
      }),
      { numRuns: 300 },
    );
  });
});

describe('kernels', () => {
  it.each([
    [1, 1, 4],
    [5, 3, 7],
    [2051, 20, 16],
    [33, 257, 5],
  ])('find for %i points and %i centroids of %i what plain JavaScript finds', async (n, k, d) => {
    const kernels = await ClusterKernels.start();
    const random = randomNumbers(n + k + d);
    const table = (count: number): Rows => ({
      // Small whole numbers: sums are exact in single precision, so ties are ties in both.
      values: Float32Array.from({ length: count * d }, () => Math.floor(random() * 7) - 3),
      dimensions: d,
    });
    const [points, centroids] = [table(n), table(k)];
    expect(kernels.nearest(points, centroids)).toEqual(findNearest(points, centroids));
    const scores = kernels.table(centroids.values, d)(points.values.subarray(0, d));
    for (let c = 0; c < k; c++)
      expect(scores[c]).toBe(dot(points.values, 0, centroids.values, c * d, d));
  });
});

describe('k-means', () => {
  it('seeds by k-means++: a row far away is drawn in proportion to its squared distance', () => {
    // From either of two rows at 0, the others weigh 0 : 1 : 9; from 1 and 3 see below.
    const points = rows([0], [0], [1], [3]);
    const drawn = { three: 0, one: 0 };
    const random = randomNumbers(3);
    for (let i = 0; i < 20_000; i++) {
      const { values } = kMeansPlusPlus(points, 2, random);
      if (values[0] !== 0) continue;
      if (values[1] === 3) drawn.three++;
      else if (values[1] === 1) drawn.one++;
      else throw new Error('a row at distance zero was drawn');
    }
    const total = drawn.three + drawn.one;
    expect(total).toBeGreaterThan(9_500);
    expect(drawn.three / total).toBeGreaterThan(0.885);
    expect(drawn.three / total).toBeLessThan(0.915);
  });

  it('ends at the means, with their inertia and silhouette', () => {
    const found = kMeans(rows([0], [2], [10], [12]), {
      clusters: 2,
      iterations: 20,
      random: randomNumbers(1),
    });
    expect([...found.centroids.values].sort((a, b) => a - b)).toEqual([1, 11]);
    expect(found.inertia).toBeCloseTo(4, 5);
    // a = 1 for all; b = 11, 9, 9, 11.
    expect(found.silhouette).toBeCloseTo((2 * (10 / 11) + 2 * (8 / 9)) / 4, 5);
  });

  it('leaves no cluster empty that could have rows', () => {
    const data = clustered(6, 40, 8, { noise: 0.1 });
    const { centroids } = kMeans(data, { clusters: 6, iterations: 25, random: randomNumbers(5) });
    const { labels } = findNearest(data, centroids);
    expect(new Set(labels).size).toBe(6);
  });

  it('repeats with its seed', () => {
    const data = clustered(5, 30, 8);
    const run = (seed: number) =>
      kMeans(data, { clusters: 7, iterations: 5, random: randomNumbers(seed) }).centroids.values;
    expect(run(4)).toEqual(run(4));
    expect(run(4)).not.toEqual(run(5));
  });
});

describe('number of clusters', () => {
  it('measures the elbow below the chord over log k', () => {
    // log k scaled: 0, 1/2, 1; inertia scaled: 1, 0.1, 0; chord at 1/2: 0.5.
    const found = elbows([1, 10, 100], [110, 20, 10]);
    [0, 0.4, 0].forEach((expected, i) => expect(found[i]).toBeCloseTo(expected, 12));
    expect(scaled([3, 3])).toEqual([0, 0]);
  });

  it('finds the number of separate topics', () => {
    const data = clustered(12, 60, 16, { noise: 0.3 });
    const choice = chooseClusterCount(data, [24, 3, 6, 12, 48, 6], {
      iterations: 15,
      random: randomNumbers(2),
    });
    expect(choice.clusters).toBe(12);
    expect(choice.scores.map(({ clusters }) => clusters)).toEqual([3, 6, 12, 24, 48]);
    const [three, , twelve] = choice.scores;
    expect(twelve!.inertia).toBeLessThan(three!.inertia);
  });
});

describe('selection', () => {
  it('gives the n-th largest and the places of the largest', () => {
    const values = fc.array(fc.integer({ min: -4, max: 4 }), { minLength: 1, maxLength: 40 });
    const selector = new Selector();
    fc.assert(
      fc.property(values, fc.nat(45), (list, count) => {
        const sorted = [...list].sort((a, b) => b - a);
        const nth = Math.min(list.length, Math.max(1, count));
        expect(nthLargest(Float32Array.from(list), list.length, nth)).toBe(sorted[nth - 1]);
        const out = new Int32Array(list.length);
        const kept = selector.select(Float32Array.from(list), list.length, count, out);
        const expected = [...list.keys()]
          .sort((a, b) => list[b]! - list[a]! || a - b)
          .slice(0, count)
          .sort((a, b) => a - b);
        expect([...out.subarray(0, kept)]).toEqual(expected);
      }),
      { numRuns: 500 },
    );
  });

  it('samples distinct rows, each as likely', () => {
    const random = randomNumbers(9);
    const counts = Array<number>(10).fill(0);
    for (let i = 0; i < 5000; i++) {
      const sample = sampleRows(10, 3, random);
      expect(new Set(sample).size).toBe(3);
      for (const row of sample) counts[row]!++;
    }
    for (const count of counts) expect(Math.abs(count / 5000 - 0.3)).toBeLessThan(0.03);
    expect([...sampleRows(3, 5, random)]).toEqual([0, 1, 2]);
  });
});

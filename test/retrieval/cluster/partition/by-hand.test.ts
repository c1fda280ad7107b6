import { describe, expect, test } from 'vitest';
import {
  chooseClusterCount,
  clusterCountCandidates,
  elbows,
  scaled,
} from '../../../../src/retrieval/cluster/partition/choose-k.ts';
import { kMeans, kMeansPlusPlus } from '../../../../src/retrieval/cluster/partition/kmeans.ts';
import { type Rows } from '../../../../src/retrieval/cluster/partition/nearest.ts';

const line = (...values: number[]): Rows => ({
  values: Float32Array.from(values),
  dimensions: 1,
});
/** Numbers one after another, and then the last one again and again. */
const script = (...numbers: number[]) => {
  let at = 0;
  return () => numbers[Math.min(at++, numbers.length - 1)] ?? NaN;
};

describe('k-means++', () => {
  // Rows 0, 1, 3, 7; sampling takes them all. The first centre is row ⌊4 · 0.3⌋ = 1, at 1.
  // Squared distances are then 1, 0, 4, 36 of 41.
  test.each([
    [0.024, 0],
    [0.025, 3],
    [0.121, 3],
    [0.122, 7],
    [0.999, 7],
  ])('draws the second centre in proportion: %d gives %d', (drawn, second) => {
    const { values } = kMeansPlusPlus(line(0, 1, 3, 7), 2, script(0.3, drawn, 0.5));
    expect([...values]).toEqual([1, second]);
  });

  test('measures from the nearest of the centres so far', () => {
    // Centres 1 and 7: then 1, 0, 4, 0 of 5.
    const third = (drawn: number) =>
      kMeansPlusPlus(line(0, 1, 3, 7), 3, script(0.3, 0.9, drawn, 0)).values[2];
    expect([third(0.19), third(0.21)]).toEqual([0, 3]);
  });

  test('draws at random where all rows are centres, the last where nothing is left', () => {
    const { values } = kMeansPlusPlus(line(5, 5, 5), 3, script(0, 0.4, 0.9));
    expect([...values]).toEqual([5, 5, 5]);
    const { values: two } = kMeansPlusPlus(line(0, 4), 4, script(0, 0.5, 0.9, 0.2));
    expect([...two]).toEqual([0, 4, 4, 0]);
    expect([...kMeansPlusPlus(line(0, 4), 2, script(0, 1)).values]).toEqual([0, 4]);
  });

  test('copies whole rows', () => {
    const points = { values: Float32Array.of(1, 2, 3, 4, 5, 6), dimensions: 2 };
    expect([...kMeansPlusPlus(points, 1, script(0.5)).values]).toEqual([3, 4]);
  });
});

describe('Lloyd’s algorithm', () => {
  const run = (points: Rows, clusters: number, iterations: number, ...numbers: number[]) => {
    const found = kMeans(points, { clusters, iterations, random: script(...numbers) });
    return { ...found, centroids: [...found.centroids.values] };
  };

  // Sampling all four rows draws a number for each; then the centres: rows 0 and 1, at 0 and 2.
  const SEEDS = [0, 0, 0, 0, 0, 0.03] as const;
  const points = line(0, 2, 4, 10);

  test('moves centroids to the means of their rows, and stops when nothing moves', () => {
    // Labels 0 | 1 1 1 with centroids 0 and 2; means 0 and 16/3; then 0 1? 2 is nearer to 0:
    // labels 0 0 1 1, means 1 and 7; 4 is then as near to 1 as to 7, which leaves it to the first:
    // labels 0 0 0 1, means 2 and 10; and there they stay.
    expect(run(points, 2, 0, ...SEEDS)).toMatchObject({ centroids: [0, 2], iterations: 0 });
    const once = run(points, 2, 1, ...SEEDS);
    expect(once.centroids).toEqual([0, Math.fround(16 / 3)]);
    expect(once.iterations).toBe(1);
    expect(run(points, 2, 2, ...SEEDS)).toMatchObject({ centroids: [1, 7], iterations: 2 });
    const ended = run(points, 2, 20, ...SEEDS);
    expect(ended).toMatchObject({ centroids: [2, 10], inertia: 8, iterations: 3 });
    // Distances 2, 0, 2, 0; to the other centroid 10, 8, 6, 8.
    expect(ended.silhouette).toBeCloseTo((0.8 + 1 + 2 / 3 + 1) / 4, 6);
  });

  test('a cluster without rows goes to the row that is farthest from its own', () => {
    // Seeds are drawn from the first two rows, which are equal, so that all rows go to the first.
    const moved = (clusters: number, ...values: number[]) => {
      const options = { clusters, iterations: 1, random: script(0), seedingRows: 2 };
      return [...kMeans(line(...values), options).centroids.values];
    };
    expect(moved(2, 1, 1, 2, 9)).toEqual([13 / 4, 9]);
    // Then the next, of equal ones the first.
    expect(moved(3, 1, 1, 2, 9)).toEqual([13 / 4, 9, 2]);
    expect(moved(3, 1, 1, 5, -3)).toEqual([1, 5, -3]);
    const all = run(line(3, 3, 3, 3), 3, 1, 0, 0, 0, 0, 0, 0.3, 0.6);
    expect(all.centroids).toEqual([3, 3, 3]);
    expect([all.inertia, all.silhouette]).toEqual([0, 0]);
  });

  test('more clusters than rows: each centroid is one of the rows', () => {
    const { centroids, inertia } = run(line(4, 8), 6, 3, 0.1, 0.2, 0.3, 0.6, 0.9);
    expect(centroids).toHaveLength(6);
    expect(new Set(centroids)).toEqual(new Set([4, 8]));
    expect(inertia).toBe(0);
  });

  test('one cluster has no second, and no silhouette', () => {
    expect(run(line(1, 3), 1, 5, 0)).toMatchObject({
      centroids: [2],
      inertia: 2,
      silhouette: 0,
    });
  });

  test('seeds are drawn from a part of the rows, where there are many', () => {
    // With one row to draw from, all centres are this row.
    const found = kMeans(line(1, 2, 3, 4), {
      clusters: 2,
      iterations: 0,
      random: script(0.9, 0, 0, 0, 0, 0),
      seedingRows: 1,
    });
    expect([...found.centroids.values]).toEqual([2, 2]);
  });

  test('16,384 rows seed, unless told otherwise', () => {
    const rows = line(...Array.from({ length: 16_390 }, (_, i) => i));
    let calls = 0;
    const random = () => (calls++, 0);
    kMeans(rows, { clusters: 1, iterations: 0, random });
    // One number for each row that is drawn, one for the first centre, and one after it.
    expect(calls).toBe(16_384 + 2);
  });

  test.each([
    [0, 1],
    [2, 0],
  ])('%i rows in %i clusters are refused', (rows, clusters) => {
    const points = { values: new Float32Array(rows), dimensions: 1 };
    expect(() => kMeans(points, { clusters, iterations: 1, random: () => 0 })).toThrow(
      `${clusters} clusters of ${rows} vectors`,
    );
  });

  test('stops where it is told to', () => {
    const signal = AbortSignal.abort(new Error('enough'));
    const options = { clusters: 1, random: () => 0, signal };
    expect(() => kMeans(line(1, 2), { ...options, iterations: 1 })).toThrow('enough');
    expect(kMeans(line(1, 2), { ...options, iterations: 0 }).iterations).toBe(0);
  });
});

describe('the number of clusters', () => {
  test('candidates are powers of two times √n / 4, within bounds', () => {
    const sample = (rows: number): Rows => ({ values: new Float32Array(rows), dimensions: 1 });
    expect(clusterCountCandidates(10_000, 10, sample(10_000))).toEqual([25, 50, 100, 200, 400]);
    // At most n / 50 = 200.
    expect(clusterCountCandidates(10_000, 50, sample(10_000))).toEqual([25, 50, 100, 200, 200]);
    // At most a quarter of the sample.
    expect(clusterCountCandidates(10_000, 0, sample(240))).toEqual([25, 50, 60, 60, 60]);
    expect(clusterCountCandidates(100, 1, sample(100))).toEqual([3, 5, 10, 20, 25]);
    expect(clusterCountCandidates(3, 150, sample(3))).toEqual([1, 1, 1, 1, 1]);
    expect(clusterCountCandidates(40, 15, sample(40))).toEqual([2, 2, 2, 2, 2]);
  });

  test('elbows are below the chord, never above', () => {
    expect(elbows([1, 10, 100], [10, 9, 0])).toEqual([0, 0, 0]);
    const found = elbows([1, 2, 4, 8], [8, 4, 2, 0]);
    // Thirds of log k; inertia 1, 1/2, 1/4, 0.
    [0, 2 / 3 - 0.5, 1 / 3 - 0.25, 0].forEach((value, i) =>
      expect(found[i]).toBeCloseTo(value, 12),
    );
    expect(elbows([4], [7])).toEqual([0]);
    expect(scaled([2, 4, 3])).toEqual([0, 1, 0.5]);
  });

  test('the best mean of elbow and silhouette, the smaller of equal ones; each once', () => {
    const points = line(...[0, 100, 200].flatMap((at) => [at, at + 1, at + 2, at + 3]));
    let state = 1;
    const random = () => (state = (state * 16_807) % 2_147_483_647) / 2_147_483_647;
    const { clusters, scores } = chooseClusterCount(points, [6, 3, 0, 1, 3, -1], {
      iterations: 20,
      random,
    });
    expect(clusters).toBe(3);
    expect(scores.map((one) => one.clusters)).toEqual([1, 3, 6]);
    const [one, three, six] = scores;
    expect(one).toMatchObject({ elbow: 0, silhouette: 0, score: 0 });
    // 3 clusters of 0, 1, 2, 3: 5 each, next to nothing of the 80,015 of one cluster. The elbow of the
    // middle is the greatest, so scaled it is 1.
    expect(three?.inertia).toBeCloseTo(15, 3);
    expect(three?.elbow).toBeCloseTo(1 - Math.log(3) / Math.log(6), 3);
    const greatest = Math.max(three?.silhouette ?? 0, six?.silhouette ?? 0);
    expect(three?.score).toBeCloseTo((1 + (three?.silhouette ?? 0) / greatest) / 2, 12);
    expect(six?.score).toBeCloseTo((six?.silhouette ?? 0) / greatest / 2, 12);
    // Nothing tells them apart: the smaller.
    const same = chooseClusterCount(line(5, 5, 5), [2, 3], { iterations: 1, random });
    expect(same.clusters).toBe(2);
    expect(() => chooseClusterCount(points, [0], { iterations: 1, random })).toThrow(
      'no number of clusters to choose from',
    );
  });
});

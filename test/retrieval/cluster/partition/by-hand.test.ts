import { describe, expect, test } from 'vitest';
import { buildClusters, type BuildHooks } from '../../../../src/retrieval/cluster/build.ts';
import { ClusterIndex } from '../../../../src/retrieval/cluster/cluster-index.ts';
import type { BuildOptions } from '../../../../src/retrieval/cluster/options.ts';
import {
  chooseClusterCount,
  clusterCountCandidates,
  elbows,
  scaled,
} from '../../../../src/retrieval/cluster/partition/choose-k.ts';
import { kMeans, kMeansPlusPlus } from '../../../../src/retrieval/cluster/partition/kmeans.ts';
import { findNearest, type Rows } from '../../../../src/retrieval/cluster/partition/nearest.ts';
import {
  assignSteps,
  dissolveSmall,
  invert,
} from '../../../../src/retrieval/cluster/partition/partition.ts';
import { ProductQuantizer } from '../../../../src/retrieval/cluster/partition/product-quantizer.ts';
import { finish, paced } from '../../../../src/retrieval/cluster/partition/steps.ts';

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

describe('lists of clusters', () => {
  test('documents by cluster, rising in each', () => {
    expect(invert(Int32Array.of(2, 0, 2, 3, 0), 5)).toEqual({
      rows: Int32Array.of(1, 4, 0, 2, 3),
      offsets: Int32Array.of(0, 2, 2, 4, 5, 5),
    });
  });

  test('the small ones dissolve, the smaller half of them at a time', () => {
    // Centroids 0, 10, 20, 30 with 3, 1, 2 and 1 rows; below 2 are the second and the fourth, of which
    // the second goes; its row at 14 goes to 20. Then the fourth: its row at 31 goes to 20 as well.
    const points = line(0, 1, 2, 14, 20, 21, 31);
    const labels = Int32Array.of(0, 0, 0, 1, 2, 2, 3);
    const centroids = line(0, 10, 20, 30);
    const dissolved = (minimum: number) => {
      const found = dissolveSmall(points, centroids, labels, minimum, findNearest);
      return { ...found, centroids: [...found.centroids.values], labels: [...found.labels] };
    };
    expect(dissolved(1)).toEqual({ centroids: [0, 10, 20, 30], labels: [...labels], dissolved: 0 });
    expect(dissolved(2)).toEqual({
      centroids: [0, 20],
      labels: [0, 0, 0, 1, 1, 1, 1],
      dissolved: 2,
    });
    // Three are below 3; two of them, those of one row, go at once, and 20 has then four.
    expect(dissolved(3)).toMatchObject({ centroids: [0, 20], dissolved: 2 });
    // Below 5 both: the smaller goes, and the last one stays whatever its size.
    expect(dissolved(5)).toEqual({ centroids: [20], labels: Array(7).fill(0), dissolved: 3 });
    expect(dissolved(100)).toEqual({ centroids: [20], labels: Array(7).fill(0), dissolved: 3 });
  });

  test('of the same size the first goes first; where both of two are small one stays', () => {
    const found = dissolveSmall(line(0, 10), line(0, 10), Int32Array.of(0, 1), 5, findNearest);
    expect([...found.centroids.values]).toEqual([10]);
    expect([...found.labels]).toEqual([0, 0]);
    // Three small ones: two of three go at once.
    const three = dissolveSmall(
      line(0, 10, 20),
      line(0, 10, 20),
      Int32Array.of(0, 1, 2),
      2,
      findNearest,
    );
    expect([...three.centroids.values]).toEqual([20]);
    expect(three.dissolved).toBe(2);
  });

  test('rows find their clusters block by block, 8,192 at a time', () => {
    const n = 8192 + 5;
    const points = {
      values: Float32Array.from({ length: 2 * n }, (_, i) => (i % 2 ? i % 3 : 0)),
      dimensions: 2,
    };
    const centroids = { values: Float32Array.of(0, 0, 0, 1, 0, 2), dimensions: 2 };
    const seen: number[] = [];
    const labels = finish(assignSteps(points, centroids, findNearest, (done) => seen.push(done)));
    expect(seen).toEqual([8192, n]);
    for (const row of [0, 1, 2, 8191, 8192, n - 1]) expect(labels[row]).toBe((2 * row + 1) % 3);
    expect(labels).toHaveLength(n);
    const exact: number[] = [];
    const whole = { values: new Float32Array(8192), dimensions: 1 };
    finish(assignSteps(whole, line(0), findNearest, (done) => exact.push(done)));
    expect(exact).toEqual([8192]);
  });
});

test('steps are paced: a pause after each', async () => {
  const log: string[] = [];
  function* steps(): Generator<undefined, string> {
    log.push('one');
    yield;
    log.push('two');
    yield;
    return 'done';
  }
  const pause = async () => void log.push('pause');
  expect(await paced(steps(), pause)).toBe('done');
  expect(log).toEqual(['one', 'pause', 'two', 'pause']);
  expect(finish(steps())).toBe('done');
});

describe('product quantization, by hand', () => {
  // Two subspaces of two numbers: centroid c of the first stands for (c, −c), of the second for (2c, 1).
  const codebook = Float32Array.from({ length: 1024 }, (_, i) => {
    const [second, c, odd] = [i >= 512, (i >> 1) % 256, i % 2 === 1];
    return second ? (odd ? 1 : 2 * c) : odd ? -c : c;
  });
  const quantizer = new ProductQuantizer(4, 2, codebook);

  test('parts are replaced by the nearest centroid, in order of rows and then of subspaces', () => {
    const rows = { values: Float32Array.of(3, -3, 8, 1, 10.2, -9.9, 100.9, 0), dimensions: 4 };
    expect([...quantizer.encode(rows)]).toEqual([3, 4, 10, 50]);
  });

  test('what a code stands for is added, wherever it starts', () => {
    const out = Float32Array.of(1, 1, 1, 1, 1, 1);
    quantizer.decodeInto(Uint8Array.of(9, 9, 7, 5), 2, out, 1);
    expect([...out]).toEqual([1, 8, -6, 11, 2, 1]);
    const plain = new Float32Array(4);
    quantizer.decodeInto(Uint8Array.of(255, 0), 0, plain);
    expect([...plain]).toEqual([255, -255, 0, 1]);
  });

  test('the table of a query holds its products with every centroid', () => {
    expect(quantizer.tableLength).toBe(512);
    const table = new Float32Array(512);
    quantizer.table(Float32Array.of(1, 10, 100, 1000), table);
    expect([table[0], table[1], table[255]]).toEqual([0, -9, -9 * 255]);
    expect([table[256], table[257], table[511]]).toEqual([1000, 1200, 1000 + 200 * 255]);
  });

  test('it must fit', () => {
    expect([quantizer.dimensions, quantizer.subspaces, quantizer.width]).toEqual([4, 2, 2]);
    expect(() => new ProductQuantizer(4, 3, codebook)).toThrow('3 subspaces do not divide 4');
    expect(() => new ProductQuantizer(4, 0, codebook)).toThrow('0 subspaces do not divide 4');
    expect(() => new ProductQuantizer(4, -2, codebook)).toThrow('-2 subspaces do not divide 4');
    expect(() => new ProductQuantizer(4, 2, codebook.subarray(1))).toThrow(
      '1023 numbers for 256 × 4',
    );
    expect(new ProductQuantizer(4, 1, codebook).width).toBe(4);
  });

  test('is trained part by part: few distinct parts are all kept', () => {
    const rows = {
      values: Float32Array.from({ length: 400 }, (_, i) => (i % 2 === 0 ? i % 8 : -(i % 6))),
      dimensions: 4,
    };
    let state = 1;
    const random = () => (state = (state * 16_807) % 2_147_483_647) / 2_147_483_647;
    const trained = ProductQuantizer.train(rows, 2, { iterations: 3, random });
    const codes = trained.encode(rows);
    for (let row = 0; row < 100; row++) {
      const out = new Float32Array(4);
      trained.decodeInto(codes, 2 * row, out);
      expect([...out]).toEqual([...rows.values.subarray(4 * row, 4 * row + 4)]);
    }
  });

  test('on 16,384 rows at most, of which 4,096 seed', () => {
    const n = 16_390;
    const rows = { values: Float32Array.from({ length: n }, (_, i) => i), dimensions: 1 };
    const asked: number[] = [];
    let calls = 0;
    const random = () => (calls++, 0);
    ProductQuantizer.train(rows, 1, {
      iterations: 0,
      random,
      nearest: (points) => {
        asked.push(points.values.length);
        return {
          labels: new Int32Array(points.values.length),
          distances: new Float32Array(points.values.length),
          seconds: new Float32Array(points.values.length),
        };
      },
    });
    expect(asked).toEqual([16_384]);
    // One number for each sampled row, each seeding row, the first centre and each further one.
    expect(calls).toBe(16_384 + 4096 + 1 + 256);
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

describe('building', () => {
  /** Whole numbers around four places: twelve dimensions. */
  const table = (n: number): Rows => ({
    values: Float32Array.from({ length: 12 * n }, (_, i) => {
      const [row, at] = [Math.floor(i / 12), i % 12];
      return (at === row % 4 ? 64 : 0) + ((row * 7 + at * 3) % 5);
    }),
    dimensions: 12,
  });
  const build = (options: Partial<BuildOptions>, hooks: BuildHooks = {}, n = 80) =>
    buildClusters(table(n), { clusters: 4, minimumDocuments: 0, ...options }, hooks);

  test('each stage is told from its beginning to its end', async () => {
    const seen: unknown[] = [];
    let pauses = 0;
    await build(
      { iterations: 1 },
      {
        onProgress: (...told) => seen.push(told),
        pause: async () => void pauses++,
      },
    );
    expect(seen).toEqual([
      ['choose', 0, 1],
      ['cluster', 0, 1],
      ['assign', 0, 80],
      ['assign', 80, 80],
      ['quantize', 0, 1],
      ['encode', 0, 80],
      ['encode', 80, 80],
    ]);
    expect(pauses).toBeGreaterThan(6);
  });

  test('encodes 2,048 rows between two turns', async () => {
    const seen: number[] = [];
    const flat = { values: new Float32Array(2 * 2050), dimensions: 2 };
    const parts = await buildClusters(
      flat,
      { clusters: 1, iterations: 0, refineBits: 4 },
      { onProgress: (stage, done) => stage === 'encode' && seen.push(done) },
    );
    expect(seen).toEqual([0, 2048, 2050]);
    expect(parts.codes).toHaveLength(2050);
  });

  test.each([0, 4, 8] as const)('with %i bits everything has its place', async (refineBits) => {
    const parts = await build({ refineBits, subspaces: 6 });
    expect(parts.rows).toHaveLength(80);
    expect(parts.codes).toHaveLength(480);
    expect(parts.refinement?.bits ?? 0).toBe(refineBits);
    expect(parts.choice).toBeNull();
    expect(parts.dissolved).toBe(0);
    const index = new ClusterIndex(parts);
    const { values } = table(80);
    // Eighty rows for 256 centroids of each subspace: nothing is lost.
    for (let row = 0; row < 80; row++)
      index
        .reconstruct(row)
        .forEach((value, i) => expect(value).toBeCloseTo(values[row * 12 + i] ?? NaN, 3));
    // Rows of one place are one cluster.
    for (let row = 0; row < 80; row++) expect(index.clusterOf(row)).toBe(index.clusterOf(row % 4));
    expect(new Set([0, 1, 2, 3].map((row) => index.clusterOf(row))).size).toBe(4);
  });

  test('no more clusters than vectors; one byte for four dimensions unless told', async () => {
    const parts = await build({ clusters: 9 }, {}, 3);
    expect(parts.offsets).toHaveLength(4);
    expect(parts.quantizer.subspaces).toBe(3);
    await expect(build({ subspaces: 5 })).rejects.toThrow('5 subspaces do not divide 12');
    await expect(buildClusters({ values: new Float32Array(13), dimensions: 12 })).rejects.toThrow(
      '13 numbers do not fill rows of 12',
    );
    await expect(buildClusters({ values: new Float32Array(0), dimensions: 12 })).rejects.toThrow(
      '0 numbers do not fill rows of 12',
    );
    expect((await build({}, {}, 1)).rows).toEqual(Int32Array.of(0));
  });

  test('the defaults, by which stored indexes are named and built', async () => {
    const choice = (await buildClusters(table(400), { minimumDocuments: 20, iterations: 2 }))
      .choice;
    // √400 = 20; at most 400 / 20 = 20.
    expect(choice?.scores.map(({ clusters }) => clusters)).toEqual([5, 10, 20]);
    const [whole, short] = await Promise.all([
      buildClusters(table(400)),
      buildClusters(table(400), {
        clusters: 'auto',
        minimumDocuments: 150,
        trainingPerCluster: 64,
        iterations: 10,
        subspaces: 'auto',
        refineBits: 8,
        seed: 7,
      }),
    ]);
    expect(short).toEqual(whole);
    // At most 400 / 150 clusters.
    expect(whole.choice?.scores.map(({ clusters }) => clusters)).toEqual([2]);
  });

  test('k-means is trained on so many vectors a cluster', async () => {
    const trained: number[] = [];
    const nearest: BuildHooks['nearest'] = (points, centroids) => {
      if (points.dimensions === 12) trained.push(points.values.length / 12);
      return findNearest(points, centroids);
    };
    await build({ trainingPerCluster: 7, iterations: 0 }, { nearest });
    // Training on 4 · 7 of 80, then all of them find their cluster.
    expect(trained).toEqual([28, 80]);
  });

  test('it ends where it is told to, also between two pieces', async () => {
    for (const last of ['choose', 'cluster', 'assign', 'quantize', 'encode']) {
      const stop = new AbortController();
      const stages: string[] = [];
      const stopped = build(
        {},
        {
          signal: stop.signal,
          onProgress: (stage) => {
            stages.push(stage);
            if (stage === last) stop.abort(new Error('enough'));
          },
        },
      );
      await expect(stopped).rejects.toThrow('enough');
      expect(stages.at(-1)).toBe(last);
      // It saw the end at its next turn.
      expect(stages.filter((stage) => stage === last)).toHaveLength(1);
    }
  });
});

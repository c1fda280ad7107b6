import { describe, expect, test } from 'vitest';
import { buildClusters, type BuildHooks } from '../../../src/retrieval/cluster/build.ts';
import { ClusterIndex } from '../../../src/retrieval/cluster/cluster-index.ts';
import type { BuildOptions } from '../../../src/retrieval/cluster/options.ts';
import { findNearest, type Rows } from '../../../src/retrieval/cluster/partition/nearest.ts';

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

import { describe, expect, it } from 'vitest';
import { buildClusters } from '../../../../src/retrieval/cluster/build.ts';
import { ClusterIndex } from '../../../../src/retrieval/cluster/cluster-index.ts';
import type { SamplingOptions } from '../../../../src/retrieval/cluster/options.ts';
import { dot, findNearest } from '../../../../src/retrieval/cluster/partition/nearest.ts';
import { dissolveSmall } from '../../../../src/retrieval/cluster/partition/partition.ts';
import { ExactIndex } from '../../../../src/retrieval/dense/dense.ts';
import { clustered } from '../../vectors.ts';

const D = 32;
const data = clustered(30, 100, D);
const size = data.values.length / D;
const exact = new ExactIndex(data);
const queries = Array.from({ length: 60 }, () => data.draw());
const BUILD = { clusters: 40, minimumDocuments: 30, iterations: 4 };
/** Built once; what queries teach is of each index. */
const shared = buildClusters(data, BUILD);
const fresh = async (sampling: Partial<SamplingOptions> = {}) =>
  new ClusterIndex(await shared, sampling);
const build = (options: Parameters<typeof ClusterIndex.build>[1] = {}) =>
  ClusterIndex.build(data, { ...BUILD, ...options });

const recallAt10 = (index: ClusterIndex): number => {
  let shared = 0;
  for (const query of queries) {
    const found = new Set(index.search(query, 10).map(({ index }) => index));
    shared += exact.search(query, 10).filter(({ index }) => found.has(index)).length;
  }
  return shared / (10 * queries.length);
};

describe('recall', () => {
  it('is at least 98 % of the scan with a twentieth of the documents re-ranked', async () => {
    expect(recallAt10(await fresh({ candidates: size / 20 }))).toBeGreaterThan(0.98);
  });

  it('rises with what the second stage keeps, and with the candidates', async () => {
    const [pq, four, eight] = await Promise.all(
      ([0, 4, 8] as const).map(async (refineBits) => build({ refineBits })),
    );
    const [a, b, c] = [pq!, four!, eight!].map(recallAt10);
    expect(a).toBeLessThan(b!);
    expect(b).toBeLessThanOrEqual(c!);
    expect(pq!.bytes).toBeLessThan(four!.bytes);
    const few = new ClusterIndex(eight!.parts, { candidates: 30 });
    expect(recallAt10(few)).toBeLessThan(c!);
  });

  it('stays when the temperature has fallen and the weights are learned', async () => {
    const index = await fresh({ candidates: 300, annealingQueries: 200 });
    for (let t = 0; t < 250; t++) index.search(data.draw(), 10);
    expect(index.trace(queries[0]!, 10, { learn: false }).trace.temperature).toBe(0.3);
    expect(recallAt10(index)).toBeGreaterThan(0.97);
  });

  it('is that of the scan where all documents are candidates and reconstruction is exact enough', async () => {
    const index = await fresh({ candidates: size, considered: 1000 });
    expect(recallAt10(index)).toBeGreaterThan(0.99);
  });
});

describe('index', () => {
  it('holds every document once, in the cluster of its nearest centroid', async () => {
    const parts = await buildClusters(data, { ...BUILD, minimumDocuments: 0 });
    expect([...parts.rows].sort((a, b) => a - b)).toEqual([...Array(size).keys()]);
    const { labels } = findNearest(data, parts.centroids);
    const index = new ClusterIndex(parts);
    for (let row = 0; row < size; row += 37) expect(index.clusterOf(row)).toBe(labels[row]);
  });

  it('reconstructs vectors closely and scores by the reconstruction', async () => {
    const index = await fresh();
    const [query] = queries;
    for (const { index: row, similarity } of index.search(query!, 10)) {
      const vector = index.reconstruct(row);
      expect(dot(vector, 0, data.values, row * D, D)).toBeGreaterThan(0.999);
      expect(similarity).toBeCloseTo(index.similarity(query!, row), 5);
      expect(similarity).toBeCloseTo(exact.similarity(query!, row), 2);
    }
  });

  it('dissolves clusters below the least size', async () => {
    const { parts } = await build({ clusters: 60, minimumDocuments: 50 });
    const sizes = Array.from(parts.offsets.subarray(1), (end, c) => end - parts.offsets[c]!);
    expect(Math.min(...sizes)).toBeGreaterThanOrEqual(50);
    expect(sizes).toHaveLength(60 - parts.dissolved);
    const one = dissolveSmall(data, parts.centroids, new Int32Array(size), size + 1, findNearest);
    expect(one.centroids.values).toHaveLength(D);
  });

  it('chooses the number of clusters and tells what it chose from', async () => {
    const { parts } = await build({ clusters: 'auto', minimumDocuments: 20 });
    expect(parts.choice?.scores.length).toBeGreaterThan(2);
    expect(parts.choice?.scores.map(({ clusters }) => clusters)).toContain(parts.choice?.clusters);
  });

  it('repeats bit for bit with its seed', async () => {
    const [a, b] = await Promise.all([build({ seed: 3 }), build({ seed: 3 })]);
    expect(a.parts.codes).toEqual(b.parts.codes);
    for (const query of queries.slice(0, 10))
      expect(a.search(query, 5)).toEqual(b.search(query, 5));
  });

  it('reports progress by stage and stops when told to', async () => {
    const stages = new Set<string>();
    await buildClusters(data, BUILD, { onProgress: (stage) => stages.add(stage) });
    expect([...stages]).toEqual(['choose', 'cluster', 'assign', 'quantize', 'encode']);
    await expect(
      buildClusters(data, BUILD, { signal: AbortSignal.abort(new Error('enough')) }),
    ).rejects.toThrow('enough');
  });

  it('refuses a query of other dimensions, and vectors that are none', async () => {
    const index = await fresh();
    expect(() => index.search(new Float32Array(3), 1)).toThrow('3 dimensions');
    await expect(ClusterIndex.build({ values: new Float32Array(), dimensions: 4 })).rejects.toThrow(
      RangeError,
    );
  });
});

describe('trace of a query', () => {
  it('accounts for every candidate and result', async () => {
    const index = await fresh({ candidates: 300, considered: 8 });
    const { neighbours, clusters, trace } = index.trace(queries[0]!, 10);
    expect(trace).toMatchObject({ query: 0, temperature: 1.2, candidates: 300, random: 0 });
    expect(trace.clusters).toHaveLength(8);
    const sum = (pick: (share: (typeof trace.clusters)[number]) => number): number =>
      trace.clusters.reduce((total, share) => total + pick(share), 0);
    expect(sum(({ candidates }) => candidates)).toBe(300);
    expect(sum(({ share }) => share)).toBeCloseTo(1, 9);
    expect(sum(({ results }) => results)).toBe(10);
    expect(sum((s) => (s.candidates > 0 ? s.size : 0))).toBe(trace.scanned);
    expect(neighbours.map(({ index: row }) => index.clusterOf(row))).toEqual(clusters);
    const similarities = trace.clusters.map(({ similarity }) => similarity);
    expect(similarities).toEqual([...similarities].sort((a, b) => b - a));
    expect(trace.clusters[0]?.relevance).toBe(1);
  });

  it('learns: clusters that are hit keep their weight, others lose it; state can be stored', async () => {
    const index = await fresh();
    const { clusters } = index.trace(queries[0]!, 10);
    const { weights, queries: t } = index.learned;
    expect(t).toBe(1);
    weights.forEach((weight, c) => expect(weight).toBeCloseTo(clusters.includes(c) ? 1 : 0.9, 12));
    const restored = new ClusterIndex(index.parts, {}, index.learned);
    expect(restored.trace(queries[1]!, 10)).toEqual(index.trace(queries[1]!, 10));
    index.trace(queries[2]!, 10, { learn: false });
    expect(index.learned).toEqual(restored.learned);
    expect(
      () => new ClusterIndex(index.parts, {}, { queries: 0, weights: [1], hits: [0] }),
    ).toThrow(RangeError);
  });

  it('answers a batch as single queries at the same weights and temperature', async () => {
    const [batch, single] = await Promise.all([fresh(), fresh()]);
    const some = queries.slice(0, 5);
    const found = batch.traceBatch(some, 10);
    expect(found).toEqual(some.map((query) => single.trace(query, 10, { learn: false })));
    expect(batch.learned.queries).toBe(5);
  });

  it('draws documents at random for an empty cluster', async () => {
    // Two distinct vectors for four clusters: at least two stay empty.
    const values = new Float32Array(200 * 4);
    for (let row = 0; row < 200; row++) values[row * 4 + (row % 2)] = 1;
    const index = await ClusterIndex.build(
      { values, dimensions: 4 },
      { clusters: 4, minimumDocuments: 0, sampling: { candidates: 60 } },
    );
    const { trace, neighbours } = index.trace(Float32Array.of(1, 0, 0, 0), 10);
    expect(trace.clusters.some(({ size }) => size === 0)).toBe(true);
    expect(trace.random).toBeGreaterThan(0);
    expect(trace.candidates).toBe(60);
    expect(new Set(neighbours.map(({ index }) => index)).size).toBe(10);
    expect(neighbours.every(({ index }) => index % 2 === 0)).toBe(true);
  });
});

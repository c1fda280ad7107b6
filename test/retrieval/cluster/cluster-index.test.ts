import { describe, expect, test } from 'vitest';
import { itemAt } from '../../../src/base/items.ts';
import { ClusterIndex } from '../../../src/retrieval/cluster/cluster-index.ts';
import type { SamplingOptions } from '../../../src/retrieval/cluster/options.ts';
import { CLUSTERS, exactParts, VECTORS } from './parts.ts';

const index = (sampling: Partial<SamplingOptions> = {}) =>
  new ClusterIndex(exactParts(CLUSTERS), sampling);

const product = (a: readonly number[], b: readonly number[]): number =>
  a.reduce((total, x, i) => total + x * itemAt(b, i), 0);

const best = (query: readonly number[], rows: readonly number[], k: number) =>
  rows
    .map((row) => ({ index: row, similarity: product(query, itemAt(VECTORS, row)) }))
    .toSorted((a, b) => b.similarity - a.similarity || a.index - b.index)
    .slice(0, k);
const ALL = [0, 1, 2, 3, 4, 5];
const QUERIES = [
  [1, 2, 4, 8, 16],
  [-1, 0, 0, 0, 0],
  [0, 0, 0, 0, -1],
  [3, -2, 1, -1, 2],
];

describe('codes that lose nothing', () => {
  test.each(QUERIES)('give inner products with the vectors: query %d %d %d %d %d', (...query) => {
    const vector = Float32Array.from(query);
    expect(index().search(vector, 6)).toEqual(best(query, ALL, 6));
    expect(index().search(vector, 2)).toEqual(best(query, ALL, 2));
    for (const row of ALL)
      expect(index().similarity(vector, row)).toBe(product(query, itemAt(VECTORS, row)));
  });

  test.each([1, 2, 3, 4, 5, 6, 7, 8, 9, 12])('whatever the number of subspaces: %i', (d) => {
    const cycle = (length: number, step: number): number[] =>
      Array.from({ length }, (_, i) => (((i + 1) * step) % 8) - 3);
    const vectors = [3, 4, 5].map((step) => cycle(d, step));
    const parts = exactParts([
      { centroid: cycle(d, 11), members: [{ row: 2, vector: vectors[2] ?? [] }] },
      {
        centroid: cycle(d, 7),
        members: [0, 1].map((row) => ({ row, vector: vectors[row] ?? [] })),
      },
    ]);
    const query = cycle(d, 9);
    const found = new ClusterIndex(parts).search(Float32Array.from(query), 3);
    const byRow = found.toSorted((a, b) => a.index - b.index);
    expect(byRow).toEqual(
      vectors.map((vector, row) => ({ index: row, similarity: product(query, vector) })),
    );
  });

  test('reconstruct every vector, and know its cluster', () => {
    for (const row of ALL) expect([...index().reconstruct(row)]).toEqual(itemAt(VECTORS, row));
    expect(ALL.map((row) => index().clusterOf(row))).toEqual([1, 0, 2, 2, 0, 2]);
    for (const row of [6, -1]) {
      expect(() => index().reconstruct(row)).toThrow(`row ${row} of 6`);
      expect(() => index().clusterOf(row)).toThrow(`row ${row} of 6`);
    }
  });

  test.each([4, 8] as const)('a refinement of %i bits adds what the codes lost', (bits) => {
    const parts = exactParts(CLUSTERS, bits);
    const refined = new ClusterIndex(parts);
    const query = Float32Array.of(1, 2, 4, 8, 16);
    const steps = bits === 4 ? 14 : 254;
    for (const { index: row, similarity } of refined.search(query, 6)) {
      expect(similarity).toBeCloseTo(refined.similarity(query, row), 4);
      for (const [i, value] of refined.reconstruct(row).entries()) {
        // The largest residual of the six is 3.
        const lost = Math.abs(value - itemAt(itemAt(VECTORS, row), i));
        expect(lost).toBeLessThanOrEqual(3 / steps + 1e-6);
      }
    }
    // Row 3 is its centroid, and nothing is left of it.
    expect([...refined.reconstruct(3)]).toEqual([0, 0, 1, 0, 0]);
  });
});

describe('how many are found', () => {
  const query = Float32Array.of(1, 2, 4, 8, 16);
  test.each([
    [0, 0],
    [-1, 0],
    [1, 1],
    [6, 6],
    [7, 6],
  ])('of %i asked for: %i', (k, found) => expect(index().search(query, k)).toHaveLength(found));

  test('equal ones by row', () => {
    const twins = exactParts([
      { centroid: [0, 0], members: [{ row: 3, vector: [1, 0] }] },
      { centroid: [1, 0], members: [2, 1].map((row) => ({ row, vector: [1, 0] })) },
      { centroid: [0, 1], members: [{ row: 0, vector: [1, 0] }] },
    ]);
    const found = new ClusterIndex(twins).search(Float32Array.of(1, 0), 4);
    expect(found).toEqual([0, 1, 2, 3].map((row) => ({ index: row, similarity: 1 })));
  });

  test('at least as many candidates as results', () => {
    const { trace, neighbours } = index({ candidates: 1 }).trace(query, 4);
    expect([trace.candidates, neighbours.length]).toEqual([4, 4]);
  });
});

describe('the trace of a query', () => {
  // Inner products with the centroids are 3, 2 and 2; the first is the nearest, then the lower number.
  const query = Float32Array.of(3, 2, 2, 0, 0);
  test('considers the nearest clusters, and shares the candidates out over them', () => {
    const sampling = { considered: 2, candidates: 3, sharpness: Math.log(2) };
    const { trace, neighbours, clusters } = index({
      ...sampling,
      initialTemperature: 1,
      minimumShare: 0,
    }).trace(query, 1);
    // Relevance 1 and ½: two thirds and one third of three candidates; cluster 0 has just two rows.
    expect(trace).toEqual({
      query: 0,
      temperature: 1,
      clusters: [
        {
          cluster: 0,
          size: 2,
          weight: 1,
          similarity: 3,
          relevance: 1,
          share: expect.closeTo(2 / 3, 12),
          candidates: 2,
          results: 1,
        },
        {
          cluster: 1,
          size: 1,
          weight: 1,
          similarity: 2,
          relevance: expect.closeTo(0.5, 12),
          share: expect.closeTo(1 / 3, 12),
          candidates: 1,
          results: 0,
        },
      ],
      scanned: 3,
      candidates: 3,
      random: 0,
    });
    expect(clusters).toEqual([0]);
    // Row 1: 4.5 + 0.5; row 4: 2.25 + 1; row 0: 2.5 − 1.
    expect(neighbours).toEqual([{ index: 1, similarity: 5 }]);
  });

  test('weights shift the shares', () => {
    const even = { considered: 2, candidates: 3, sharpness: 0, initialTemperature: 1 };
    const learned = { queries: 5, weights: [0.5, 1, 1], hits: [0, 0, 0] };
    const parts = exactParts(CLUSTERS);
    const { trace } = new ClusterIndex(parts, even, learned).trace(query, 1);
    expect(trace.query).toBe(5);
    expect(trace.clusters.map(({ weight }) => weight)).toEqual([0.5, 1]);
    expect(trace.clusters[0]?.share).toBeCloseTo(1 / 3, 12);
  });

  test('a cluster without candidates is not scanned', () => {
    const found = index({ considered: 3, candidates: 2, sharpness: 50, minimumShare: 0 });
    const { trace } = found.trace(query, 1);
    expect(trace.clusters.map(({ candidates }) => candidates)).toEqual([2, 0, 0]);
    expect([trace.scanned, trace.candidates]).toEqual([2, 2]);
  });

  test('the best of a cluster are its candidates', () => {
    // Of cluster 2, [0, 0, 1, …]: row 5 has 3, row 2 has 1.5, row 3 has 1.
    const one = index({ considered: 1, candidates: 2 });
    const found = one.trace(Float32Array.of(0, 0, 1, 0, 0), 2);
    expect(found.neighbours).toEqual([
      { index: 5, similarity: 3 },
      { index: 2, similarity: 1.5 },
    ]);
    expect(found.clusters).toEqual([2, 2]);
    expect(found.trace.clusters).toMatchObject([{ cluster: 2, results: 2 }]);
  });

  test('at least one cluster is considered', () => {
    expect(index({ considered: 0 }).trace(query, 1).trace.clusters).toHaveLength(1);
  });

  test('the same buffers serve a large query after a small one', () => {
    const one = index({ considered: 1, candidates: 1 });
    one.trace(query, 1);
    const large = new ClusterIndex(one.parts);
    large.trace(Float32Array.of(0, 0, 1, 0, 0), 6);
    expect(one.trace(Float32Array.of(0, 0, 1, 0, 0), 3).neighbours).toEqual(
      best([0, 0, 1, 0, 0], [2, 3, 5], 3),
    );
    expect(large.search(query, 6)).toEqual(best([...query], ALL, 6));
  });
});

describe('what is learned', () => {
  const query = Float32Array.of(0, 0, 1, 0, 0);
  test('weights, queries and the results of every cluster', () => {
    const one = index();
    one.trace(query, 3);
    // All three results are from cluster 2.
    expect(one.learned.queries).toBe(1);
    expect(one.learned.hits).toEqual([0, 0, 3]);
    one.learned.weights.forEach((weight, c) => expect(weight).toBeCloseTo(c === 2 ? 1 : 0.9, 12));
    one.search(query, 1);
    expect(one.learned.hits).toEqual([0, 0, 4]);
    one.trace(query, 3, { learn: false });
    one.traceBatch([query, query], 3, { learn: false });
    expect(one.learned.queries).toBe(2);
    one.traceBatch([query, Float32Array.of(-1, 4, -1, 1, 0)], 1);
    expect(one.learned.queries).toBe(4);
    expect(one.learned.hits).toEqual([0, 1, 5]);
  });

  test('a batch gives each query its own answer', () => {
    const found = index().traceBatch(
      QUERIES.map((each) => Float32Array.from(each)),
      6,
    );
    expect(found.map(({ neighbours }) => neighbours)).toEqual(
      QUERIES.map((each) => best(each, ALL, 6)),
    );
    expect(index().traceBatch([], 3)).toEqual([]);
  });

  test('it is taken over, forgotten, and refused where it is of other clusters', () => {
    const one = index();
    const learned = { queries: 3, weights: [0.5, 0.25, 1], hits: [1, 2, 3] };
    one.learn(learned);
    expect(one.learned).toEqual(learned);
    expect(() => one.learn({ ...learned, weights: [1, 1] })).toThrow('2 weights for 3 clusters');
    expect(() => one.learn({ ...learned, hits: [1, 1, 1, 1] })).toThrow(RangeError);
    expect(one.learned).toEqual(learned);
    one.learn(null);
    expect(one.learned).toEqual({ queries: 0, weights: [1, 1, 1], hits: [0, 0, 0] });
  });
});

test('an empty cluster gives its candidates to other documents, none of them twice', () => {
  const empty = [{ centroid: [0, 0, 0, 0, 4], members: [] }, ...CLUSTERS];
  // With a sharpness of 0 every cluster has the same share, of which the empty one draws all.
  const sampling = { considered: 2, candidates: 4, sharpness: 0, initialTemperature: 1 };
  const query = [3, 0, 0, 0, 1];
  for (let seed = 0; seed < 20; seed++) {
    const parts = exactParts(empty);
    const one = new ClusterIndex(parts, sampling);
    for (let t = 0; t <= seed; t++) {
      const { trace, neighbours } = one.trace(Float32Array.from(query), 4, { learn: false });
      expect(trace.clusters).toMatchObject([
        { cluster: 0, size: 0, similarity: 4, candidates: 2, results: 0 },
        { cluster: 1, size: 2, similarity: 3, candidates: 2 },
      ]);
      expect(trace).toMatchObject({ random: 2, scanned: 4, candidates: 4 });
      const rows = neighbours.map(({ index: row }) => row);
      expect(new Set(rows).size).toBe(4);
      expect(rows).toEqual(expect.arrayContaining([1, 4]));
      expect(neighbours).toEqual(best(query, rows, 4));
    }
  }
  // More are wanted than are left: all of them are candidates, and the search ends.
  const all = new ClusterIndex(exactParts(empty), { ...sampling, candidates: 100 });
  const { trace, neighbours } = all.trace(Float32Array.from(query), 6);
  expect(neighbours).toEqual(best(query, ALL, 6));
  expect(trace.candidates).toBe(6);
  expect(trace.random).toBe(6 - (trace.clusters[1]?.candidates ?? NaN));
});

test('random documents are drawn from all of those that are left', () => {
  const empty = [{ centroid: [0, 0, 0, 0, 4], members: [] }, ...CLUSTERS];
  const one = new ClusterIndex(exactParts(empty), { considered: 1, candidates: 1 });
  const drawn = new Set<number>();
  for (let t = 0; t < 200; t++)
    for (const { index: row } of one.search(Float32Array.of(0, 0, 0, 0, 1), 1)) drawn.add(row);
  expect(drawn).toEqual(new Set(ALL));
});

test('its bytes are those of its tables', () => {
  // Centroids 15 × 4, rows 6 × 4, offsets 4 × 4, codebooks 5 × 256 × 4, codes 30, places 6 × 4.
  expect(index().bytes).toBe(60 + 24 + 16 + 5120 + 30 + 24);
  // Eight bits: 30 codes and six scales.
  expect(new ClusterIndex(exactParts(CLUSTERS, 8)).bytes).toBe(5274 + 30 + 24);
});

test('a query of other dimensions is refused', () => {
  for (const length of [4, 6])
    expect(() => index().search(new Float32Array(length), 1)).toThrow(
      `the query has ${length} dimensions, the index 5`,
    );
});

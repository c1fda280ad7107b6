import { expect, it } from 'vitest';
import { Random } from '../../../src/base/random.ts';
import { ExactIndex } from '../../../src/retrieval/dense/dense.ts';
import { HnswIndex } from '../../../src/retrieval/dense/hnsw.ts';

const DIMENSIONS = 24;

function unitVectors(count: number, random: Random): Float32Array {
  const values = new Float32Array(count * DIMENSIONS);
  random.fillNormal(values, 1);
  for (let row = 0; row < count; row++) {
    const vector = values.subarray(row * DIMENSIONS, (row + 1) * DIMENSIONS);
    const norm = Math.hypot(...vector);
    vector.forEach((value, i) => (vector[i] = value / norm));
  }
  return values;
}

it('a graph is built and searched in Node, finds what the exact scan finds, and leaves no window behind', async () => {
  const random = new Random(5);
  const table = { dimensions: DIMENSIONS, values: unitVectors(600, random) };
  const queries = unitVectors(30, random);
  const [graph, other] = await Promise.all([HnswIndex.build(table), HnswIndex.build(table)]);
  const exact = new ExactIndex(table);
  let found = 0;
  for (let q = 0; q < 30; q++) {
    const query = queries.slice(q * DIMENSIONS, (q + 1) * DIMENSIONS);
    const near = graph.search(query, 10);
    expect(other.search(query, 10)).toEqual(near);
    const wanted = new Map(exact.search(query, 10).map((one) => [one.index, one.similarity]));
    expect(near).toEqual(near.toSorted((a, b) => b.similarity - a.similarity || a.index - b.index));
    for (const { index, similarity } of near) {
      if (!wanted.has(index)) continue;
      found++;
      expect(similarity).toBe(wanted.get(index));
    }
  }
  expect(found / 300).toBeGreaterThan(0.9);
  expect('window' in globalThis).toBe(false);
});

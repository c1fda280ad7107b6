import { describe, expect, it } from 'vitest';
import { ExactIndex } from '../../../src/retrieval/dense/dense.ts';

const index = new ExactIndex({
  dimensions: 2,
  values: new Float32Array([1, 0, 0, 1, 0.6, 0.8, 0, 1]),
});

describe('the exact scan', () => {
  it('ranks by dot product, ties by row', () => {
    const found = index.search(new Float32Array([0, 1]), 3);
    expect(found.map((n) => n.index)).toEqual([1, 3, 2]);
    expect(found[0]?.similarity).toBe(1);
    expect(found[2]?.similarity).toBeCloseTo(0.8, 6);
  });

  it('has every row’s own dot product, in the fixed order of its sum, whatever the number of rows', () => {
    for (let size = 1; size <= 9; size++) {
      const values = Float32Array.from({ length: size * 5 }, (_, i) => Math.sin(1 + i * i));
      const query = Float32Array.from({ length: 5 }, (_, i) => Math.cos(3 * i));
      const found = new ExactIndex({ dimensions: 5, values }).search(query, size);
      const similarities = Array.from({ length: size }, (_, row) =>
        [...values.subarray(5 * row, 5 * row + 5)].reduce(
          (sum, value, i) => sum + value * (query[i] ?? NaN),
          0,
        ),
      );
      expect(found).toEqual(
        similarities
          .map((similarity, row) => ({ index: row, similarity }))
          .toSorted((a, b) => b.similarity - a.similarity),
      );
    }
  });

  it('refuses vectors of another size', () => {
    expect(() => index.search(new Float32Array(3), 1)).toThrow('3 dimensions, the index 2');
    expect(() => new ExactIndex({ dimensions: 3, values: new Float32Array(4) })).toThrow(
      'rows of 3',
    );
  });
});

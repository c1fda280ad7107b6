import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BestK } from '../../../src/retrieval/dense/best-k.ts';

const best = (scores: readonly number[], k: number) => {
  const kept = new BestK(k);
  scores.forEach((score, row) => kept.offer(row, score));
  return kept.list();
};

describe('the k best of a stream', () => {
  it('come best first, of equals the earlier', () => {
    expect(best([0.2, 0.9, 0.5, 0.9, 0.1], 3)).toEqual([
      { index: 1, similarity: 0.9 },
      { index: 3, similarity: 0.9 },
      { index: 2, similarity: 0.5 },
    ]);
  });

  it('are all of them where there are fewer', () => {
    expect(best([-1, -2], 5).map(({ index }) => index)).toEqual([0, 1]);
    expect(best([1, 2], 0)).toEqual([]);
    expect(best([], 2)).toEqual([]);
  });

  it('are what a stable sort puts first', () => {
    const scores = fc.array(fc.integer({ min: -3, max: 3 }), { maxLength: 30 });
    fc.assert(
      fc.property(scores, fc.integer({ min: 0, max: 8 }), (values, k) => {
        const sorted = values
          .map((similarity, index) => ({ index, similarity }))
          .toSorted((a, b) => b.similarity - a.similarity || a.index - b.index);
        expect(best(values, k)).toEqual(sorted.slice(0, k));
      }),
    );
  });

  it('never hold what is no number', () => {
    expect(best([Number.NaN, 1], 2)).toEqual([{ index: 1, similarity: 1 }]);
  });
});

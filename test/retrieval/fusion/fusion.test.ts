import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fuse } from '../../../src/retrieval/fusion.ts';

const KEYS = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];

/** Keys and scores in order. */
const order = (lists: string[][]) => fuse(lists).map(({ key, score }) => [key, score]);

describe('reciprocal rank fusion', () => {
  it('adds 1 / (60 + rank) over the lists', () => {
    const fused = fuse([
      ['a', 'b', 'c'],
      ['c', 'a'],
    ]);
    expect(fused.map(({ key }) => key)).toEqual(['a', 'c', 'b']);
    expect(fused[0]?.score).toBeCloseTo(1 / 61 + 1 / 62, 15);
    expect(fused[1]?.score).toBeCloseTo(1 / 63 + 1 / 61, 15);
    expect(fused[2]?.score).toBeCloseTo(1 / 62, 15);
    expect(fused.map(({ ranks }) => ranks)).toEqual([
      [1, 2],
      [3, 1],
      [2, undefined],
    ]);
  });

  it('lets a small k favour the top of a list', () => {
    const lists = [
      ['a', 'b'],
      ['c', 'b'],
    ];
    expect(fuse(lists, 60)[0]?.key).toBe('b');
    expect(fuse(lists, 0).map(({ key, score }) => [key, score])).toEqual([
      ['a', 1],
      ['c', 1],
      ['b', 1],
    ]);
  });

  it('counts a repeated key once, at its first rank', () => {
    expect(fuse([['a', 'a', 'b']]).map(({ key, ranks }) => [key, ...ranks])).toEqual([
      ['a', 1],
      ['b', 3],
    ]);
  });

  it('does not depend on the order of the lists', () => {
    const list = fc.uniqueArray(fc.constantFrom(...KEYS), { maxLength: 8 });
    fc.assert(
      fc.property(fc.array(list, { maxLength: 4 }), (lists) => {
        expect(order([...lists].reverse())).toEqual(order(lists));
      }),
    );
  });

  it('holds every key once, scores falling', () => {
    const list = fc.array(fc.constantFrom(...KEYS), { maxLength: 8 });
    fc.assert(
      fc.property(fc.array(list, { maxLength: 4 }), (lists) => {
        const fused = fuse(lists);
        expect(new Set(fused.map(({ key }) => key))).toEqual(new Set(lists.flat()));
        expect(fused).toHaveLength(new Set(lists.flat()).size);
        const scores = fused.map(({ score }) => score);
        expect(scores).toEqual([...scores].sort((a, b) => b - a));
      }),
    );
  });
});

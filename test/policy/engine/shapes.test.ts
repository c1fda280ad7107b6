import { describe, expect, it } from 'vitest';
import {
  bucketOf,
  CHUNK,
  COARSE_BUCKETS,
  FINE_BUCKETS,
  PREFILL_SLOTS,
  ringStart,
} from '../../../src/policy/engine/shapes.ts';

describe('the size that work is padded to', () => {
  it.each([
    [0, 4],
    [1, 4],
    [4, 4],
    [5, 10],
    [10, 10],
    // Beyond the table: the next multiple of its last.
    [11, 20],
    [20, 20],
    [21, 30],
  ])('of %i is %i in a table of 4 and 10', (count, wanted) => {
    expect(bucketOf([4, 10], count)).toBe(wanted);
  });
});

describe.each([
  ['WASM', FINE_BUCKETS],
  ['GPUs', COARSE_BUCKETS],
])('the sizes for %s', (_, { decode, prefill, capacity }) => {
  it.each([
    ['decode', decode],
    ['prefill', prefill],
    ['capacity', capacity],
  ])('rise: %s', (__, sizes) => {
    expect(sizes).not.toEqual([]);
    expect(sizes.every((size, i) => size > (sizes[i - 1] ?? 0))).toBe(true);
  });

  it('of decoding are multiples of four, so that every row is summed in one order', () => {
    expect(decode.map((size) => size % 4)).toEqual(decode.map(() => 0));
  });

  it('of slots divide each other: caches are copied in turns, not row by row', () => {
    for (const sizes of [decode, prefill])
      for (const [i, size] of sizes.slice(1).entries()) expect(size % (sizes[i] ?? 0)).toBe(0);
  });

  it('of stores hold whole turns of the ring', () => {
    expect(capacity.map((size) => size % CHUNK)).toEqual(capacity.map(() => 0));
  });

  it('of prefill end at the most sessions that one call reads for', () => {
    expect(prefill.at(-1)).toBe(PREFILL_SLOTS);
  });
});

describe('what a query reads from the ring', () => {
  it.each([
    [0, 0],
    [15, 0],
    [16, 0],
    [31, 0],
    [32, 16],
    [47, 16],
    [48, 32],
    [63, 32],
    [64, 48],
    [1000, 976],
  ])('at position %i begins at %i', (position, first) => {
    expect(ringStart(position)).toBe(first);
  });

  it('is never more than the ring holds, and half of it at least from there on', () => {
    for (let position = 0; position < 200; position++) {
      const held = position - ringStart(position) + 1;
      expect(held).toBeLessThanOrEqual(CHUNK);
      if (position >= CHUNK / 2) expect(held).toBeGreaterThan(CHUNK / 2);
    }
  });
});

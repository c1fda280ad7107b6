import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { microBatches, packBatch, shard } from '../../../src/policy/lora/train-batch.ts';

const sequence = (...ids: number[]) => ({ ids });
const lengths = fc.array(fc.integer({ min: 1, max: 9 }), { maxLength: 12 });
const sequencesOf = (list: readonly number[]) =>
  list.map((length, i) => ({ ids: Array.from({ length }, () => i) }));

describe('sequences end to end', () => {
  it('predict each weighted token from the row before it', () => {
    const batch = packBatch(
      [
        { ids: [5, 6, 7], weights: [9, 0, 2] },
        { ids: [8, 9], weights: [0, 0.5] },
      ],
      2,
    );
    expect(batch).toEqual({
      ids: Int32Array.of(5, 6, 7, 8, 9),
      lengths: Int32Array.of(3, 2),
      rows: Int32Array.of(1, 3),
      targets: Int32Array.of(7, 9),
      weights: Float32Array.of(4, 1),
    });
  });

  it('name their temperatures where one is not 1', () => {
    const warm = { ids: [1, 2], weights: [1, 1], temperature: 0.5 };
    const plain = { ids: [3, 4], weights: [1, 1] };
    expect(packBatch([warm, plain]).temperatures).toEqual(Float32Array.of(0.5, 1));
    expect(packBatch([plain])).not.toHaveProperty('temperatures');
  });

  it('need one weight per token, and a temperature to divide by', () => {
    expect(() => packBatch([{ ids: [1, 2], weights: [1] }])).toThrow('one weight per token');
    for (const temperature of [0, -1, Number.NaN])
      expect(() => packBatch([{ ids: [1], weights: [1], temperature }])).toThrow(RangeError);
  });
});

describe('micro-batches', () => {
  it('hold as many tokens as fit, in order', () => {
    const list = [sequence(1), sequence(2, 2), sequence(3, 3, 3), sequence(4)];
    expect(microBatches(list, 3)).toEqual([[list[0], list[1]], [list[2]], [list[3]]]);
    expect(microBatches(list, 7)).toEqual([list]);
    expect(microBatches([], 3)).toEqual([]);
    // A longer one is a run by itself.
    expect(microBatches(list, 3, 2)).toEqual(list.map((one) => [one]));
    expect(() => microBatches(list, 2)).toThrow('a sequence has 3 tokens, the limit is 2');
  });

  it('are full: the next sequence never fits', () => {
    fc.assert(
      fc.property(lengths, fc.integer({ min: 9, max: 20 }), (list, most) => {
        const sequences = sequencesOf(list);
        const runs = microBatches(sequences, most);
        expect(runs.flat()).toEqual(sequences);
        const sizes = runs.map((run) => run.reduce((sum, { ids }) => sum + ids.length, 0));
        sizes.forEach((size, i) => {
          expect(size).toBeLessThanOrEqual(most);
          const next = runs[i + 1]?.[0];
          if (next) expect(size + next.ids.length).toBeGreaterThan(most);
        });
      }),
    );
  });
});

describe('shares of workers', () => {
  it('go longest first to the least loaded', () => {
    const list = [sequence(0, 0), sequence(1, 1, 1, 1), sequence(2, 2, 2), sequence(3)];
    // 4 to the first, 3 to the second, 2 to the second, 1 to the first.
    expect(shard(list, 2)).toEqual([
      [list[1], list[3]],
      [list[2], list[0]],
    ]);
  });

  it('hold every sequence once and differ by one sequence at most', () => {
    fc.assert(
      fc.property(lengths, fc.integer({ min: 1, max: 4 }), (list, workers) => {
        const sequences = sequencesOf(list);
        const shards = shard(sequences, workers);
        expect(shards).toHaveLength(workers);
        expect(new Set(shards.flat())).toEqual(new Set(sequences));
        expect(shards.flat()).toHaveLength(sequences.length);
        const loads = shards.map((one) => one.reduce((sum, { ids }) => sum + ids.length, 0));
        expect(Math.max(...loads) - Math.min(...loads)).toBeLessThanOrEqual(Math.max(0, ...list));
      }),
    );
  });
});

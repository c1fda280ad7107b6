import { describe, expect, it } from 'vitest';
import { miniBatches } from '../../../src/learn/supervised/items.ts';

const PAIRS = Array.from({ length: 7 }, (_, i) => ({ chosen: i, rejected: 9 }));
const at = { seed: 3, step: 2, pass: 0 };

describe('mini-batches of pairs', () => {
  it('hold each pair once, as equally as can be', () => {
    const batches = miniBatches(PAIRS, 3, at);
    expect(batches.map(({ length }) => length).toSorted((a, b) => a - b)).toEqual([2, 2, 3]);
    const all = batches.flat().toSorted((a, b) => a.chosen - b.chosen);
    expect(all).toEqual(PAIRS);
    // WebThinker's A ≻ C, B ≻ C, A ≻ B, two at a time: two updates.
    expect(miniBatches(PAIRS.slice(0, 3), 2, at)).toHaveLength(2);
  });

  it('are all pairs at once, in their order, without a limit or within it', () => {
    expect(miniBatches(PAIRS, undefined, at)).toEqual([PAIRS]);
    expect(miniBatches(PAIRS, 7, at)).toEqual([PAIRS]);
    expect(miniBatches([], 2, at)).toEqual([]);
  });

  it('come in another order each pass and step, the same for a seed', () => {
    const orders = [at, { ...at, pass: 1 }, { ...at, step: 3 }].map((one) =>
      String(miniBatches(PAIRS, 3, one).flatMap((batch) => batch.map(({ chosen }) => chosen))),
    );
    expect(new Set(orders).size).toBe(3);
    expect(miniBatches(PAIRS, 3, at)).toEqual(miniBatches(PAIRS, 3, { ...at }));
  });
});

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { batchesByLength } from '../../../src/retrieval/encoder/batches.ts';
import { poolRows, unitRows } from '../../../src/retrieval/encoder/encoder.ts';
import { cutPair } from '../../../src/retrieval/encoder/template.ts';
import {
  encodedPassage,
  encodedQuery,
  pad,
  padRows,
} from '../../../src/retrieval/encoder/tokens.ts';
import { passage } from '../passages.ts';

describe('rows of tokens', () => {
  it('are padded to the longest, with a mask and segments', () => {
    const batch = padRows([{ ids: [5, 6, 7], types: [0, 1, 1] }, { ids: [8] }], 10, { padId: 9 });
    expect(batch).toEqual({
      rows: 2,
      length: 3,
      ids: Int32Array.of(5, 6, 7, 8, 9, 9),
      mask: Int32Array.of(1, 1, 1, 1, 0, 0),
      types: Int32Array.of(0, 1, 1, 0, 0, 0),
    });
  });

  it('are cut at the most that the model takes, or at the length that is given', () => {
    expect(pad([[1, 2, 3, 4]], 2)).toMatchObject({ length: 2, ids: Int32Array.of(1, 2) });
    expect(pad([[1, 2, 3, 4]], 9, 3)).toMatchObject({ length: 3, ids: Int32Array.of(1, 2, 3) });
    expect(pad([[1]], 9, 2)).toMatchObject({ ids: Int32Array.of(1, 0), mask: Int32Array.of(1, 0) });
    // A text without tokens is one token of padding: a model takes no empty row.
    expect(pad([[]], 9)).toMatchObject({ rows: 1, length: 1, mask: Int32Array.of(0) });
  });
});

describe('one vector of a text', () => {
  // Two texts of three tokens at most, two dimensions; the second has two tokens.
  const batch = pad(
    [
      [1, 2, 3],
      [4, 5],
    ],
    9,
  );
  const states = Float32Array.of(1, 10, 2, 20, 6, 0, 3, -1, 5, 7, 99, 99);
  it.each([
    ['mean', [3, 10, 4, 3]],
    ['max', [6, 20, 5, 7]],
    ['cls', [1, 10, 3, -1]],
    ['last', [6, 0, 5, 7]],
  ] as const)('by %s, never of its padding', (pooling, wanted) => {
    expect([...poolRows(states, batch, 2, pooling)]).toEqual(wanted);
  });

  it('is taken as it is where the model pools', () => {
    expect([...poolRows(Float32Array.of(1, 2, 3, 4), batch, 2, 'none')]).toEqual([1, 2, 3, 4]);
    expect(() => poolRows(states, batch, 2, 'none')).toThrow(
      'the encoder gave 12 values, expected 4',
    );
    expect(() => poolRows(states, batch, 3, 'mean')).toThrow('expected 18');
  });

  it('has length 1, and stays where it is 0', () => {
    expect([...unitRows(Float32Array.of(3, 4, 0, 0), 2)]).toEqual([
      expect.closeTo(0.6, 6),
      expect.closeTo(0.8, 6),
      0,
      0,
    ]);
  });
});

describe('a pair that is too long together', () => {
  it.each([
    [3, 4, 10, [3, 4]],
    [3, 4, 7, [3, 4]],
    [3, 9, 8, [3, 5]],
    [9, 3, 8, [5, 3]],
    [9, 9, 8, [4, 4]],
    [9, 9, 7, [3, 4]],
    [9, 8, 7, [4, 3]],
    [5, 5, 0, [0, 0]],
  ])('%i and %i tokens with room for %i', (a, b, most, kept) => {
    expect(cutPair(a, b, most)).toEqual(kept);
  });

  it('gives up tokens of the longer one, one by one', () => {
    const size = fc.nat(20);
    fc.assert(
      fc.property(size, size, size, (a, b, most) => {
        // The strategy as Hugging Face describes it.
        let [x, y] = [a, b];
        while (x + y > most) {
          if (x > y) x--;
          else y--;
        }
        const [first, second] = cutPair(a, b, most);
        expect(first + second).toBe(x + y);
        // Of equals either may give up the odd token.
        expect(Math.abs(first - x)).toBeLessThanOrEqual(1);
        expect(first).toBeLessThanOrEqual(a);
        expect(second).toBeLessThanOrEqual(b);
      }),
    );
  });
});

describe('runs of the model', () => {
  const rows = (lengths: readonly number[]) =>
    lengths.map((length) => ({ ids: Array.from({ length }, () => 1) }));

  it('hold texts of similar length, shortest first', () => {
    expect(batchesByLength(rows([5, 1, 3]), 9)).toEqual([[1, 2, 0]]);
    expect(batchesByLength([], 9)).toEqual([]);
  });

  it('hold at most 32 texts and 8,192 tokens with padding', () => {
    expect(
      batchesByLength(rows(Array.from({ length: 70 }, () => 2)), 9).map((b) => b.length),
    ).toEqual([32, 32, 6]);
    // 16 of 512 are 8,192.
    expect(
      batchesByLength(rows(Array.from({ length: 20 }, () => 512)), 512).map((b) => b.length),
    ).toEqual([16, 4]);
    // What is cut counts as cut.
    expect(batchesByLength(rows(Array.from({ length: 20 }, () => 900)), 256)).toHaveLength(1);
    // One that is longer than a run may be is a run of its own.
    expect(batchesByLength(rows([9000, 9000, 1]), 10_000)).toEqual([[2], [0], [1]]);
  });
});

describe('a text as an encoder reads it', () => {
  const old = passage('a', 'Old Wolf', 'It is a book.');
  it('has the prefix of its model, and title and text', () => {
    const e5 = { layout: 'plain', passagePrefix: 'passage: ', queryPrefix: 'query: ' } as const;
    expect(encodedPassage(old, e5)).toBe('passage: Old Wolf It is a book.');
    expect(encodedPassage({ ...old, title: '' }, e5)).toBe('passage: It is a book.');
    expect(encodedQuery('  who? ', e5)).toBe('query: who?');
  });

  it('begins with a space for the built-in one', () => {
    const forage = { layout: 'forage', passagePrefix: '', queryPrefix: '' } as const;
    expect(encodedPassage(old, forage)).toBe(' Old Wolf : It is a book.');
    expect(encodedQuery('  who? ', forage)).toBe(' who?');
  });
});

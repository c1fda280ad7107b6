import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  aggregatedDifference,
  difference,
  overlap,
  checkValidity,
  describeValidity,
} from '../../../src/agent/stie.ts';

const DELTAS = [0.25, 0.5, 0.75] as const;
const text = (value: string): { text: string; tokens: string[] } => ({
  text: value,
  tokens: value.split(' '),
});

describe('equations (6)–(8)', () => {
  it('(6): overlap is the share of the current words that the earlier text has', () => {
    // {new, york, city} ∩ {york, city, hall} = 2 of 3
    expect(overlap(['new', 'york', 'city'], ['york', 'city', 'hall'], 'sets')).toBeCloseTo(2 / 3);
    // the other way round the denominator is the other text's
    expect(overlap(['york'], ['new', 'york'], 'sets')).toBe(1);
    expect(overlap(['new', 'york'], ['york'], 'sets')).toBe(0.5);
  });

  it('(6): bags count repeated words, sets do not', () => {
    // bags: min(2,1) = 1 of 3; sets: {a} of {a, b}
    expect(overlap(['a', 'a', 'b'], ['a', 'c'], 'bags')).toBeCloseTo(1 / 3);
    expect(overlap(['a', 'a', 'b'], ['a', 'c'], 'sets')).toBe(0.5);
  });

  it('(6): a text without words overlaps nothing', () => {
    expect(overlap([], ['a'], 'sets')).toBe(0);
  });

  it('(7) and (8): difference is one minus overlap, the aggregate is the least', () => {
    expect(difference(['a', 'b', 'c', 'd'], ['a'], 'sets')).toBe(0.75);
    expect(aggregatedDifference([0.75, 0.25, 0.5])).toBe(0.25);
    expect(aggregatedDifference([])).toBeNull();
  });

  it('overlap lies in [0, 1] and is 1 with itself', () => {
    const bag = fc.array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(bag, bag, fc.constantFrom<'sets' | 'bags'>('sets', 'bags'), (a, b, form) => {
        const value = overlap(a, b, form);
        expect(value).toBeGreaterThanOrEqual(0);
        expect(value).toBeLessThanOrEqual(1);
        expect(overlap(a, a, form)).toBe(1);
      }),
    );
  });
});

describe('equation (9)', () => {
  it('holds each lag to its own threshold', () => {
    // history oldest first; Diff: lag 1 = 1 − 3/4 = 0.25, lag 2 = 0.5, lag 3 = 0.75: all just enough
    const history = [text('a x y z'), text('a b x y'), text('a b c x')];
    const result = checkValidity(text('a b c d'), history, DELTAS, 'sets');
    expect(result.checks.map((c) => [c.lag, c.diff, c.threshold, c.passed])).toEqual([
      [1, 0.25, 0.25, true],
      [2, 0.5, 0.5, true],
      [3, 0.75, 0.75, true],
    ]);
    expect(result).toMatchObject({ aggDiff: 0.25, valid: true });
  });

  it.each([
    // one word more in common at one lag only
    [['a x y z', 'a b x y', 'a b c d'], 1, 0, 0.25],
    [['a x y z', 'a b c y', 'a b c x'], 2, 0.25, 0.5],
    [['a b y z', 'a b x y', 'a b c x'], 3, 0.5, 0.75],
  ])('fails on %j at lag %i', (texts, lag, diff, threshold) => {
    const result = checkValidity(text('a b c d'), texts.map(text), DELTAS, 'sets');
    expect(result.valid).toBe(false);
    expect(result.checks.filter((c) => !c.passed)).toMatchObject([{ lag, diff, threshold }]);
    expect(describeValidity(result, 'answer')).toContain(`differs ${diff.toFixed(2)}`);
  });

  it('leaves out lags beyond the history', () => {
    expect(checkValidity(text('a'), [], DELTAS, 'sets')).toEqual({
      checks: [],
      aggDiff: null,
      valid: true,
    });
    expect(checkValidity(text('a'), [text('b')], DELTAS, 'sets').checks).toHaveLength(1);
  });

  it('does not look further back than three', () => {
    const history = ['a', 'x', 'y', 'z'].map(text);
    expect(checkValidity(text('a'), history, DELTAS, 'sets').valid).toBe(true);
  });
});

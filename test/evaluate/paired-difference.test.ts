import { describe, expect, test } from 'vitest';
import { normalQuantile } from '../../src/base/statistics.ts';
import { bootstrapMean } from '../../src/evaluate/bootstrap.ts';
import { changeInterval, headlineOf } from '../../src/evaluate/held-out-scores.ts';
import { hierarchicalBootstrap } from '../../src/evaluate/hierarchical.ts';
import { differenceOf, pairedDifference, twice } from '../../src/evaluate/paired-difference.ts';

const EXACT = { binary: true };
const none = (mean: number) => ({ mean, low: null, high: null });

/** To five places. */
const rounded = (found: ReturnType<typeof pairedDifference>): (number | null | undefined)[] =>
  [found?.mean, found?.low, found?.high].map((value) =>
    typeof value === 'number' ? Math.round(value * 1e5) / 1e5 : value,
  );

describe('Bonett and Price’s interval of paired proportions', () => {
  test('hand-worked: of 21 patients 1 changed one way and 7 the other (Fagerland, Lydersen and Laake 2014, table V)', () => {
    // 2/23 − 8/23 = −0.26087; the root of (10/23 − 0.06805)/23 is 0.12627, times 1.96 is 0.24749.
    const [low, high] = changeInterval(1, 7, 21);
    expect(low).toBeCloseTo(-0.50836, 4);
    expect(high).toBeCloseTo(-0.01338, 4);
  });

  test('ends where shares do', () => {
    // 4/5 − 1/5 = 0.6, ± 1.96 √((1 − 0.36)/5) = 0.70123: past 1.
    const [low, high] = changeInterval(3, 0, 3);
    expect(low).toBeCloseTo(-0.10123, 5);
    expect(high).toBe(1);
    expect(changeInterval(0, 3, 3)).toEqual([-1, -low]);
  });

  test('of another level, by the quantile of a table', () => {
    for (const [p, x] of [
      [0.5, 0],
      [0.8413447461, 1],
      [0.95, 1.6448536],
      [0.975, 1.959964],
      [0.995, 2.5758293],
      [0.025, -1.959964],
      [0.9999, 3.7190165],
    ] as const)
      expect(normalQuantile(p)).toBeCloseTo(x, 6);
    // ± 1.64485 √((2/6)/6)
    expect(changeInterval(0, 0, 4, 0.9)[1]).toBeCloseTo(0.3877, 4);
  });
});

describe('paired differences', () => {
  test('second less first, question by question, of lists of one length', () => {
    // Pairing takes out what the questions have in common, whatever its size.
    expect(differenceOf([0, 10, 1000], [1, 11, 1001])).toEqual(none(1));
    expect(differenceOf([0, 1], [1, 0], { level: 0.6 })).toEqual({ mean: 0, low: -1, high: 1 });
    expect(() => differenceOf([1], [1, 2])).toThrow('1 and 2 questions');
    expect(() => differenceOf([1, 2], [])).toThrow(RangeError);
    expect(() => pairedDifference([[[1, 2]], [[1]]])).toThrow(RangeError);
    expect(differenceOf([], [])).toBeNull();
    expect(pairedDifference([])).toBeNull();
    expect(pairedDifference([[[], []]])).toBeNull();
  });

  test('are resampled where they vary, right or wrong as well as others', () => {
    const values = [1, 0, 0, 0.5, -1, 0];
    const zeros = values.map(() => 0);
    expect(differenceOf(zeros, values, EXACT)).toEqual(bootstrapMean(values));
    const seeds = [
      [values, [1]],
      [zeros, [0]],
    ];
    expect(pairedDifference(seeds, EXACT)).toEqual(hierarchicalBootstrap(seeds));
    // One question, of which seeds differ: they are what is resampled.
    expect(pairedDifference([[[1]], [[0]]], EXACT)).toEqual({ mean: 0.5, low: 0, high: 1 });
  });

  test('that are all equal say of right answers what the headline of a run says', () => {
    // 0 ± 1.96 √((1/6 + 1/6)/6)
    expect(rounded(differenceOf([0, 0, 1, 1], [0, 0, 1, 1], EXACT))).toEqual([
      0, -0.46198, 0.46198,
    ]);
    const score = (n: number) => ({
      em: 0,
      f1: 0,
      recall: null,
      searches: 1,
      n,
      questions: Array.from({ length: n }, (_, i) => ({ id: `q${i}`, em: 0, f1: 0 })),
    });
    const headline = (n: number) =>
      headlineOf([
        { step: 1, heldOutAtStart: score(n), heldOut: score(n) },
      ] as unknown as Parameters<typeof headlineOf>[0])?.paired;
    const { low, high } = differenceOf([0, 0, 0, 0], [0, 0, 0, 0], EXACT) ?? {};
    expect(headline(4)?.interval).toEqual([low, high]);
    expect(headline(1)).toEqual({ gained: 0, lost: 0, change: 0, interval: null });
    // Three lost, none gained: −0.6 ± 0.70123, not below −1.
    expect(rounded(differenceOf([1, 1, 1], [0, 0, 0], EXACT))).toEqual([-1, -1, 0.10123]);
  });

  test('that are all equal fractions count as that part of a question', () => {
    // Half of each of two questions gained: (1 + 1)/4 up, 1/4 down; 0.25 ± 1.96 √((0.75 − 0.0625)/4).
    expect(rounded(differenceOf([0, 0.5], [0.5, 1], EXACT))).toEqual([0.5, -0.56257, 1]);
    // In 30 questions: 16/32 − 1/32 ± 1.96 √((17/32 − (15/32)²)/32), as where 15 of 30 flip.
    const half = Array.from({ length: 30 }, () => 0.5);
    const zeros = half.map(() => 0);
    expect(rounded(differenceOf(zeros, half, EXACT))).toEqual([0.5, 0.27536, 0.66214]);
  });

  test('that differ by rounding alone are equal', () => {
    const [a, b] = [
      [1 / 3, 2 / 3],
      [2 / 3, 1],
    ];
    expect(2 / 3 - 1 / 3).not.toBe(1 - 2 / 3);
    expect(differenceOf(a, b)?.low).toBeNull();
    // (2/3 + 1)/4 − 1/4 ± 1.96 √((2/3 − 1/36)/4)
    expect(rounded(differenceOf(a, b, EXACT))).toEqual([0.33333, -0.61665, 0.94999]);
  });

  test('of anything else that are all equal, and of one question, have no interval', () => {
    expect(differenceOf([0.2, 0.4], [0.2, 0.4])).toEqual(none(0));
    expect(differenceOf([1, 1, 1, 1], [3, 3, 3, 3])).toEqual(none(2));
    expect(differenceOf([1], [0], EXACT)).toEqual(none(-1));
    expect(pairedDifference([[[0.5]], [[0.5]]], EXACT)).toEqual(none(0.5));
    expect(twice(none(0.25))).toEqual(none(0.5));
    expect(twice({ mean: 1, low: 0, high: 2 })).toEqual({ mean: 2, low: 0, high: 4 });
  });

  test('equal within each world: worlds count alike, and so a small one as much as a large one', () => {
    // Two worlds of two: as four questions of one.
    expect(
      rounded(
        pairedDifference(
          [
            [
              [0, 0],
              [0, 0],
            ],
          ],
          EXACT,
        ),
      ),
    ).toEqual([0, -0.46198, 0.46198]);
    // Of three and of one: 2² / (1/3 + 1) = 3 questions. Their mean is ½: 1.5 gained, 2.5/5 − 1/5 ± 1.96 √((0.7 − 0.09)/5).
    expect(rounded(pairedDifference([[[1, 1, 1], [0]]], EXACT))).toEqual([0.5, -0.3846, 0.9846]);
    // A world without a question is none.
    expect(pairedDifference([[[], [1, 1, 1]]], EXACT)).toEqual(
      pairedDifference([[[1, 1, 1]]], EXACT),
    );
    expect(pairedDifference([[[1, 1, 1], [0]]])).toEqual(none(0.5));
  });

  test('from a value: the share has Wilson’s interval', () => {
    // Five of five wrong, less 0.1: 1.96² / (5 + 1.96²) is the upper end.
    const found = pairedDifference([[[-0.1, -0.1, -0.1, -0.1, -0.1]]], { binary: true, than: 0.1 });
    expect(rounded(found)).toEqual([-0.1, -0.1, 0.33449]);
    expect(pairedDifference([[[-0.1, -0.1]]], { than: 0.1 })).toEqual(none(-0.1));
  });
});

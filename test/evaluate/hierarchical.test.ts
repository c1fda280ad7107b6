import { describe, expect, test } from 'vitest';
import { hierarchicalBootstrap } from '../../src/evaluate/hierarchical.ts';

/** All ways to draw `n` of n places with replacement. */
function draws(n: number): number[][] {
  let lists: number[][] = [[]];
  for (let i = 0; i < n; i++)
    lists = lists.flatMap((list) => Array.from({ length: n }, (_, k) => [...list, k]));
  return lists;
}

const average = (list: readonly number[]): number => list.reduce((a, b) => a + b, 0) / list.length;

/**
 * The whole distribution that resampling draws from, by counting every draw of seeds and of each
 * world's questions: value to probability.
 */
function exact(seeds: readonly (readonly (readonly number[])[])[]): [number, number][] {
  const sizes = seeds[0]!.map((world) => world.length);
  let drawn: number[][][] = [[]];
  for (const size of sizes)
    drawn = drawn.flatMap((list) => draws(size).map((one) => [...list, one]));
  const counts = new Map<number, number>();
  for (const chosen of draws(seeds.length))
    for (const questions of drawn) {
      const value = average(
        sizes.map((_, w) =>
          average(questions[w]!.map((q) => average(chosen.map((s) => seeds[s]![w]![q]!)))),
        ),
      );
      const key = Math.round(value * 1e9) / 1e9;
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
  const total = [...counts.values()].reduce((a, b) => a + b, 0);
  return [...counts]
    .map(([v, n]): [number, number] => [v, n / total])
    .toSorted(([a], [b]) => a - b);
}

const below = (distribution: readonly [number, number][], q: number): number => {
  let sum = 0;
  for (const [value, share] of distribution) if ((sum += share) >= q) return value;
  return NaN;
};

describe('intervals over seeds and questions', () => {
  test('hand-worked: two seeds, one world, two questions, of which one differs in one seed', () => {
    // Seed a: 1, 0. Seed b: 0, 0. Drawn aa, ab, ba, bb; question 1 drawn 2, 1, 1, 0 times of 2:
    // aa gives 1, ½, ½, 0; ab and ba give ½, ¼, ¼, 0; bb gives 0. So P(0) = (1 + 2 + 4)/16 = 7/16,
    // P(¼) = 4/16, P(½) = (2 + 2)/16, P(1) = 1/16.
    const values = [[[1, 0]], [[0, 0]]];
    expect(exact(values)).toEqual([
      [0, 7 / 16],
      [0.25, 4 / 16],
      [0.5, 4 / 16],
      [1, 1 / 16],
    ]);
    const at = (level: number) => hierarchicalBootstrap(values, { level, resamples: 4000 });
    expect(at(0.95)).toEqual({ mean: 0.25, low: 0, high: 1 });
    // 10 % above: P(1) = 6 % lies beyond, P(½) spans it.
    expect(at(0.8)).toEqual({ mean: 0.25, low: 0, high: 0.5 });
    // 40 % above: P(½) and P(1) are 31 %, P(¼) spans it.
    expect(at(0.2)).toEqual({ mean: 0.25, low: 0, high: 0.25 });
  });

  test.each([
    [[[[1, -1, 0]], [[2, 0, 1]]]],
    [
      [
        [
          [1, 0],
          [0, 0.5],
        ],
        [
          [0, 1],
          [1, 0.5],
        ],
      ],
    ],
    [[[[0.2, 0.9, -0.4]], [[0.1, 0.3, 0.5]], [[-0.7, 0.2, 0.6]]]],
  ])('the quantiles of the whole distribution, counted out: %j', (seeds) => {
    const distribution = exact(seeds);
    for (const level of [0.9, 0.7, 0.5]) {
      const { low, high, mean } = hierarchicalBootstrap(seeds, {
        level,
        resamples: 20_000,
        seed: 3,
      });
      // Resampling misses a quantile by little in probability, so that neighbours of it are allowed.
      const [tail, slack] = [(1 - level) / 2, 0.015];
      expect(low).toBeGreaterThanOrEqual(below(distribution, tail - slack) - 1e-8);
      expect(low).toBeLessThanOrEqual(below(distribution, tail + slack) + 1e-8);
      expect(high).toBeGreaterThanOrEqual(below(distribution, 1 - tail - slack) - 1e-8);
      expect(high).toBeLessThanOrEqual(below(distribution, 1 - tail + slack) + 1e-8);
      expect(mean).toBeCloseTo(average(seeds.flatMap((s) => average(s.map(average)))), 12);
    }
  });

  test('seeds share the draw of questions: opposite seeds leave nothing to vary', () => {
    // Each question's mean over the two seeds is 0; with both seeds drawn the mean is 0 whatever the
    // questions, with one of them twice it is ±(share of the first question) ∓ … and never beyond 1.
    const opposite = [[[1, -1]], [[-1, 1]]];
    const distribution = exact(opposite);
    // ab and ba: 0 for all; aa and bb: ±1 where a question is drawn twice, else 0.
    expect(distribution).toEqual([
      [-1, 2 / 16],
      [0, 12 / 16],
      [1, 2 / 16],
    ]);
    expect(hierarchicalBootstrap(opposite, { level: 0.6 })).toEqual({ mean: 0, low: 0, high: 0 });
    expect(hierarchicalBootstrap(opposite, { level: 0.95 })).toEqual({ mean: 0, low: -1, high: 1 });
  });

  test('worlds count alike whatever their size, and are kept', () => {
    const one = hierarchicalBootstrap([[[1, 1, 1, 1, 1, 1], [0]]]);
    expect(one).toEqual({ mean: 0.5, low: 0.5, high: 0.5 });
    // A world without a question says nothing.
    expect(hierarchicalBootstrap([[[], [0.25]]])).toEqual({ mean: 0.25, low: 0.25, high: 0.25 });
    expect(hierarchicalBootstrap([])).toEqual({ mean: 0, low: 0, high: 0 });
  });

  test('one seed leaves the questions; the same seed of the draw gives the same numbers', () => {
    // Four questions, two right: binomial over 4.
    const { low, high } = hierarchicalBootstrap([[[1, 1, 0, 0]]], { level: 0.5 });
    expect([low, high]).toEqual([0.25, 0.75]);
    const values = [[[0.3, 0.8, 0.1, 0.9]], [[0.7, 0.2, 0.4, 0.6]]];
    expect(hierarchicalBootstrap(values)).toEqual(
      hierarchicalBootstrap(values, { seed: 0, resamples: 2000 }),
    );
    expect(hierarchicalBootstrap(values, { seed: 1 })).not.toEqual(hierarchicalBootstrap(values));
  });

  test('seeds of other questions are refused', () => {
    expect(() => hierarchicalBootstrap([[[1, 2]], [[1]]])).toThrow(RangeError);
  });
});

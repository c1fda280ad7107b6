import { describe, expect, test } from 'vitest';
import {
  dot,
  findNearest,
  halfNorms,
  setNearest,
  emptyNearest,
  takeRows,
} from '../../../../src/retrieval/cluster/partition/nearest.ts';
import { squaredDistance } from '../../../../src/retrieval/cluster/partition/kmeans.ts';
import { nearestSteps } from '../../../../src/retrieval/cluster/partition/steps.ts';
import { Refinement } from '../../../../src/retrieval/cluster/partition/refinement.ts';
import { ClusterKernels } from '../../../../src/retrieval/cluster/kernels/kernels.ts';

describe('inner products', () => {
  // 1·9 + 2·8 + 3·7 + … of the first d places.
  test.each([
    [0, 0],
    [1, 9],
    [2, 25],
    [3, 46],
    [4, 70],
    [5, 95],
    [6, 119],
    [7, 140],
    [8, 156],
    [9, 165],
  ])('of %i numbers, from any place: %i', (d, expected) => {
    const rising = [1, 2, 3, 4, 5, 6, 7, 8, 9].slice(0, d);
    const falling = [9, 8, 7, 6, 5, 4, 3, 2, 1].slice(0, d);
    expect(dot(Float32Array.from(rising), 0, Float32Array.from(falling), 0, d)).toBe(expected);
    const a = Float32Array.of(50, 60, ...rising, 70);
    const b = Float32Array.of(80, ...falling, 90);
    expect(dot(a, 2, b, 1, d)).toBe(expected);
  });

  test('behind the end is nothing that counts', () => {
    const short = Float32Array.of(1, 2, 3);
    expect(dot(short, 0, short, 0, 4)).toBeNaN();
    expect(squaredDistance(short, 1, short, 0, 3)).toBeNaN();
  });

  test('squared distances are by differences', () => {
    const a = Float32Array.of(9, 1, 5);
    expect(squaredDistance(a, 1, Float32Array.of(9, 9, 4, 3), 2, 2)).toBe(9 + 4);
    expect(squaredDistance(a, 0, a, 0, 3)).toBe(0);
  });

  test('half the squared length of rows', () => {
    expect([...halfNorms({ values: Float32Array.of(3, 4, 1, 0, 0, 0), dimensions: 2 })]).toEqual([
      12.5, 0.5, 0,
    ]);
  });
});

describe('the two nearest', () => {
  test.each([1, 2, 3, 4, 5, 7, 8, 9])('of %i centroids on a line', (k) => {
    // Centroids at 0, 10, 20, … with a second number of 1; points a little above each.
    const centroids = {
      values: Float32Array.from({ length: 2 * k }, (_, i) => (i % 2 === 0 ? 5 * i : 1)),
      dimensions: 2,
    };
    const points = {
      values: Float32Array.from({ length: 2 * k }, (_, i) => (i % 2 === 0 ? 5 * i + 2 : 1)),
      dimensions: 2,
    };
    const { labels, distances, seconds } = findNearest(points, centroids);
    expect([...labels]).toEqual([...Array(k).keys()]);
    expect([...distances]).toEqual(Array(k).fill(4));
    // The one above is 8 away; of the last point, the one below is 12 away.
    const expected = Array<number>(k).fill(64);
    expected[k - 1] = k === 1 ? Infinity : 144;
    expect([...seconds]).toEqual(expected);
  });

  test('equal centroids: the first is the nearest, and the second is as near', () => {
    const table = (...values: number[]) => ({ values: Float32Array.from(values), dimensions: 1 });
    const { labels, distances, seconds } = findNearest(table(2), table(0, 3, 3, 3));
    expect([labels[0], distances[0], seconds[0]]).toEqual([1, 1, 1]);
    expect(findNearest(table(2), table(3, 4, 5)).seconds[0]).toBe(4);
  });

  test('a distance is not below zero, however it was rounded', () => {
    const nearest = emptyNearest(2);
    setNearest(nearest, 1, { label: 5, best: 0.75, second: 0.625 }, 1);
    expect([...nearest.labels]).toEqual([0, 5]);
    expect([...nearest.distances]).toEqual([0, 0]);
    expect([...nearest.seconds]).toEqual([0, 0]);
    setNearest(nearest, 0, { label: 2, best: 0.25, second: -0.5 }, 1);
    expect([nearest.distances[0], nearest.seconds[0]]).toEqual([0.5, 2]);
  });
});

test('rows are copied in the order of the list', () => {
  const table = { values: Float32Array.of(1, 2, 3, 4, 5, 6), dimensions: 2 };
  const taken = takeRows(table, Int32Array.of(2, 0, 2));
  expect(taken).toEqual({ values: Float32Array.of(5, 6, 1, 2, 5, 6), dimensions: 2 });
  taken.values[0] = 9;
  expect(table.values[4]).toBe(5);
});

test('block by block the same is found, with a turn before each', () => {
  // 800,000 numbers of centroids: 5e7 / 8e5 = 62.5 rows at a time, but 64 at least.
  const wide = { values: new Float32Array(800_000), dimensions: 2 };
  const points = (n: number) => ({ values: new Float32Array(n * 2), dimensions: 2 });
  const asked: number[] = [];
  const steps = nearestSteps(points(2 * 64 + 3), wide, (rows) => {
    const n = rows.values.length / 2;
    asked.push(n);
    const at = asked.length;
    return {
      labels: new Int32Array(n).fill(at),
      distances: new Float32Array(n).fill(10 * at),
      seconds: new Float32Array(n).fill(100 * at),
    };
  });
  const turns: number[][] = [];
  let step = steps.next();
  for (; step.done !== true; step = steps.next()) turns.push([...asked]);
  expect(turns).toEqual([[], [64], [64, 64]]);
  expect(asked).toEqual([64, 64, 3]);
  const of = (...blocks: number[]) =>
    blocks.flatMap((each, i) => Array<number>([64, 64, 3][i]!).fill(each));
  expect([...step.value.labels]).toEqual(of(1, 2, 3));
  expect([...step.value.distances]).toEqual(of(10, 20, 30));
  expect([...step.value.seconds]).toEqual(of(100, 200, 300));
});

describe('refinement, by hand', () => {
  test('8 bits: whole 127ths of the largest error', () => {
    const refinement = new Refinement(8, 3, 2);
    // A step of 0.5: 63.5 is 127 of them, −20 is −40, 0.2 is none, 0.3 is one.
    refinement.set(1, Float32Array.of(99, 63.5, -20, 0.3, 99), 1);
    expect([...refinement.codes]).toEqual([0, 0, 0, 127, -40, 1]);
    expect([...refinement.scales]).toEqual([0, 0.5]);
    expect(refinement.dot(Float32Array.of(1, 10, 100), 1)).toBe(63.5 - 200 + 50);
    expect(refinement.dot(Float32Array.of(1, 10, 100), 0)).toBe(0);
    const out = Float32Array.of(1, 1, 1);
    refinement.decodeInto(1, out);
    expect([...out]).toEqual([64.5, -19, 1.5]);
    expect([refinement.width, refinement.bytes]).toEqual([3, 6 + 8]);
  });

  test('8 bits of an even number of dimensions', () => {
    const refinement = new Refinement(8, 2, 1);
    refinement.set(0, Float32Array.of(-127, 64), 0);
    expect([...refinement.codes]).toEqual([-127, 64]);
    expect(refinement.dot(Float32Array.of(2, 3), 0)).toBe(-254 + 192);
  });

  test('4 bits: whole sevenths, two to a byte, eight added', () => {
    const refinement = new Refinement(4, 3, 2);
    // A step of 2: 14 is 7, −6 is −3, 2 is 1.
    refinement.set(1, Float32Array.of(14, -6, 2), 0);
    // 7 + 8 below and (−3 + 8) · 16 above; 1 + 8 below and 8 · 16 above, as a signed byte.
    const bytes = [...new Uint8Array(refinement.codes.buffer)];
    expect(bytes).toEqual([0, 0, 15 + 5 * 16, 9 + 8 * 16]);
    expect(refinement.scales[1]).toBe(2);
    expect(refinement.dot(Float32Array.of(1, 10, 100), 1)).toBe(14 - 60 + 200);
    const out = new Float32Array(3);
    refinement.decodeInto(1, out);
    expect([...out]).toEqual([14, -6, 2]);
    expect([refinement.width, refinement.bytes]).toEqual([2, 4 + 8]);
  });

  test('4 bits of an even number of dimensions, with the most negative code', () => {
    const refinement = new Refinement(4, 4, 1);
    refinement.set(0, Float32Array.of(-7, 1, 0, -2), 0);
    expect(refinement.dot(Float32Array.of(1, 10, 100, 1000), 0)).toBe(-7 + 10 - 2000);
    const out = new Float32Array(4);
    refinement.decodeInto(0, out);
    expect([...out]).toEqual([-7, 1, 0, -2]);
    expect(refinement.bytes).toBe(2 + 4);
  });

  test.each([4, 8] as const)('%i bits of no error are no error', (bits) => {
    const refinement = new Refinement(bits, 3, 1);
    refinement.set(0, new Float32Array(3), 0);
    expect(refinement.scales[0]).toBe(0);
    const out = Float32Array.of(1, 2, 3);
    refinement.decodeInto(0, out);
    expect([...out]).toEqual([1, 2, 3]);
    expect(refinement.dot(out, 0)).toBe(0);
  });
});

describe('kernels', () => {
  test('tables of different sizes, one after another, in memory that grows', async () => {
    const kernels = await ClusterKernels.start();
    for (const [n, k, d] of [
      [3, 1, 1],
      [2048, 9, 40],
      [2049, 8, 2],
      [4097, 16, 3],
    ] as const) {
      const whole = (length: number, step: number) =>
        Float32Array.from({ length }, (_, i) => ((i * step) % 13) - 6);
      const points = { values: whole(n * d, 5), dimensions: d };
      const centroids = { values: whole(k * d, 7), dimensions: d };
      expect(kernels.nearest(points, centroids)).toEqual(findNearest(points, centroids));
    }
  });

  test('inner products with every row of a large table', async () => {
    const kernels = await ClusterKernels.start();
    // 40,000 rows of 20 are 3.2 MB, which the first two pages of memory cannot hold.
    const values = Float32Array.from({ length: 800_000 }, (_, i) => (i % 7) - 3);
    const scores = kernels.table(values, 20);
    for (const query of [2, -1]) {
      const found = scores(new Float32Array(20).fill(query));
      expect(found).toHaveLength(40_000);
      for (const row of [0, 1, 2, 39_999]) {
        let expected = 0;
        for (let i = 0; i < 20; i++) expected += query * (((row * 20 + i) % 7) - 3);
        expect(found[row]).toBe(expected);
      }
    }
  });
});

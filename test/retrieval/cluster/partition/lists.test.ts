import { describe, expect, test } from 'vitest';
import { findNearest, type Rows } from '../../../../src/retrieval/cluster/partition/nearest.ts';
import {
  assignSteps,
  dissolveSmall,
  invert,
} from '../../../../src/retrieval/cluster/partition/partition.ts';
import { ProductQuantizer } from '../../../../src/retrieval/cluster/partition/product-quantizer.ts';
import { finish, paced } from '../../../../src/retrieval/cluster/partition/steps.ts';

const line = (...values: number[]): Rows => ({
  values: Float32Array.from(values),
  dimensions: 1,
});

describe('lists of clusters', () => {
  test('documents by cluster, rising in each', () => {
    expect(invert(Int32Array.of(2, 0, 2, 3, 0), 5)).toEqual({
      rows: Int32Array.of(1, 4, 0, 2, 3),
      offsets: Int32Array.of(0, 2, 2, 4, 5, 5),
    });
  });

  test('the small ones dissolve, the smaller half of them at a time', () => {
    // Centroids 0, 10, 20, 30 with 3, 1, 2 and 1 rows; below 2 are the second and the fourth, of which
    // the second goes; its row at 14 goes to 20. Then the fourth: its row at 31 goes to 20 as well.
    const points = line(0, 1, 2, 14, 20, 21, 31);
    const labels = Int32Array.of(0, 0, 0, 1, 2, 2, 3);
    const centroids = line(0, 10, 20, 30);
    const dissolved = (minimum: number) => {
      const found = dissolveSmall(points, centroids, labels, minimum, findNearest);
      return { ...found, centroids: [...found.centroids.values], labels: [...found.labels] };
    };
    expect(dissolved(1)).toEqual({ centroids: [0, 10, 20, 30], labels: [...labels], dissolved: 0 });
    expect(dissolved(2)).toEqual({
      centroids: [0, 20],
      labels: [0, 0, 0, 1, 1, 1, 1],
      dissolved: 2,
    });
    // Three are below 3; two of them, those of one row, go at once, and 20 has then four.
    expect(dissolved(3)).toMatchObject({ centroids: [0, 20], dissolved: 2 });
    // Below 5 both: the smaller goes, and the last one stays whatever its size.
    expect(dissolved(5)).toEqual({ centroids: [20], labels: Array(7).fill(0), dissolved: 3 });
    expect(dissolved(100)).toEqual({ centroids: [20], labels: Array(7).fill(0), dissolved: 3 });
  });

  test('of the same size the first goes first; where both of two are small one stays', () => {
    const found = dissolveSmall(line(0, 10), line(0, 10), Int32Array.of(0, 1), 5, findNearest);
    expect([...found.centroids.values]).toEqual([10]);
    expect([...found.labels]).toEqual([0, 0]);
    // Three small ones: two of three go at once.
    const three = dissolveSmall(
      line(0, 10, 20),
      line(0, 10, 20),
      Int32Array.of(0, 1, 2),
      2,
      findNearest,
    );
    expect([...three.centroids.values]).toEqual([20]);
    expect(three.dissolved).toBe(2);
  });

  test('rows find their clusters block by block, 8,192 at a time', () => {
    const n = 8192 + 5;
    const points = {
      values: Float32Array.from({ length: 2 * n }, (_, i) => (i % 2 ? i % 3 : 0)),
      dimensions: 2,
    };
    const centroids = { values: Float32Array.of(0, 0, 0, 1, 0, 2), dimensions: 2 };
    const seen: number[] = [];
    const labels = finish(assignSteps(points, centroids, findNearest, (done) => seen.push(done)));
    expect(seen).toEqual([8192, n]);
    for (const row of [0, 1, 2, 8191, 8192, n - 1]) expect(labels[row]).toBe((2 * row + 1) % 3);
    expect(labels).toHaveLength(n);
    const exact: number[] = [];
    const whole = { values: new Float32Array(8192), dimensions: 1 };
    finish(assignSteps(whole, line(0), findNearest, (done) => exact.push(done)));
    expect(exact).toEqual([8192]);
  });
});

test('steps are paced: a pause after each', async () => {
  const log: string[] = [];
  function* steps(): Generator<undefined, string> {
    log.push('one');
    yield;
    log.push('two');
    yield;
    return 'done';
  }
  const pause = async () => void log.push('pause');
  expect(await paced(steps(), pause)).toBe('done');
  expect(log).toEqual(['one', 'pause', 'two', 'pause']);
  expect(finish(steps())).toBe('done');
});

describe('product quantization, by hand', () => {
  // Two subspaces of two numbers: centroid c of the first stands for (c, −c), of the second for (2c, 1).
  const codebook = Float32Array.from({ length: 1024 }, (_, i) => {
    const [second, c, odd] = [i >= 512, (i >> 1) % 256, i % 2 === 1];
    return second ? (odd ? 1 : 2 * c) : odd ? -c : c;
  });
  const quantizer = new ProductQuantizer(4, 2, codebook);

  test('parts are replaced by the nearest centroid, in order of rows and then of subspaces', () => {
    const rows = { values: Float32Array.of(3, -3, 8, 1, 10.2, -9.9, 100.9, 0), dimensions: 4 };
    expect([...quantizer.encode(rows)]).toEqual([3, 4, 10, 50]);
  });

  test('what a code stands for is added, wherever it starts', () => {
    const out = Float32Array.of(1, 1, 1, 1, 1, 1);
    quantizer.decodeInto(Uint8Array.of(9, 9, 7, 5), 2, out, 1);
    expect([...out]).toEqual([1, 8, -6, 11, 2, 1]);
    const plain = new Float32Array(4);
    quantizer.decodeInto(Uint8Array.of(255, 0), 0, plain);
    expect([...plain]).toEqual([255, -255, 0, 1]);
  });

  test('the table of a query holds its products with every centroid', () => {
    expect(quantizer.tableLength).toBe(512);
    const table = new Float32Array(512);
    quantizer.table(Float32Array.of(1, 10, 100, 1000), table);
    expect([table[0], table[1], table[255]]).toEqual([0, -9, -9 * 255]);
    expect([table[256], table[257], table[511]]).toEqual([1000, 1200, 1000 + 200 * 255]);
  });

  test('it must fit', () => {
    expect([quantizer.dimensions, quantizer.subspaces, quantizer.width]).toEqual([4, 2, 2]);
    expect(() => new ProductQuantizer(4, 3, codebook)).toThrow('3 subspaces do not divide 4');
    expect(() => new ProductQuantizer(4, 0, codebook)).toThrow('0 subspaces do not divide 4');
    expect(() => new ProductQuantizer(4, -2, codebook)).toThrow('-2 subspaces do not divide 4');
    expect(() => new ProductQuantizer(4, 2, codebook.subarray(1))).toThrow(
      '1023 numbers for 256 × 4',
    );
    expect(new ProductQuantizer(4, 1, codebook).width).toBe(4);
  });

  test('is trained part by part: few distinct parts are all kept', () => {
    const rows = {
      values: Float32Array.from({ length: 400 }, (_, i) => (i % 2 === 0 ? i % 8 : -(i % 6))),
      dimensions: 4,
    };
    let state = 1;
    const random = () => (state = (state * 16_807) % 2_147_483_647) / 2_147_483_647;
    const trained = ProductQuantizer.train(rows, 2, { iterations: 3, random });
    const codes = trained.encode(rows);
    for (let row = 0; row < 100; row++) {
      const out = new Float32Array(4);
      trained.decodeInto(codes, 2 * row, out);
      expect([...out]).toEqual([...rows.values.subarray(4 * row, 4 * row + 4)]);
    }
  });

  test('on 16,384 rows at most, of which 4,096 seed', () => {
    const n = 16_390;
    const rows = { values: Float32Array.from({ length: n }, (_, i) => i), dimensions: 1 };
    const asked: number[] = [];
    let calls = 0;
    const random = () => (calls++, 0);
    ProductQuantizer.train(rows, 1, {
      iterations: 0,
      random,
      nearest: (points) => {
        asked.push(points.values.length);
        return {
          labels: new Int32Array(points.values.length),
          distances: new Float32Array(points.values.length),
          seconds: new Float32Array(points.values.length),
        };
      },
    });
    expect(asked).toEqual([16_384]);
    // One number for each sampled row, each seeding row, the first centre and each further one.
    expect(calls).toBe(16_384 + 4096 + 1 + 256);
  });
});

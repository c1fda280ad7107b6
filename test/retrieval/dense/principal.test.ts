import { expect, it } from 'vitest';
import { placesIn, principalPlane } from '../../../src/retrieval/dense/principal.ts';
import { randomNumbers } from '../../../src/base/random.ts';

const table = (rows: readonly (readonly number[])[]) => ({
  dimensions: rows[0]?.length ?? 0,
  values: Float32Array.from(rows.flat()),
});

it('finds the axes of a cross, and places its points', async () => {
  // Around (1, 2, 3): four apart along (1, 1, 0)/√2, one apart along (0, 0, 1).
  const s = Math.SQRT1_2;
  const rows = [
    [1 + 4 * s, 2 + 4 * s, 3],
    [1 - 4 * s, 2 - 4 * s, 3],
    [1, 2, 4],
    [1, 2, 2],
  ];
  const plane = await principalPlane(table(rows));
  expect([...plane.mean]).toEqual([1, 2, 3].map((value) => expect.closeTo(value, 6)));
  const [first, second] = plane.axes;
  expect([...first]).toEqual([s, s, 0].map((value) => expect.closeTo(value, 5)));
  expect([...second]).toEqual([0, 0, 1].map((value) => expect.closeTo(value, 5)));
  // Variances 2 · 16 and 2 · 1.
  expect(plane.shares[0]).toBeCloseTo(32 / 34, 6);
  expect(plane.shares[1]).toBeCloseTo(2 / 34, 6);
  const places = [...placesIn(plane, table([...rows, [1, 2, 3]]))];
  const wanted = [4, 0, -4, 0, 0, 1, 0, -1, 0, 0];
  expect(places).toEqual(wanted.map((value) => expect.closeTo(value, 5)));
});

it('of random vectors: the axes are eigenvectors, at right angles, of no less variance than any other direction', async () => {
  const random = randomNumbers(5);
  const rows = Array.from({ length: 400 }, () =>
    Array.from({ length: 7 }, (_, i) => (random() - 0.5) * (7 - i)),
  );
  const plane = await principalPlane(table(rows));
  const [first, second] = plane.axes;
  const varianceAlong = (axis: ArrayLike<number>): number => {
    const along = rows.map((row) => row.reduce((sum, value, i) => sum + value * axis[i]!, 0));
    const middle = along.reduce((sum, value) => sum + value, 0) / along.length;
    return along.reduce((sum, value) => sum + (value - middle) ** 2, 0);
  };
  expect(first.reduce((sum, value, i) => sum + value * second[i]!, 0)).toBeCloseTo(0, 6);
  expect(Math.hypot(...first)).toBeCloseTo(1, 9);
  for (let trial = 0; trial < 200; trial++) {
    const other = Array.from({ length: 7 }, () => random() - 0.5);
    const length = Math.hypot(...other);
    const variance = varianceAlong(other.map((value) => value / length));
    expect(variance).toBeLessThanOrEqual(varianceAlong(first) * (1 + 1e-6));
  }
  expect(varianceAlong(second)).toBeLessThanOrEqual(varianceAlong(first));
});

it('vectors that are all the same lie on one point', async () => {
  const plane = await principalPlane(
    table([
      [1, 0],
      [1, 0],
    ]),
  );
  expect(plane.shares).toEqual([0, 0]);
  expect([...placesIn(plane, table([[1, 0]]))]).toEqual([0, 0]);
});

it('can be stopped', async () => {
  const reason = new Error('stopped');
  const abort = new AbortController();
  abort.abort(reason);
  await expect(
    principalPlane(
      table([
        [1, 0],
        [0, 1],
      ]),
      { signal: abort.signal },
    ),
  ).rejects.toBe(reason);
});

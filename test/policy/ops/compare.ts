import { expect } from 'vitest';
import { present } from '../../../src/base/items.ts';
import type { Ops } from '../../../src/policy/ops/ops.ts';
import type { OpCase } from './cases.ts';

/** Largest difference, relative to the root of the mean square of what is expected. */
export function difference(got: ArrayLike<number>, expected: ArrayLike<number>): number {
  if (got.length !== expected.length)
    throw new RangeError(`${got.length} values, expected ${expected.length}`);
  let [largest, squares] = [0, 0];
  for (let i = 0; i < expected.length; i++) {
    const [a, b] = [got[i] ?? NaN, expected[i] ?? NaN];
    // The first comparison fails for NaN, so that it counts as a difference.
    if (!(Math.abs(a - b) <= largest)) largest = Math.abs(a - b);
    squares += b * b;
  }
  if (squares === 0) return largest;
  return largest / Math.sqrt(squares / expected.length);
}

/** Runs a case on both; the largest difference of each result, relative to its rms in `reference`. */
async function differences(one: OpCase, reference: Ops, ops: Ops): Promise<Record<string, number>> {
  const [expected, got] = [await one.run(reference), await one.run(ops)];
  expect(Object.keys(got)).toEqual(Object.keys(expected));
  return Object.fromEntries(
    Object.entries(expected).map(([name, values]) => [
      name,
      difference(present(got[name], name), values),
    ]),
  );
}

/** Expects every result of a case within `tolerance` of the oracle's; `one.scale` widens it. */
export async function expectSame(
  one: OpCase,
  reference: Ops,
  ops: Ops,
  tolerance: number,
): Promise<void> {
  for (const [name, value] of Object.entries(await differences(one, reference, ops)))
    expect(value, `${one.name}: ${name}`).toBeLessThan(tolerance * one.scale);
}

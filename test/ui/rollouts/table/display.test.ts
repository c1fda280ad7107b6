import { expect, test } from 'vitest';
import type { BrowseGroup, BrowseResult } from '../../../../src/lab/contract/rollouts.ts';
import { displayOf, headOf, nextRow } from '../../../../src/ui/rollouts/store/browse-display.ts';

const group = (key: string, level: number, from: number, count: number): BrowseGroup => ({
  key,
  level,
  field: 'step',
  value: key,
  from,
  count,
  reward: null,
  em: null,
  flat: false,
});

/** Two steps with two questions in the first. */
const selected = {
  order: Uint32Array.from([5, 6, 7, 8]),
  groups: [
    group('a', 0, 0, 3),
    group('a/x', 1, 0, 2),
    group('a/y', 1, 2, 1),
    group('b', 0, 3, 1),
    group('b/x', 1, 3, 1),
  ],
} as BrowseResult;

const lines = (...closed: string[]): number[] => [...displayOf(selected, new Set(closed))];
const h = headOf;

test('puts heads before their rows, inner ones inside outer ones', () => {
  expect(lines()).toEqual([h(0), h(1), 5, 6, h(2), 7, h(3), h(4), 8]);
});

test('hides exactly the rows of a closed group', () => {
  expect(lines('a')).toEqual([h(0), h(3), h(4), 8]);
  expect(lines('a/x')).toEqual([h(0), h(1), h(2), 7, h(3), h(4), 8]);
  expect(lines('a', 'b')).toEqual([h(0), h(3)]);
});

test('the cursor goes from row to row over heads and stays at the end', () => {
  const all = Int32Array.from(lines());
  expect(nextRow(all, null, 1)).toBe(5);
  expect(nextRow(all, 6, 1)).toBe(7);
  expect(nextRow(all, 7, -1)).toBe(6);
  expect(nextRow(all, 8, 1)).toBe(8);
  expect(nextRow(all, 99, -1)).toBe(5);
  expect(nextRow(Int32Array.from([h(0)]), null, 1)).toBeNull();
});

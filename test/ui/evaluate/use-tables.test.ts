import { expect, it } from 'vitest';
import { nextAskMs } from '../../../src/ui/evaluate/table/use-tables.ts';

it('asks for a table that fills again by and by, a slow one so rarely that it takes a tenth of the time', () => {
  expect(nextAskMs(0, 40, true)).toBe(2500);
  expect(nextAskMs(1000, 40, true)).toBe(1500);
  expect(nextAskMs(9000, 40, true)).toBe(0);
  const took = 12_000;
  const wait = nextAskMs(0, took, true);
  expect(took / (took + wait)).toBeCloseTo(0.1, 12);
});

it('asks at once for the last one, whatever the one before took', () => {
  expect(nextAskMs(0, 12_000, false)).toBe(0);
});

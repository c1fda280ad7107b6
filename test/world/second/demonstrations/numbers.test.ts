import { describe, expect, it } from 'vitest';
import { sumOf, yearsBetween } from '../../../../src/world/second/demonstrations/numbers.ts';

describe('the years between two', () => {
  it('within a century is one step', () => {
    expect(yearsBetween(1976, 1931)).toEqual({
      work: '31 to 76 is 45',
      result: 45,
      expression: '1976 - 1931',
    });
  });
  it('over the turn of a century is two', () => {
    expect(yearsBetween(1976, 2008)).toEqual({
      work: '76 to 100 is 24 , 24 + 8 is 32',
      result: 32,
      expression: '2008 - 1976',
    });
  });
});

describe('a sum', () => {
  it.each([
    [47, 5, '47 + 5 is 52', 52],
    [1800, 3200, '18 + 32 is 50', 5000],
    [7000, 700, '70 + 7 is 77', 7700],
    [1950, 12, '50 + 12 is 62', 1962],
    [1234, 4567, '34 + 67 is 101 , 12 + 45 is 57 , 57 + 1 is 58', 5801],
    [1234, 4512, '34 + 12 is 46 , 12 + 45 is 57', 5746],
  ])('of %i and %i', (a, b, work, result) => {
    expect(sumOf(a, b)).toEqual({ work, result, expression: `${a} + ${b}` });
  });
});

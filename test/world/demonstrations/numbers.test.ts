import { describe, expect, it } from 'vitest';
import { sumOf, yearsBetween } from '../../../src/world/demonstrations/numbers.ts';

describe('the years between two', () => {
  it('within a century, ones and tens apart', () => {
    expect(yearsBetween(1976, 1931)).toEqual({
      work: '6 - 1 is 5 , 70 - 30 is 40 , 40 + 5 is 45',
      result: 45,
      expression: '1976 - 1931',
    });
  });
  it('with a ten borrowed', () => {
    expect(yearsBetween(1935, 1972).work).toBe('12 - 5 is 7 , 60 - 30 is 30 , 30 + 7 is 37');
  });
  it('over the turn of a century up to it first', () => {
    expect(yearsBetween(1976, 2008)).toEqual({
      work: '76 to 100 is 24 , 4 + 8 is 12 , 20 + 0 is 20 , 20 + 12 is 32',
      result: 32,
      expression: '2008 - 1976',
    });
  });
});

describe('a sum', () => {
  it.each([
    [4, 5, '4 + 5 is 9', 9],
    [47, 5, '7 + 5 is 12 , 40 + 0 is 40 , 40 + 12 is 52', 52],
    [1800, 3200, '8 + 2 is 10 , 10 + 30 is 40 , 40 + 10 is 50', 5000],
    [7000, 700, '0 + 7 is 7 , 70 + 0 is 70 , 70 + 7 is 77', 7700],
    [1950, 12, '0 + 2 is 2 , 50 + 10 is 60 , 60 + 2 is 62', 1962],
    [
      1234,
      4567,
      '4 + 7 is 11 , 30 + 60 is 90 , 90 + 11 is 101 , 2 + 5 is 7 , 10 + 40 is 50 , 50 + 7 is 57 , 57 + 1 is 58',
      5801,
    ],
  ])('of %i and %i', (a, b, work, result) => {
    expect(sumOf(a, b)).toEqual({ work, result, expression: `${a} + ${b}` });
  });

  it('every step of ten thousand is right', () => {
    for (let i = 0; i < 10_000; i++) {
      const [a, b] = [(i * 7919) % 5000, (i * 104_729) % 5000];
      for (const { work } of [sumOf(a, b), yearsBetween(1900 + (a % 125), 1900 + (b % 125))])
        for (const [, x, sign, y, z] of work.matchAll(/(\d+) ([-+]|to) (\d+) is (\d+)/g)) {
          const [p, q] = [Number(x), Number(y)];
          const value = sign === '+' ? p + q : sign === '-' ? p - q : q - p;
          expect(value).toBe(Number(z));
        }
    }
  });
});

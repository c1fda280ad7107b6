import { describe, expect, it } from 'vitest';
import { groupBy, itemAt, lastOf, present } from '../../src/base/items.ts';

describe('items', () => {
  it('are given, or missed by the name of their list', () => {
    expect(itemAt(['a', 'b'], 1)).toBe('b');
    expect(itemAt(new Float32Array([0, 0]), 1)).toBe(0);
    expect(() => itemAt(['a'], 1, 'rounds')).toThrow(
      new RangeError('the rounds holds 1, and was asked for number 1'),
    );
    expect(() => itemAt(['a'], -1)).toThrow(RangeError);
    expect(lastOf([1, 2, 3])).toBe(3);
    expect(() => lastOf([])).toThrow(RangeError);
  });

  it('present takes what is falsy, and misses null and undefined', () => {
    expect([present(0, 'n'), present('', 's'), present(false, 'b')]).toEqual([0, '', false]);
    expect(() => present(null, 'the column "reward"')).toThrow('the column "reward" is missing');
    expect(() => present(undefined, 'the key')).toThrow('the key is missing');
  });

  it('by key keep the order of keys and of items', () => {
    const groups = groupBy([5, 2, 3, 8], (n) => (n % 2 === 0 ? 'even' : 'odd'));
    expect([...groups]).toEqual([
      ['odd', [5, 3]],
      ['even', [2, 8]],
    ]);
  });
});

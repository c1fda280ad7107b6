import { expect, it } from 'vitest';
import { merge } from '../../src/base/objects.ts';

it('merges objects at every depth and replaces the rest whole', () => {
  const base = { a: { b: 1, c: [1, 2], d: { e: 1 } }, f: 'x' };
  const over = { a: { c: [3], d: { g: 2 } }, f: null, h: 0 };
  expect(merge(base, over)).toEqual({ a: { b: 1, c: [3], d: { e: 1, g: 2 } }, f: null, h: 0 });
  expect(base).toEqual({ a: { b: 1, c: [1, 2], d: { e: 1 } }, f: 'x' });
});

it('takes undefined as nothing said', () => {
  expect(merge({ a: 1, b: { c: 2 } }, { a: undefined, b: { c: undefined } })).toEqual({
    a: 1,
    b: { c: 2 },
  });
  expect(merge(5, undefined)).toBe(5);
});

it('lets a value take the place of an object, and an object that of a value', () => {
  expect(merge({ a: { b: 1 } }, { a: 7 })).toEqual({ a: 7 });
  expect(merge({ a: 7 }, { a: { b: 1 } })).toEqual({ a: { b: 1 } });
  expect(merge({ a: [1] }, { a: { 0: 2 } })).toEqual({ a: { 0: 2 } });
});

it('puts an object with another id in the place of the first, and merges one with the same or none', () => {
  const base = { id: 'a', x: 1 };
  expect(merge(base, { id: 'b', y: 2 })).toEqual({ id: 'b', y: 2 });
  expect(merge(base, { id: 'a', y: 2 })).toEqual({ id: 'a', x: 1, y: 2 });
  expect(merge(base, { y: 2 })).toEqual({ id: 'a', x: 1, y: 2 });
});

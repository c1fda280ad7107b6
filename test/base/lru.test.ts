import { expect, it } from 'vitest';
import { LruCache } from '../../src/base/lru.ts';

it('drops what was used least recently', () => {
  const cache = new LruCache<number>(2);
  cache.set('a', 1);
  cache.set('b', 2);
  expect(cache.get('a')).toBe(1);
  cache.set('c', 3);
  expect(cache.get('b')).toBeUndefined();
  expect([cache.get('a'), cache.get('c')]).toEqual([1, 3]);
});

it('takes a second value for a key as a use, not as an entry', () => {
  const cache = new LruCache<number>(2);
  cache.set('a', 1);
  cache.set('b', 2);
  cache.set('a', 4);
  cache.set('c', 3);
  expect([cache.get('a'), cache.get('b'), cache.get('c')]).toEqual([4, undefined, 3]);
  cache.clear();
  expect(cache.get('a')).toBeUndefined();
});

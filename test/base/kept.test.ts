import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fetchFromUrl, parseJson } from '../../src/base/fetch-file.ts';
import { LruCache } from '../../src/base/lru.ts';
import { randomNumbers, sampleRows } from '../../src/base/random.ts';
import { sha256 } from '../../src/base/hash.ts';

describe('a cache of so many entries', () => {
  it('forgets what was not used for longest', () => {
    const cache = new LruCache<number>(2);
    cache.set('a', 1);
    cache.set('b', 2);
    expect(cache.get('a')).toBe(1);
    cache.set('c', 3);
    expect([cache.get('a'), cache.get('b'), cache.get('c')]).toEqual([1, undefined, 3]);
  });

  it('takes a new value for a use', () => {
    const cache = new LruCache<number>(2);
    cache.set('a', 1);
    cache.set('b', 2);
    cache.set('a', 4);
    cache.set('c', 3);
    expect([cache.get('a'), cache.get('b')]).toEqual([4, undefined]);
    cache.clear();
    expect(cache.get('a')).toBeUndefined();
  });
});

describe('a sample of rows', () => {
  it('is distinct and rising, and all of them where there are fewer', () => {
    fc.assert(
      fc.property(fc.nat(50), fc.nat(60), fc.nat(1000), (n, count, seed) => {
        const rows = [...sampleRows(n, count, randomNumbers(seed))];
        expect(rows).toHaveLength(Math.min(n, count));
        expect(rows).toEqual([...new Set(rows)].toSorted((a, b) => a - b));
        expect(rows.every((row) => row >= 0 && row < n)).toBe(true);
      }),
    );
  });

  it('takes each row as often as any other', () => {
    const random = randomNumbers(3);
    const times = [0, 0, 0, 0, 0];
    for (let i = 0; i < 5000; i++) for (const row of sampleRows(5, 2, random)) times[row]! += 1;
    // 2,000 each; the standard deviation is 35.
    for (const count of times) expect(Math.abs(count - 2000)).toBeLessThan(150);
  });
});

describe('random numbers of a seed (Mulberry32)', () => {
  it('are those of the published generator', () => {
    // Computed apart, in whole numbers of any size cut to 32 bits.
    const next = randomNumbers(0);
    expect([next(), next(), next()].map((x) => x * 2 ** 32)).toEqual([
      1_144_304_738, 1_416_247, 958_946_056,
    ]);
  });
});

it('the SHA-256 of "abc" is that of FIPS 180-4', async () => {
  expect(await sha256(new TextEncoder().encode('abc'))).toBe(
    'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
  );
});

describe('a JSON file', () => {
  it('is read, or refused by its name', () => {
    expect(parseJson(new TextEncoder().encode('{"a":"é"}'), 'a.json')).toEqual({ a: 'é' });
    expect(() => parseJson(new TextEncoder().encode('{'), 'a.json')).toThrow(
      'a.json: not valid JSON',
    );
    expect(() => parseJson(Uint8Array.of(0x22, 0xff, 0x22), 'a.json')).toThrow('not valid JSON');
  });
});

describe('a file below an address', () => {
  it('that is missing is named with what the server said', async () => {
    const server = globalThis.fetch;
    const asked: [string, RequestCache | undefined][] = [];
    globalThis.fetch = (url, options) => {
      asked.push([url as string, options?.cache]);
      const found = (url as string).endsWith('b');
      return Promise.resolve(new Response(found ? 'x' : '', { status: found ? 200 : 404 }));
    };
    try {
      const files = fetchFromUrl('https://w.example/');
      await expect(files('a')).rejects.toThrow('https://w.example/a: HTTP 404');
      expect(await files('b', { fresh: true })).toEqual(Uint8Array.of(120));
      expect(asked).toEqual([
        ['https://w.example/a', 'default'],
        ['https://w.example/b', 'no-store'],
      ]);
    } finally {
      globalThis.fetch = server;
    }
  });
});

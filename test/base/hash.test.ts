import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { avalanche, fnv1a, sha256, toHex } from '../../src/base/hash.ts';

it('hexadecimal digits, two a byte', () => {
  expect(toHex(new Uint8Array([0, 9, 16, 255]))).toBe('000910ff');
  expect(toHex(new Uint8Array())).toBe('');
});

it('SHA-256 as FIPS 180-4 gives it for "abc"', async () => {
  const expected = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad';
  expect(await sha256('abc')).toBe(expected);
  expect(await sha256(new Uint8Array([0x61, 0x62, 0x63]))).toBe(expected);
});

it('SHA-256 of a view reads only the view, and a text stands for its UTF-8', async () => {
  const bytes = new Uint8Array([1, 2, 3, 4]);
  expect(await sha256(bytes.subarray(1, 3))).toBe(
    createHash('sha256')
      .update(new Uint8Array([2, 3]))
      .digest('hex'),
  );
  expect(await sha256('Zoë 𝔸')).toBe(createHash('sha256').update('Zoë 𝔸').digest('hex'));
});

it('FNV-1a gives the published test vectors', () => {
  // Fowler, Noll and Vo, test_fnv.c: "", "a", "foobar".
  const expected = { '': 0x811c9dc5, a: 0xe40c292c, foobar: 0xbf9cf968 };
  for (const [text, hash] of Object.entries(expected)) expect(fnv1a(text) >>> 0).toBe(hash);
  expect(fnv1a('a', 0, 1)).toBe('a'.charCodeAt(0));
});

it('the finaliser gives MurmurHash3’s values', () => {
  // MurmurHash3_x86_32 of the empty text with the seed as given is the finaliser of the seed.
  expect(avalanche(0)).toBe(0);
  expect(avalanche(1) >>> 0).toBe(0x514e28b7);
  expect(avalanche(0xffffffff) >>> 0).toBe(0x81f16f39);
});

import { createHash } from 'node:crypto';
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { Sha256 } from '../../../../../src/lab/models/checkpoints/plan/sha256.ts';

const expected = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

it('gives the digests of FIPS 180-4', () => {
  const text = (value: string) => new Sha256().update(new TextEncoder().encode(value)).digest();
  expect(text('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  expect(text('')).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
});

it('gives one digest however the input is split, and continues from a stored state', () => {
  const pieces = fc.array(fc.uint8Array({ maxLength: 200 }), { maxLength: 12 });
  fc.assert(
    fc.property(pieces, (parts) => {
      let hash = new Sha256();
      for (const part of parts) hash = Sha256.from(hash.update(part).save());
      const whole = new Uint8Array(Buffer.concat(parts));
      expect(hash.digest()).toBe(expected(whole));
      expect(hash.length).toBe(whole.length);
    }),
    { numRuns: 500 },
  );
});

it('pads at every length of the last block', () => {
  for (let length = 0; length <= 130; length++) {
    const bytes = new Uint8Array(length).fill(length);
    expect(new Sha256().update(bytes).digest()).toBe(expected(bytes));
  }
});

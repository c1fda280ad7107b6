import { describe, expect, it } from 'vitest';
import { usedBytes } from '../../../src/lab/storage/quota.ts';

describe('what a site stores', () => {
  it('takes a part just below 2^32 bytes as the negative number that it is', () => {
    // As Chromium told it after a restart, with 13 MB on disk.
    const said = { fileSystem: 4_280_927_217, indexedDB: 9_500_000, caches: 3_500_000 };
    expect(usedBytes({ usage: 4_293_927_217, usageDetails: said })).toBe(13_000_000);
    expect(usedBytes({ usage: 2 ** 32 - 1, usageDetails: { fileSystem: 2 ** 32 - 1 } })).toBe(0);
    // The sum is right, its part alone is not.
    expect(usedBytes({ usage: 13_000_000, usageDetails: { fileSystem: 4_280_927_217 } })).toBe(
      13_000_000,
    );
  });

  it('leaves every other number unchanged', () => {
    const said = (usageDetails: Record<string, number>): number => {
      const usage = Object.values(usageDetails).reduce((sum, part) => sum + part, 0);
      return usedBytes({ usage, usageDetails });
    };
    expect(said({ caches: 2 ** 31, fileSystem: 7 })).toBe(2 ** 31 + 7);
    expect(said({ caches: 3 * 2 ** 30 })).toBe(3 * 2 ** 30);
    // Checkpoints of 4 GB.
    expect(said({ fileSystem: 4_000_000_000 })).toBe(4_000_000_000);
    expect(said({ caches: 2 ** 32 })).toBe(2 ** 32);
    expect(said({ caches: 2 ** 33 + 1 })).toBe(2 ** 33 + 1);
    expect(usedBytes({ usage: 4_280_927_217 })).toBe(4_280_927_217);
    expect(usedBytes({})).toBe(0);
  });
});

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fromFloat16, toFloat16 } from '../../src/base/float16.ts';

const round = (x: number): number => fromFloat16(toFloat16(new Float32Array([x])))[0] ?? NaN;

describe('halves', () => {
  it('match the bit patterns of IEEE 754', () => {
    const values = new Float32Array([0, -0, 1, -2, 65504, 65520, 2 ** -24, 2 ** -14, 1 / 3, NaN]);
    expect([...toFloat16(values)]).toEqual([
      0, 0x8000, 0x3c00, 0xc000, 0x7bff, 0x7c00, 1, 0x0400, 0x3555, 0x7e00,
    ]);
  });

  it('are read back as they were', () => {
    const all = Uint16Array.from({ length: 65536 }, (_, i) => i).filter(
      (b) => (b & 0x7fff) <= 0x7c00,
    );
    expect(toFloat16(fromFloat16(all))).toEqual(all);
  });

  it('are the nearest half', () => {
    fc.assert(
      fc.property(fc.double({ min: -2, max: 2, noNaN: true }), (x) => {
        expect(Math.abs(round(x) - x)).toBeLessThanOrEqual(
          Math.max(Math.abs(x) * 2 ** -10, 2 ** -25),
        );
      }),
    );
  });
});

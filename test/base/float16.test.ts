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

  it.each([
    // The largest single below 65520, which is the middle between the largest half and the next.
    [65520 - 2 ** -8, 0x7bff],
    [-65520, 0xfc00],
    [Infinity, 0x7c00],
    [-Infinity, 0xfc00],
    // Ties go to the even one, all else to the nearest.
    [1 + 2 ** -11, 0x3c00],
    [1 + 2 ** -11 + 2 ** -20, 0x3c01],
    [1 + 3 * 2 ** -11, 0x3c02],
    [1 + 3 * 2 ** -11 - 2 ** -20, 0x3c01],
    // Below 2^-14 the spacing is 2^-24.
    [2 ** -14 - 2 ** -38, 0x0400],
    [-(2 ** -14), 0x8400],
    [0.5 * 2 ** -24, 0],
    [0.75 * 2 ** -24, 1],
    [1.5 * 2 ** -24, 2],
    [2.5 * 2 ** -24, 2],
    [-3.25 * 2 ** -24, 0x8003],
  ])('round %f to %i', (value, bits) => {
    expect([...toFloat16(new Float32Array([value]))]).toEqual([bits]);
  });

  it.each([
    [0x0000, 0],
    [0x8000, -0],
    [0x0001, 2 ** -24],
    [0x8001, -(2 ** -24)],
    [0x03ff, 1023 * 2 ** -24],
    [0x0400, 2 ** -14],
    [0x3c01, 1 + 2 ** -10],
    [0xc000, -2],
    [0x7bff, 65504],
    [0x7c00, Infinity],
    [0xfc00, -Infinity],
    [0x7c01, NaN],
    [0xffff, NaN],
  ])('of the bits %i are %f', (bits, value) => {
    expect([...fromFloat16(Uint16Array.of(bits))]).toEqual([value]);
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

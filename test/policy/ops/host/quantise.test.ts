import { describe, expect, it } from 'vitest';
import { Random } from '../../../../src/base/random.ts';
import { fromFloat16Bits } from '../../../../src/base/float16.ts';
import {
  dequantise,
  groupsOf,
  halves,
  heldValues,
  quantise,
  rowBytes,
} from '../../../../src/policy/ops/quantise.ts';

const random = (count: number, deviation: number): Float32Array => {
  const values = new Float32Array(count);
  new Random(count).fillNormal(values, deviation);
  return values;
};

describe('groups of 32 with a scale', () => {
  it.each([
    ['int8', 7, 5, 1],
    ['int8', 64, 3, 1e-3],
    ['int4', 32, 4, 30],
    ['int4', 77, 6, 0.02],
  ] as const)('%s of rows of %i are within a step', (type, columns, rows, deviation) => {
    const values = random(rows * columns, deviation);
    const packed = quantise(values, columns, type);
    const back = dequantise(packed, columns, type);
    expect(packed.codes.length + 2 * packed.scales.length).toBe(rowBytes(type, rows, columns));
    values.forEach((value, i) => {
      const group = Math.floor(i / columns) * groupsOf(columns) + Math.floor((i % columns) / 32);
      const step = Math.abs(fromFloat16Bits(packed.scales[group] ?? 0));
      // Half a step; a whole one where an int4 value lies at +8, which is 7. Scales round by 2^-11.
      const most = type === 'int8' ? 0.5 * step : step;
      expect(Math.abs((back[i] ?? NaN) - value)).toBeLessThanOrEqual(
        most + Math.abs(value) * 2 ** -10,
      );
    });
  });

  it('gives what it holds again, bit for bit', () => {
    for (const type of ['f32', 'f16', 'int8', 'int4'] as const) {
      const held = heldValues(random(200, 1), 40, type);
      if (type !== 'int8') expect(heldValues(held, 40, type)).toEqual(held);
    }
  });

  it('packs as by hand', () => {
    // The largest is −4, so that the int4 scale is 0.5: −4 → −8, 3.5 → 7, 0.6 → 1, −0.25 → −1 (half away).
    const values = Float32Array.of(-4, 3.5, 0.6, -0.25, 0);
    const int4 = quantise(values, 5, 'int4');
    expect(fromFloat16Bits(int4.scales[0] ?? 0)).toBe(0.5);
    expect([...int4.codes.subarray(0, 4)]).toEqual([0xf0, 0x79, 0x88, 0x88]);
    expect([...dequantise(int4, 5, 'int4')]).toEqual([-4, 3.5, 0.5, -0.5, 0]);
    const int8 = quantise(Float32Array.of(127, -127, 3.4, -1), 4, 'int8');
    expect([...int8.codes.subarray(0, 6)]).toEqual([127, 129, 3, 255, 0, 0]);
  });

  it('a group of zeros is zeros, and one too small for its scale too', () => {
    expect([...heldValues(Float32Array.of(0, 0, 1e-9), 3, 'int4')].map(Math.abs)).toEqual([
      0, 0, 0,
    ]);
  });

  it('says where a weight is no number or too large', () => {
    const broken = Float32Array.of(0, 1, 2, 3, NaN, 5);
    for (const type of ['f16', 'int8', 'int4'] as const)
      expect(() => heldValues(broken, 3, type)).toThrow(/row 1, column 1 is no finite number/);
    expect(() => halves(Float32Array.of(1, 70_000), 2)).toThrow(/column 1 \(70000\) is too large/);
    expect(() => quantise(Float32Array.of(1e30), 1, 'int4')).toThrow(/too large for int4/);
  });
});

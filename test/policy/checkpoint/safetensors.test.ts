import { assert as check, nat, property } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fromFloat16Bits, toFloat16Bits } from '../../../src/base/float16.ts';
import {
  readSafetensors,
  widen,
  writeSafetensors,
} from '../../../src/policy/checkpoint/safetensors.ts';

const tensors = new Map([
  ['a.weight', { shape: [2, 3], data: Float32Array.of(1, -2, 0.5, 3.25, -0.125, 1024) }],
  ['b', { shape: [1], data: Float32Array.of(-7) }],
  ['scalar', { shape: [], data: Float32Array.of(2.5) }],
]);

/** A file with a header written by hand. */
function file(header: unknown, data: Uint8Array = new Uint8Array()): Uint8Array {
  const text = new TextEncoder().encode(
    typeof header === 'string' ? header : JSON.stringify(header),
  );
  const bytes = new Uint8Array(8 + text.length + data.length);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(text.length), true);
  bytes.set(text, 8);
  bytes.set(data, 8 + text.length);
  return bytes;
}

describe('safetensors', () => {
  it.each(['F32', 'F16'] as const)('reads back what it wrote as %s', (dtype) => {
    expect(readSafetensors(writeSafetensors(tensors, dtype))).toEqual(tensors);
  });

  it('widens bfloat16', () => {
    const bytes = file(
      { x: { dtype: 'BF16', shape: [2], data_offsets: [0, 4] } },
      Uint8Array.of(0x80, 0x3f, 0x49, 0xc0),
    );
    expect(readSafetensors(bytes).get('x')!.data).toEqual(Float32Array.of(1, -3.140625));
  });

  it('reads halves wherever they lie, also in a buffer of Node’s, whose slices are views', () => {
    for (const before of [0, 1]) {
      const all = Buffer.alloc(before + 4);
      all.writeUInt16LE(0x3c00, before);
      all.writeUInt16LE(0xc000, before + 2);
      expect(widen('F16', all.subarray(before), 2)).toEqual(Float32Array.of(1, -2));
    }
  });

  it('starts the data at a multiple of 8', () => {
    const bytes = writeSafetensors(tensors);
    expect(Number(new DataView(bytes.buffer).getBigUint64(0, true)) % 8).toBe(0);
  });

  it.each([
    ['a short file', Uint8Array.of(1, 2), /2 bytes, fewer than its length prefix/],
    ['a header past the end', file('{}').subarray(0, 9), /claims 2 bytes; the file has 1/],
    ['a header that is no JSON', file('{"a"'), /not JSON/],
    ['a header that is no object', file('[]'), /not a JSON object/],
    [
      'an unknown type',
      file({ x: { dtype: 'I64', shape: [1], data_offsets: [0, 8] } }, new Uint8Array(8)),
      /"x" has dtype I64/,
    ],
    [
      'offsets past the end',
      file({ x: { dtype: 'F32', shape: [1], data_offsets: [0, 4] } }),
      /"x" lies at \[0, 4\) of 0/,
    ],
    [
      'a shape that disagrees with the offsets',
      file({ x: { dtype: 'F32', shape: [2], data_offsets: [0, 4] } }, new Uint8Array(4)),
      /"x" of shape \[2\] needs 8 bytes, has 4/,
    ],
    [
      'overlapping tensors',
      file(
        {
          x: { dtype: 'F32', shape: [1], data_offsets: [0, 4] },
          y: { dtype: 'F32', shape: [1], data_offsets: [0, 4] },
        },
        new Uint8Array(4),
      ),
      /"y" begins at 0, expected 4/,
    ],
    [
      'bytes after the last tensor',
      file({ x: { dtype: 'F32', shape: [1], data_offsets: [0, 4] } }, new Uint8Array(9)),
      /5 bytes after the last tensor/,
    ],
  ])('refuses %s', (_, bytes, message) => {
    expect(() => readSafetensors(bytes)).toThrow(message);
  });

  it('answers any damage of the header with an error of its own or with tensors', () => {
    const good = writeSafetensors(tensors);
    const header = Number(new DataView(good.buffer).getBigUint64(0, true)) + 8;
    check(
      property(nat(header - 1), nat(255), nat(good.length), (at, value, length) => {
        const bytes = good.slice(0, Math.max(length, header));
        bytes[at] = value;
        try {
          for (const { shape, data } of readSafetensors(bytes).values())
            expect(data.length).toBe(shape.reduce((a, b) => a * b, 1));
        } catch (error) {
          expect(String(error)).toContain('safetensors: ');
        }
      }),
      { numRuns: 500 },
    );
  });
});

describe('float16', () => {
  it('keeps every half-precision number', () => {
    for (let bits = 0; bits < 0x10000; bits++) {
      const value = fromFloat16Bits(bits);
      if (Number.isNaN(value)) expect(fromFloat16Bits(toFloat16Bits(value))).toBeNaN();
      else expect(toFloat16Bits(value)).toBe(bits);
    }
  });

  it.each([
    [1 + 2 ** -11, 1],
    [1 + 3 * 2 ** -11, 1 + 2 ** -9],
    [65519, 65504],
    [65520, Infinity],
    [2 ** -25, 0],
    [3 * 2 ** -26, 2 ** -24],
    [2047.9 * 2 ** -25, 2 ** -14],
  ])('rounds %d to nearest, ties to even', (value, rounded) => {
    expect(fromFloat16Bits(toFloat16Bits(value))).toBe(rounded);
    expect(fromFloat16Bits(toFloat16Bits(-value))).toBe(-rounded);
  });
});

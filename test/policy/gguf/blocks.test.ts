import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { fromFloat16Bits } from '../../../src/base/float16.ts';
import {
  dequantiseBlocks,
  isAffine,
  isSymmetric,
  packedBlocks,
  roundedBlocks,
} from '../../../src/policy/gguf/blocks.ts';
import { readGgufHeader } from '../../../src/policy/gguf/header.ts';
import { GGUF_TYPES, typeShape } from '../../../src/policy/gguf/types.ts';
import { dequantise, quantise } from '../../../src/policy/ops/quantise.ts';
import { bytesNamed } from './bytes.ts';

const file = new Uint8Array(
  readFileSync(new URL('../../fixtures/gguf/types.gguf', import.meta.url)),
);
const { tensors } = await readGgufHeader(bytesNamed('types.gguf', file));

const values = (name: string): { stored: Uint8Array; values: Float32Array; count: number } => {
  const { type, begin, end, count } = tensors.find((tensor) => tensor.name === name)!;
  const stored = file.subarray(begin, end);
  return { stored, values: dequantiseBlocks(type, stored, count), count };
};

describe('values of every type', () => {
  test('the fixture has every type that is read', () => {
    expect(tensors.map(({ name }) => name)).toEqual(
      expect.arrayContaining(GGUF_TYPES.flatMap((type) => [type, `${type}.expected`])),
    );
  });

  test.each(GGUF_TYPES)(
    '%s: each value is that of the Python gguf package, in every bit',
    (type) => {
      const found = values(type);
      const expected = values(`${type}.expected`).values;
      expect(found.values).toHaveLength(512);
      for (const [i, value] of expected.entries())
        if (value !== found.values[i]) expect([i, found.values[i]]).toEqual([i, value]);
    },
  );

  test.each(GGUF_TYPES.filter(isSymmetric))('%s: as int8 nothing is rounded', (type) => {
    const { stored, values: expected, count } = values(type);
    expect(dequantise(packedBlocks(type, stored, count, 'int8'), 256, 'int8')).toEqual(expected);
  });

  test.each(GGUF_TYPES.filter(isAffine))(
    '%s: rounded to int8 by its levels as by its values, with the same differences',
    (type) => {
      const { bytes, values: perBlock } = typeShape(type);
      const blocks = 2048 / perBlock;
      let state = 1;
      const stored = Uint8Array.from({ length: blocks * bytes }, (_, at) => {
        state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
        // Scale and minimum of a block are halves: of either sign, none of them infinite.
        return at % bytes < 4 && at % 2 === 1 ? (state >>> 24) & 0x9f : state >>> 24;
      });
      // A block of zeros.
      stored.fill(0, 0, bytes);
      for (const [given, count] of [
        [values(type).stored, 512],
        [stored, 2048],
      ] as const) {
        const rounded = { worst: 0, share: 0 };
        const expected = quantise(dequantiseBlocks(type, given, count), 256, 'int8', rounded);
        expect(roundedBlocks(type, given, count)).toEqual({ ...expected, rounded });
        expect(rounded.worst).toBeGreaterThan(0);
      }
    },
  );

  test('Q4_0: as int4 nothing is rounded', () => {
    const { stored, values: expected, count } = values('Q4_0');
    const packed = packedBlocks('Q4_0', stored, count, 'int4');
    expect(dequantise(packed, 256, 'int4')).toEqual(expected);
    expect(packed.codes).toHaveLength(256);
    expect([...packed.scales].every((bits) => Number.isFinite(fromFloat16Bits(bits)))).toBe(true);
  });
});

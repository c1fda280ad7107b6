import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { fromFloat16Bits } from '../../../src/base/float16.ts';
import { dequantiseBlocks, isSymmetric, packedBlocks } from '../../../src/policy/gguf/blocks.ts';
import { readGgufHeader } from '../../../src/policy/gguf/header.ts';
import { GGUF_TYPES } from '../../../src/policy/gguf/types.ts';
import { dequantise } from '../../../src/policy/ops/quantise.ts';
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

  test('Q4_0: as int4 nothing is rounded', () => {
    const { stored, values: expected, count } = values('Q4_0');
    const packed = packedBlocks('Q4_0', stored, count, 'int4');
    expect(dequantise(packed, 256, 'int4')).toEqual(expected);
    expect(packed.codes).toHaveLength(256);
    expect([...packed.scales].every((bits) => Number.isFinite(fromFloat16Bits(bits)))).toBe(true);
  });
});

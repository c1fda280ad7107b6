import { expect, it } from 'vitest';
import { hasRelaxedSimd } from '../../../src/policy/wasm/kernels.ts';
import { createWasmOps } from '../../../src/policy/wasm/ops.ts';
import { Builder } from '../ops/support/builder.ts';

/** More rows than the kernels for few rows take. */
const ROWS = 12;
const builds = hasRelaxedSimd() ? [false, true] : [false];
const cases = builds.flatMap((relaxed) =>
  (['int8', 'int4'] as const).flatMap((type) =>
    // Panels in pairs, one panel left over, inputs that end within a group of 32.
    [
      { inputs: 96, outputs: 32 },
      { inputs: 32, outputs: 24 },
      { inputs: 40, outputs: 16 },
    ].map((shape) => ({ relaxed, type, ...shape })),
  ),
);

it.each(cases)(
  'one row gives the bits that it gives among others: $type [$outputs, $inputs], fused: $relaxed',
  async ({ relaxed, type, inputs, outputs }) => {
    const ops = await createWasmOps(relaxed);
    const b = new Builder(ops, 5);
    const matrix = b.matrix({ out: outputs, in: inputs, type });
    const x = b.values(ROWS * inputs);

    const product = async (values: Float32Array): Promise<Float32Array> => {
      const count = values.length / inputs;
      const tokens = ops.tokens(count);
      const ids = new Int32Array(count);
      ops.place(tokens, [{ ids, position: 0, start: 0 }], count > 8 ? 'many' : 'few');
      const sums = b.filled(count, outputs, new Float32Array(count * outputs));
      const by = { matrix, bias: null, lora: null };
      ops.projectResidual({ input: b.filled(count, inputs, values), by, tokens, x: sums });
      return ops.readActivations(sums, count);
    };

    const together = await product(x);
    expect(together.some((value) => value !== 0)).toBe(true);
    for (let row = 0; row < ROWS; row++)
      expect(await product(x.subarray(row * inputs, (row + 1) * inputs))).toEqual(
        together.subarray(row * outputs, (row + 1) * outputs),
      );
  },
);

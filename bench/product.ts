import { createWasmOps } from '../src/policy/wasm/ops.ts';

/**
 * A product of two matrices of `size` each way on the WASM kernels, one thread: what rates are measured
 * against. Each call computes one.
 */
export async function createProduct(size: number): Promise<() => Promise<void>> {
  const ops = await createWasmOps();
  const writer = ops.matrix({ out: size, in: size, type: 'f32' }, 'product');
  writer.write(
    0,
    Float32Array.from({ length: size * size }, (_, i) => ((i * 31) % 97) / 97 - 0.5),
  );
  const matrix = writer.finish();
  const tokens = ops.tokens(size);
  const [input, x] = [ops.activations(size, size, 'in'), ops.activations(size, size, 'out')];
  ops.place(tokens, [{ ids: new Int32Array(size), position: 0, start: 0 }], 'many');
  ops.embed({ table: matrix, tokens, x: input });
  const by = { matrix, bias: null, lora: null };
  return async () => {
    ops.projectResidual({ input, by, tokens, x });
    await ops.settled();
  };
}

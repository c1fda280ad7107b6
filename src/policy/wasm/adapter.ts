import { pad8, type WasmAdapter } from './handles.ts';
import type { WasmMemory } from './memory.ts';

/** Places factors in panels; B is scaled by alpha / rank. */
export function writeAdapter(memory: WasmMemory, adapter: WasmAdapter, values: Float32Array): void {
  if (values.length !== adapter.length)
    throw new Error(`adapter: ${values.length} values given, this shape has ${adapter.length}`);
  const { kernels } = memory;
  let at = 0;
  const next = (count: number): Float32Array => {
    at += count;
    return values.subarray(at - count, at);
  };
  for (const { shape, parts, A, rank } of adapter.loras)
    for (const { out, column, B } of parts) {
      const staging = memory.scratch('staging', 4 * shape.rank * Math.max(shape.in, out));
      const a = next(shape.rank * shape.in);
      memory.floats(staging, a.length).set(a);
      kernels.place_floats(staging, shape.in, column, shape.rank, pad8(shape.in), A);
      const b = next(out * shape.rank);
      const scaled = memory.floats(staging, b.length);
      b.forEach((value, i) => {
        scaled[i] = shape.scale * value;
      });
      kernels.place_floats(staging, shape.rank, 0, out, rank, B);
    }
  memory.drop('staging');
}

function checkTrained({ trained }: WasmAdapter): void {
  if (!trained) throw new Error('adapter: it is not trained and has no gradients');
}

export function zeroGradients(memory: WasmMemory, adapter: WasmAdapter): void {
  checkTrained(adapter);
  for (const { shape, parts, columns, rank, dA } of adapter.loras) {
    memory.floats(dA, columns * pad8(shape.in)).fill(0);
    for (const { out, dB } of parts) memory.floats(dB, out * rank).fill(0);
  }
}

/** In the order of `writeAdapter`. */
export function readGradients(memory: WasmMemory, adapter: WasmAdapter): Float32Array {
  checkTrained(adapter);
  const flat = new Float32Array(adapter.length);
  let to = 0;
  for (const { shape, parts, rank, dA } of adapter.loras)
    for (const { out, column, dB } of parts) {
      const width = pad8(shape.in);
      for (let r = 0; r < shape.rank; r++, to += shape.in)
        flat.set(memory.floats(dA + 4 * (column + r) * width, shape.in), to);
      const b = memory.floats(dB, out * rank);
      for (let row = 0; row < out; row++)
        for (let r = 0; r < shape.rank; r++) flat[to++] = shape.scale * (b[row * rank + r] ?? 0);
    }
  return flat;
}

import { rankStride, strideOf } from './sizes.ts';
import { deviceRow, type GpuAdapter } from './values.ts';

/** Calls `move` for every row of every factor: where it is in the caller's order, and where on the device. */
function eachRow(
  { loras }: GpuAdapter,
  move: (natural: number, device: number, length: number) => void,
): void {
  let at = 0;
  for (const { shape, place } of loras)
    for (const { row, out, a, b } of place.parts) {
      for (let i = 0; i < shape.rank; i++, at += shape.in)
        move(at, a + i * strideOf(shape.in), shape.in);
      for (let i = 0; i < out; i++, at += shape.rank) {
        const held = deviceRow(row + i, shape.turned) - row;
        move(at, b + held * rankStride(shape.rank), shape.rank);
      }
    }
}

/** What the device holds for values in the order of `Ops.writeAdapter`. @throws RangeError */
export function toDevice(adapter: GpuAdapter, values: Float32Array): Float32Array<ArrayBuffer> {
  if (values.length !== adapter.length)
    throw new RangeError(`${values.length} values for an adapter of ${adapter.length}`);
  const held = new Float32Array(adapter.values.size / 4);
  eachRow(adapter, (natural, device, length) =>
    held.set(values.subarray(natural, natural + length), device),
  );
  return held;
}

/** The caller's order of what the device holds. */
export function fromDevice(adapter: GpuAdapter, held: Float32Array): Float32Array {
  const values = new Float32Array(adapter.length);
  eachRow(adapter, (natural, device, length) =>
    values.set(held.subarray(device, device + length), natural),
  );
  return values;
}

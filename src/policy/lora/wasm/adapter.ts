import type { Region } from '../../kernels/kernels.ts';
import type { AdaptedMatrix, LoraMemory } from './memory.ts';

const PANEL = 8;

/** Places an adapter's values: A as it is, B scaled by alpha / rank, both filled up with zeros. */
export function placeAdapter(memory: LoraMemory, flat: Float32Array): void {
  const { kernels, spec } = memory;
  const scale = spec.alpha / spec.rank;
  for (const { part, in: input } of memory.parts()) {
    const R = part.A.length / input;
    memory.floats(part.A).set(flat.subarray(part.a.offset, part.a.offset + part.a.length));
    const B = memory.floats(part.B);
    for (let row = 0; row < part.out; row++)
      for (let r = 0; r < spec.rank; r++)
        B[row * R + r] = scale * flat[part.b.offset + row * spec.rank + r]!;
    kernels.pack_transposed(part.A.pointer, input, input, R, part.aForward);
    kernels.pack(part.A.pointer, input, R, input, part.aBackward);
    kernels.pack_transposed(part.B.pointer, R, R, part.out, part.bForward);
    kernels.pack(part.B.pointer, R, part.out, R, part.bBackward);
  }
}

export function zeroGradients(memory: LoraMemory): void {
  for (const { part } of memory.parts()) {
    memory.floats(part.dA).fill(0);
    memory.floats(part.dB).fill(0);
  }
}

/** The summed gradient by the adapter's values, in the order of `loraSlots`. */
export function readGradients(memory: LoraMemory): Float32Array {
  const { spec, slots } = memory;
  const last = slots.at(-1)!;
  const flat = new Float32Array(last.offset + last.length);
  const scale = spec.alpha / spec.rank;
  for (const { part, in: input } of memory.parts()) {
    const R = part.A.length / input;
    flat.set(memory.floats(part.dA).subarray(0, part.a.length), part.a.offset);
    const dB = memory.floats(part.dB);
    for (let row = 0; row < part.out; row++)
      for (let r = 0; r < spec.rank; r++)
        flat[part.b.offset + row * spec.rank + r] = scale * dB[row * R + r]!;
  }
  return flat;
}

/** x Aᵀ of every adapted part into `m.inner` [rows, columns]. */
export function multiplyInner(
  { kernels }: LoraMemory,
  m: AdaptedMatrix,
  x: number,
  rows: number,
): void {
  for (const part of m.parts) {
    const R = part.A.length / m.in;
    const inner = m.inner + 4 * part.column;
    kernels.gemm(x, m.in, part.aForward, m.in * PANEL, inner, m.columns, rows, R, m.in, 0);
  }
}

/** y[rows, out] = bias, or += bias. */
function placeBias(
  memory: LoraMemory,
  bias: Region,
  y: number,
  rows: number,
  accumulate: 0 | 1,
): void {
  const values = memory.floats(bias);
  const to = memory.floats({ pointer: y, length: rows * bias.length });
  for (let row = 0; row < rows; row++)
    if (accumulate) memory.kernels.add_to(y + 4 * row * bias.length, bias.pointer, bias.length);
    else to.set(values, row * bias.length);
}

/** y[rows, out] (+)= x Wᵀ + b + s (x Aᵀ) Bᵀ; without adapter the last term is left out. */
export function multiply(
  memory: LoraMemory,
  m: AdaptedMatrix,
  adapted: boolean,
  x: number,
  y: number,
  rows: number,
  accumulate: 0 | 1 = 0,
): void {
  const { kernels } = memory;
  if (m.bias) placeBias(memory, m.bias, y, rows, accumulate);
  const add = m.bias ? 1 : accumulate;
  kernels.gemm(x, m.in, m.forward, m.in * PANEL, y, m.out, rows, m.out, m.in, add);
  if (!adapted) return;
  multiplyInner(memory, m, x, rows);
  for (const part of m.parts) {
    const R = part.A.length / m.in;
    const inner = m.inner + 4 * part.column;
    const to = y + 4 * part.row;
    kernels.gemm(inner, m.columns, part.bForward, R * PANEL, to, m.out, rows, part.out, R, 1);
  }
}

/**
 * dx[rows, in] = dy W + s (dy B) A, and the gradients of A and B; W is frozen. `m.inner` must still
 * hold x Aᵀ of these rows; it is overwritten with its gradient. Where nothing below learns, `dx` is
 * null and not computed.
 */
export function multiplyBackward(
  { kernels, scratch }: LoraMemory,
  m: AdaptedMatrix,
  x: number,
  dy: number,
  dx: number | null,
  rows: number,
): void {
  const temporary = scratch.transposedScratch.pointer;
  if (dx !== null)
    kernels.gemm(dy, m.out, m.backward, m.out * PANEL, dx, m.in, rows, m.in, m.out, 0);
  for (const part of m.parts) {
    const R = part.A.length / m.in;
    const inner = m.inner + 4 * part.column;
    const from = dy + 4 * part.row;
    // prettier-ignore
    kernels.gemm_transposed(
      from, m.out, inner, m.columns, part.dB.pointer, R, part.out, R, rows, temporary,
    );
    // prettier-ignore
    kernels.gemm(from, m.out, part.bBackward, part.out * PANEL, inner, m.columns, rows, R, part.out, 0);
    // prettier-ignore
    kernels.gemm_transposed(
      inner, m.columns, x, m.in, part.dA.pointer, m.in, R, m.in, rows, temporary,
    );
    if (dx === null) continue;
    kernels.gemm(inner, m.columns, part.aBackward, R * PANEL, dx, m.in, rows, m.in, R, 1);
  }
}

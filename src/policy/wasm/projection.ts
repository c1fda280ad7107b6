import { own } from '../ops/own.ts';
import type { Norm, Projection } from '../ops/ops.ts';
import { pad8, TYPE_CODE, WasmLora, WasmMatrix, WasmTokens, WasmVector } from './handles.ts';
import type { WasmMemory } from './memory.ts';

/** Float32 rows somewhere in memory, `stride` values apart. */
export interface Rows {
  readonly at: number;
  readonly stride: number;
}

/** How a product begins: as in kernels/simd.h. */
export const ZERO = 0;
export const ADD = 1;
const BIAS = 2;
const FLOATS = TYPE_CODE.f32;
/** Scratch of `multiply` and `multiply_back`. */
const BLOCK_BYTES = 4 * 8192;

const blockScratch = (memory: WasmMemory): number => memory.scratch('block', BLOCK_BYTES);

/** Rows of scratch: `name` keeps those apart that are needed together. */
export function scratchRows(memory: WasmMemory, name: string, rows: number, width: number): Rows {
  const stride = pad8(width);
  return { at: memory.scratch(name, 4 * rows * stride), stride };
}

/** y[rows, out] = begin + x Wᵀ */
export function multiplyMatrix(
  memory: WasmMemory,
  W: WasmMatrix,
  x: Rows,
  y: Rows,
  rows: number,
  begin: number,
  bias = 0,
): void {
  const block = blockScratch(memory);
  // prettier-ignore
  memory.kernels.multiply(
    TYPE_CODE[W.type], x.at, x.stride, W.at, W.scales, W.depth, y.at, y.stride, rows, pad8(W.out), W.in,
    begin, bias, block,
  );
}

/** dx[rows, in] = begin + dy W */
export function multiplyBack(
  memory: WasmMemory,
  W: WasmMatrix,
  dy: Rows,
  dx: Rows,
  rows: number,
  begin: number,
): void {
  const block = blockScratch(memory);
  // prettier-ignore
  memory.kernels.multiply_back(
    TYPE_CODE[W.type], dy.at, dy.stride, W.at, W.scales, W.depth, dx.at, dx.stride, rows, W.out, W.in, begin,
    block,
  );
}

/** A x of all parts: [rows, columns]. */
function multiplyInner(memory: WasmMemory, lora: WasmLora, x: Rows, rows: number): Rows {
  const { columns, shape } = lora;
  const inner = scratchRows(memory, 'inner', rows, columns);
  // prettier-ignore
  memory.kernels.multiply(
    FLOATS, x.at, x.stride, lora.A, 0, pad8(shape.in), inner.at, inner.stride, rows, columns, shape.in, ZERO,
    0, 0,
  );
  return inner;
}

/** y[rows, out] (+)= x Wᵀ + b + scale · (x Aᵀ) Bᵀ */
export function project(
  memory: WasmMemory,
  by: Projection,
  x: Rows,
  y: Rows,
  rows: number,
  begin: typeof ZERO | typeof ADD,
): void {
  const W = own(WasmMatrix, by.matrix);
  const bias = by.bias && own(WasmVector, by.bias).at;
  if (bias && begin === ADD) memory.kernels.add_rows(y.at, y.stride, bias, 0, rows, W.out);
  multiplyMatrix(memory, W, x, y, rows, bias && begin === ZERO ? BIAS : begin, bias ?? 0);
  if (!by.lora) return;
  const lora = own(WasmLora, by.lora);
  const inner = multiplyInner(memory, lora, x, rows);
  for (const { row, out, column, B } of lora.parts) {
    const from = inner.at + 4 * column;
    // Whole panels are written. Where they would reach past the part, they go elsewhere first.
    const exact = out % 8 === 0;
    const to = exact
      ? { at: y.at + 4 * row, stride: y.stride }
      : scratchRows(memory, 'part', rows, out);
    // prettier-ignore
    memory.kernels.multiply(
      FLOATS, from, inner.stride, B, 0, lora.rank, to.at, to.stride, rows, pad8(out), lora.rank,
      exact ? ADD : ZERO, 0, 0,
    );
    if (!exact) memory.kernels.add_rows(y.at + 4 * row, y.stride, to.at, to.stride, rows, out);
  }
}

/** Adds dyᵀ x to the gradient of a matrix that learns. */
export function learnMatrix(
  memory: WasmMemory,
  W: WasmMatrix,
  x: Rows,
  dy: Rows,
  rows: number,
): void {
  if (W.gradient === 0) return;
  const width = pad8(W.in);
  const turned = memory.scratch('turned', 4 * 128 * (W.out + 6 + width));
  // prettier-ignore
  memory.kernels.multiply_transposed(
    dy.at, dy.stride, x.at, x.stride, W.gradient, width, W.out, width, rows, turned,
  );
}

/**
 * dx[rows, in] = dy W + scale · (dy B) A, and the gradients of A and B where they are trained, and of W
 * and b where they learn. Where nothing below learns, `dx` is null.
 */
export function projectBackward(
  memory: WasmMemory,
  by: Projection,
  x: Rows,
  dy: Rows,
  dx: Rows | null,
  rows: number,
): void {
  const { kernels } = memory;
  const W = own(WasmMatrix, by.matrix);
  if (dx) multiplyBack(memory, W, dy, dx, rows, ZERO);
  learnMatrix(memory, W, x, dy, rows);
  const bias = by.bias && own(WasmVector, by.bias).gradient;
  if (bias) kernels.add_rows(bias, 0, dy.at, dy.stride, rows, W.out);
  if (!by.lora) return;
  const lora = own(WasmLora, by.lora);
  const { columns, rank, shape } = lora;
  const width = pad8(shape.in);
  const block = blockScratch(memory);
  const { trained } = lora.adapter;
  if (!trained && !dx) return;
  const inner = trained ? multiplyInner(memory, lora, x, rows) : null;
  const dInner = scratchRows(memory, 'dInner', rows, columns);
  const tallest = Math.max(columns, ...lora.parts.map(({ out }) => out));
  const turned = memory.scratch('turned', 4 * 128 * (tallest + 6 + Math.max(width, rank)));
  for (const { row, out, column, B, dB } of lora.parts) {
    const from = dy.at + 4 * row;
    // prettier-ignore
    kernels.multiply_back(
      FLOATS, from, dy.stride, B, 0, rank, dInner.at + 4 * column, columns, rows, out, rank, ZERO, block,
    );
    if (inner)
      // prettier-ignore
      kernels.multiply_transposed(
        from, dy.stride, inner.at + 4 * column, columns, dB, rank, out, rank, rows, turned,
      );
  }
  if (trained)
    // prettier-ignore
    kernels.multiply_transposed(
      dInner.at, columns, x.at, x.stride, lora.dA, width, columns, width, rows, turned,
    );
  if (dx)
    // prettier-ignore
    kernels.multiply_back(
      FLOATS, dInner.at, columns, lora.A, 0, width, dx.at, dx.stride, rows, columns, shape.in, ADD, block,
    );
}

/** rms(x) of the tokens' rows, into scratch. */
export function normTokens(
  memory: WasmMemory,
  x: Rows,
  width: number,
  norm: Norm,
  tokens: WasmTokens,
): Rows {
  const y = scratchRows(memory, 'normed', tokens.count, width);
  const weight = own(WasmVector, norm.weight).at;
  // prettier-ignore
  memory.kernels.norm_rows(
    x.at, x.stride, 0, weight, 0, y.at, y.stride, tokens.count, width, norm.eps,
  );
  return y;
}

/** dx += gradient through `normTokens` */
export function normTokensBackward(
  memory: WasmMemory,
  x: Rows,
  width: number,
  norm: Norm,
  tokens: WasmTokens,
  dy: Rows,
  dx: Rows,
): void {
  const { at: weight, gradient } = own(WasmVector, norm.weight);
  // prettier-ignore
  memory.kernels.norm_rows_backward(
    x.at, x.stride, 0, weight, 0, dy.at, dy.stride, dx.at, dx.stride, tokens.count, width, norm.eps,
    gradient,
  );
}

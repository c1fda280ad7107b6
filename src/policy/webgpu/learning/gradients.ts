import type { MatrixShape } from '../../ops/values.ts';
import type { Range } from '../device/device.ts';
import type { Gpu } from '../device/gpu.ts';
import type { MatrixSlopes, Rows, VectorSlopes } from '../device/learned.ts';
import { strideOf } from '../device/sizes.ts';
import type { GpuMatrix, GpuVector } from '../device/values.ts';
import {
  ADD_PARTS,
  addParts,
  COLUMN_SUMS,
  columnSums,
  HEAD_GAINS,
  headGains,
  MATRIX_GRADIENT,
  matrixGradient,
  NORM_ROWS,
  normRows,
  SPLIT_ROWS,
} from './kernels.ts';

const parts = (gpu: Gpu, splits: number, size: number): Range =>
  gpu.scratch('learning: parts', splits * size * 4);

function add(gpu: Gpu, from: Range, gradient: Range, size: number, splits: number): void {
  gpu.encoder.dispatch(
    addParts(),
    [from, gradient],
    ADD_PARTS.words({ size, splits }),
    Math.ceil(size / 64),
  );
}

/** Workgroups that fill a large device, and rows that are worth one. */
const MANY_GROUPS = 1024;
const LEAST_ROWS = 128;

/** Adds Σ dyᵀ x to a matrix' gradient [out, stride], whose rows are in the device's order. */
export const learnMatrix =
  (gpu: Gpu, matrix: GpuMatrix, gradient: Range) =>
  ({ x, norm, dy, rows, part }: MatrixSlopes): void => {
    const stride = strideOf(matrix.in);
    const { first, count: out } = part ?? { first: 0, count: matrix.out };
    const input = norm ? normed(gpu, x, norm, { rows, width: matrix.in }) : x;
    const [columns, tiles] = [Math.ceil(matrix.in / 64), Math.ceil(out / 64)];
    const most = Math.max(1, Math.floor(rows / LEAST_ROWS));
    const splits = Math.min(most, Math.max(1, Math.ceil(MANY_GROUPS / (columns * tiles))));
    // Whole steps of 16 rows, so that no two splits read the same one.
    const split = Math.ceil(rows / splits / 16) * 16;
    const used = Math.ceil(rows / split);
    const size = out * stride;
    const sums = parts(gpu, used, size);
    gpu.encoder.dispatch(
      matrixGradient(),
      [dy.buffer, input.buffer, sums],
      MATRIX_GRADIENT.words({
        rows,
        split,
        out,
        yStride: dy.stride,
        xStride: input.stride / 4,
        gStride: stride / 4,
      }),
      [columns, tiles, used],
    );
    const { buffer, offset } = gradient;
    const to = { buffer, offset: offset + first * stride * 4, size: size * 4 };
    add(gpu, sums, to, size, used);
  };

function normed(
  gpu: Gpu,
  x: Rows,
  { gain, eps }: NonNullable<MatrixSlopes['norm']>,
  { rows, width }: { rows: number; width: number },
): Rows {
  const stride = strideOf(width);
  const buffer = gpu.scratch('learning: normed rows', rows * stride * 4);
  gpu.encoder.dispatch(
    normRows(),
    [x.buffer, gain.buffer, buffer],
    NORM_ROWS.words({ width, xStride: x.stride, nStride: stride, eps }),
    rows,
  );
  return { buffer, stride };
}

/** How a vector learns. */
export interface LearnedVector {
  readonly learn: (slopes: VectorSlopes) => void;
  /** Of the matrix whose bias it is: how its values lie. */
  turned: MatrixShape['turned'];
}

/** Adds to a vector's gradient. */
export function learnVector(gpu: Gpu, { length }: GpuVector, gradient: Range): LearnedVector {
  const learned: LearnedVector = {
    turned: undefined,
    learn: (o) => {
      const splits = Math.ceil(o.rows / SPLIT_ROWS);
      const sums = parts(gpu, splits, length);
      if (o.kind === 'heads') {
        const { raw, given, turns, rows, heads, headDim, column, scale, eps } = o;
        gpu.encoder.dispatch(
          headGains({ rotary: turns !== null }),
          [raw.buffer, ...(turns ? [turns.angles, turns.tokens] : []), given.buffer, sums],
          HEAD_GAINS.words({
            rows,
            heads,
            headDim,
            column,
            scale,
            eps,
            rawStride: raw.stride,
            givenStride: given.stride,
          }),
          splits,
        );
      } else {
        const norm = o.kind === 'gain';
        if (!norm) learned.turned = o.turned;
        const [d, x, picks] = norm ? [o.dn, o.x, o.picks] : [o.dy, null, undefined];
        gpu.encoder.dispatch(
          columnSums({ norm, picked: picks !== undefined }),
          [...(x ? [x.buffer] : []), ...(picks ? [picks] : []), d.buffer, sums],
          COLUMN_SUMS.words({
            rows: o.rows,
            width: length,
            xStride: x?.stride ?? 0,
            dStride: d.stride,
            eps: norm ? o.eps : 0,
          }),
          [splits, Math.ceil(length / 64)],
        );
      }
      add(gpu, sums, gradient, length, splits);
    },
  };
  return learned;
}

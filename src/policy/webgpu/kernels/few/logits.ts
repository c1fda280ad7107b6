import type { HeadInput } from '../../../ops/ops.ts';
import type { Range } from '../../device/device.ts';
import type { Gpu } from '../../device/gpu.ts';
import { strideOf } from '../../device/sizes.ts';
import { GpuActivations, GpuMatrix, own } from '../../device/values.ts';
import { bucketOf } from './product.ts';
import { runProduct } from './run-product.ts';
import type { FewState } from './state.ts';

/** Logits [rows][stride] of at most 64 rows of x, in memory that is made for `room` rows. */
export interface Logits {
  readonly logits: Range;
  readonly stride: number;
  readonly vocabulary: number;
  readonly room: number;
}

/**
 * @param table rows of x, at words 0, 8, 16 … of it; null where they are the first ones in order
 */
export function fewLogits(
  gpu: Gpu,
  state: FewState,
  o: HeadInput,
  rows: number,
  table: Range | null,
): Logits {
  const [x, matrix] = [own(GpuActivations, o.x), own(GpuMatrix, o.head)];
  const memory = table ? state.gathered(x, o.norm, rows, table) : state.normed(x, o.norm, rows);
  const room = bucketOf(rows);
  const stride = strideOf(matrix.out);
  const logits = gpu.scratch('logits', room * stride * 4);
  runProduct(gpu, {
    name: 'logits',
    matrix,
    rows,
    x: memory.range,
    xStride: memory.xStride,
    low: null,
    norm: {
      squaresAt: memory.squaresAt,
      eps: o.norm.eps,
    },
    bias: null,
    yStride: stride,
    bound: [
      {
        name: 'y',
        type: 'array<f32>',
        access: 'w',
        binding: logits,
      },
    ],
    epilogue: ({ tile, rowTile }) => `
  for (var n = li; n < ${tile.outs * rowTile}u; n += ${tile.threads}u) {
    let l = n % ${tile.outs}u; let t = n / ${tile.outs}u; let row = t0 + t; let o = u.row0 + first + l;
    if (row < u.rows && o < u.out) { y[row * u.yStride + o] = value(l, o, t, t0); }
  }`,
  });
  return { logits, stride, vocabulary: matrix.out, room };
}

import type { Gate } from '../../checkpoint/config.ts';
import type { Norm, Projection } from '../../ops/ops.ts';
import type { Range } from '../device/device.ts';
import type { Gpu } from '../device/gpu.ts';
import type { Rows } from '../device/learned.ts';
import { matrixLayout } from '../device/sizes.ts';
import { GpuActivations, GpuMatrix, GpuVector, own, type GpuMatrixPart } from '../device/values.ts';
import { NORM_BACKWARD, normBackward } from '../kernels/many/pointwise.ts';
import { PRODUCT, product } from '../kernels/many/product.ts';
import { TRANSPOSED, transposed } from '../kernels/many/transposed.ts';
import {
  adapterInput,
  adapterSlope,
  addFactorGradients,
  productParts,
  quadsOfRank,
  transposedParts,
  type Narrow,
  type NormOf,
} from './adapters.ts';

export const rowsOf = (handle: object): Rows => {
  const { buffer, stride } = own(GpuActivations, handle);
  return { buffer, stride };
};

export const normOf = ({ weight, eps }: Norm): NormOf => ({ gain: own(GpuVector, weight), eps });

/** The bindings W and, where the type has scales, S of a part. */
const matrixBindings = ({ units, scaleRange }: GpuMatrixPart): Range[] =>
  scaleRange ? [units, scaleRange] : [units];

export interface Multiplication {
  readonly by: Projection;
  readonly x: Rows;
  readonly norm: NormOf | null;
  readonly rows: number;
  readonly y: Rows;
  readonly to: 'store' | 'add' | 'gated';
  /** Gated: by what; silu where absent. */
  readonly gate?: Gate | undefined;
  /** Gated: gate and up, where they are kept. */
  readonly raw?: Rows | undefined;
}

/** y = W x (+ bias + adapter), in the natural order of W's rows; gated only where W is one part. */
export function multiply(gpu: Gpu, o: Multiplication): void {
  const { by, x, norm, rows, y, to, raw } = o;
  const matrix = own(GpuMatrix, by.matrix);
  const bias = by.bias && own(GpuVector, by.bias);
  const t = by.lora && adapterInput(gpu, by.lora, x, rows, norm);
  for (const part of matrix.parts) {
    const count = to === 'gated' ? part.rows / 2 : part.rows;
    gpu.encoder.dispatch(
      product({
        type: matrix.type,
        norm: norm !== null,
        bias: bias !== null,
        lora: t !== null,
        to,
        gate: o.gate ?? 'silu',
        raw: raw !== undefined,
      }),
      [
        part.units.buffer,
        x.buffer,
        ...(norm ? [norm.gain.buffer] : []),
        ...(bias ? [bias.buffer] : []),
        ...(t ? [t.buffer, t.lora.values] : []),
        y.buffer,
        ...(raw ? [raw.buffer] : []),
      ],
      PRODUCT.words(
        {
          rows,
          width: matrix.in,
          xStride: x.stride / 4,
          wRows: part.rows,
          wUnits: matrixLayout(matrix).units,
          wScales: part.scales / 16,
          first: 0,
          count,
          column: part.row,
          yStride: y.stride,
          rawStride: raw?.stride ?? 0,
          tStride: t?.stride ?? 0,
          rankQuads: t ? quadsOfRank(t.lora) : 0,
          turned: matrix.turned?.rows ?? 0,
          headDim: matrix.turned?.headDim ?? 2,
          scale: t?.lora.shape.scale ?? 0,
          eps: norm?.eps ?? 0,
        },
        t ? productParts(t.lora) : [],
      ),
      [Math.ceil(count / (to === 'gated' ? 32 : 64)), Math.ceil(rows / 64)],
    );
  }
}

/** dx = Wᵀ dy (+ the adapter's part u), dy in the device's order of W's rows. */
function multiplyBack(
  gpu: Gpu,
  matrix: GpuMatrix,
  o: { dy: Rows; u: Narrow | null; rows: number; dx: Rows },
): void {
  const { dy, u, rows, dx } = o;
  matrix.parts.forEach((part, i) => {
    // The adapter's part is added once, after the last rows of W.
    const last = i === matrix.parts.length - 1 ? u : null;
    gpu.encoder.dispatch(
      transposed({ type: matrix.type, lora: last !== null, go: i > 0, blocks: false }),
      [
        ...matrixBindings(part),
        dy.buffer,
        ...(last ? [last.buffer, last.lora.values] : []),
        dx.buffer,
      ],
      TRANSPOSED.words(
        {
          rows,
          width: matrix.in,
          yStride: dy.stride / 4,
          quad: part.row / 4,
          wRows: part.rows,
          wUnits: matrixLayout(matrix).units,
          first: 0,
          count: part.rows,
          xStride: dx.stride / 4,
          uStride: last?.stride ?? 0,
          rank: last?.lora.shape.rank ?? 0,
          aStride: matrixLayout(matrix).groups * 8,
        },
        last ? transposedParts(last.lora) : [],
      ),
      [Math.ceil(matrix.in / 64), Math.ceil(rows / 64)],
    );
  });
}

/**
 * The backward twin of `multiply`: adds to the gradients of the factors; dx ← Wᵀ dy or, where x was normed, dx +=
 * that through the norm. @param o.dx null where nothing below learns
 */
export function multiplyBackward(
  gpu: Gpu,
  o: {
    by: Projection;
    x: Rows;
    norm: NormOf | null;
    rows: number;
    dy: Rows;
    dx: Rows | null;
  },
): void {
  const { by, x, norm, rows, dy, dx } = o;
  const matrix = own(GpuMatrix, by.matrix);
  const { lora } = by;
  const u = lora && (dx || lora.adapter.trained) ? adapterSlope(gpu, lora, dy, rows) : null;
  if (lora && u && lora.adapter.trained) {
    const t = adapterInput(gpu, lora, x, rows, norm);
    addFactorGradients(gpu, rows, { x, norm, dy, t, u });
  }
  matrix.learn?.({ x, norm, rows, dy });
  if (by.bias) own(GpuVector, by.bias).learn?.({ kind: 'bias', dy, rows, turned: matrix.turned });
  if (!dx) return;
  if (!norm) {
    multiplyBack(gpu, matrix, { dy, u, rows, dx });
    return;
  }
  const dn = {
    buffer: gpu.scratch('many: gradient of a normed input', rows * x.stride * 4),
    stride: x.stride,
  };
  multiplyBack(gpu, matrix, { dy, u, rows, dx: dn });
  norm.gain.learn?.({ kind: 'gain', x, dn, rows, eps: norm.eps });
  gpu.encoder.dispatch(
    normBackward(),
    [x.buffer, norm.gain.buffer, dn.buffer, dx.buffer],
    NORM_BACKWARD.words({
      width: matrix.in,
      xStride: x.stride,
      dnStride: dn.stride,
      dxStride: dx.stride,
      eps: norm.eps,
    }),
    [rows, 1],
  );
}

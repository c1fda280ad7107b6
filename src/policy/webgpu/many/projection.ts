import type { Gate } from '../../checkpoint/config.ts';
import type { Norm, Projection } from '../../ops/ops.ts';
import type { Range } from '../device/device.ts';
import type { Gpu } from '../device/gpu.ts';
import type { Rows } from '../device/learned.ts';
import { matrixLayout, rankStride, strideOf } from '../device/sizes.ts';
import {
  GpuActivations,
  GpuMatrix,
  GpuVector,
  own,
  type GpuMatrixPart,
  GpuLora,
} from '../device/values.ts';
import { NORM_BACKWARD, normBackward } from '../kernels/many/pointwise.ts';
import { PRODUCT, product } from '../kernels/many/product.ts';
import { TRANSPOSED, transposed } from '../kernels/many/transposed.ts';
import type { Lora } from '../../ops/values.ts';
import { FACTOR_GRADIENT, factorGradient } from '../kernels/many/factor-gradient.ts';
import { LOW_RANK, lowRank } from '../kernels/many/low-rank.ts';
import type { Part } from '../kernels/many/params.ts';

interface NormOf {
  readonly gain: GpuVector;
  readonly eps: number;
}

/** What an adapter's narrow products left: [rows, parts × rank filled up to 4]. */
interface Narrow {
  readonly lora: GpuLora;
  readonly buffer: Range;
  /** Of a row, in quads. */
  readonly stride: number;
}

const quadsOfRank = ({ shape }: Lora): number => rankStride(shape.rank) / 4;

const blocksOf = ({ shape }: Lora): number => Math.ceil(shape.rank / 16);

const aParts = (lora: GpuLora): Part[] =>
  lora.place.parts.map(({ a }, i) => [
    0,
    lora.shape.in,
    a - lora.place.from,
    i * quadsOfRank(lora),
  ]);

const bParts = (lora: GpuLora, unit: number): Part[] =>
  lora.place.parts.map(({ row, out, b }, i) => [
    row,
    out,
    (b - lora.place.from) / unit,
    i * quadsOfRank(lora),
  ]);

/** Parts for `product`, out of B. */
const productParts = (lora: GpuLora): Part[] => bParts(lora, 4);

/** Parts for `transposed`, out of A. */
const transposedParts = (lora: GpuLora): Part[] =>
  lora.place.parts.map(({ a }, i) => [0, 0, (a - lora.place.from) / 4, i * quadsOfRank(lora)]);

function narrow(gpu: Gpu, lora: GpuLora, rows: number, name: string): Narrow {
  const stride = lora.place.parts.length * quadsOfRank(lora);
  return { lora, stride, buffer: gpu.scratch(name, rows * stride * 16) };
}

const inverseOf = (gpu: Gpu, rows: number): Range => gpu.scratch('many: 1 / rms', rows * 4);

/** t = A x; with a norm, of the normed x, and `inverseOf` is filled. */
function adapterInput(gpu: Gpu, handle: Lora, x: Rows, rows: number, norm: NormOf | null): Narrow {
  const lora = own(GpuLora, handle);
  const t = narrow(gpu, lora, rows, 'many: A x');
  const { shape, values } = lora;
  const parts = aParts(lora);
  gpu.encoder.dispatch(
    lowRank({ side: 'A', norm: norm !== null }),
    norm
      ? [x.buffer, norm.gain.buffer, values, t.buffer, inverseOf(gpu, rows)]
      : [x.buffer, values, t.buffer],
    LOW_RANK.words(
      {
        rows,
        xStride: x.stride,
        rank: shape.rank,
        factorStride: strideOf(shape.in),
        tStride: t.stride,
        blocks: blocksOf(lora),
        scale: 1,
        eps: norm?.eps ?? 0,
      },
      parts,
    ),
    [Math.ceil(rows / 16), parts.length * blocksOf(lora)],
  );
  return t;
}

/** u = scale · Bᵀ dy */
function adapterSlope(gpu: Gpu, handle: Lora, dy: Rows, rows: number): Narrow {
  const lora = own(GpuLora, handle);
  const u = narrow(gpu, lora, rows, 'many: B dy');
  const { shape, values } = lora;
  const parts = bParts(lora, 4);
  gpu.encoder.dispatch(
    lowRank({ side: 'B', norm: false }),
    [dy.buffer, values, u.buffer],
    LOW_RANK.words(
      {
        rows,
        xStride: dy.stride,
        rank: shape.rank,
        factorStride: quadsOfRank(lora),
        tStride: u.stride,
        blocks: blocksOf(lora),
        scale: shape.scale,
        eps: 0,
      },
      parts,
    ),
    [Math.ceil(rows / 16), parts.length * blocksOf(lora)],
  );
  return u;
}

/** Adds to the gradients of A (out of x and u) and of B (out of dy and t). */
function addFactorGradients(
  gpu: Gpu,
  rows: number,
  o: { x: Rows; norm: NormOf | null; dy: Rows; t: Narrow; u: Narrow },
): void {
  const { lora } = o.t;
  const { shape, gradients } = lora;
  const blocks = blocksOf(lora);
  const add = (side: 'A' | 'B', wide: Rows, narrow: Narrow, norm: NormOf | null): void => {
    const parts = side === 'A' ? aParts(lora) : bParts(lora, 1);
    gpu.encoder.dispatch(
      factorGradient({ side, norm: norm !== null }),
      norm
        ? [wide.buffer, narrow.buffer, norm.gain.buffer, inverseOf(gpu, rows), gradients]
        : [wide.buffer, narrow.buffer, gradients],
      FACTOR_GRADIENT.words(
        {
          rows,
          wideStride: wide.stride,
          narrowStride: narrow.stride,
          rank: shape.rank,
          factorStride: side === 'A' ? strideOf(shape.in) : rankStride(shape.rank),
          blocks,
          scale: side === 'A' ? 1 : shape.scale,
        },
        parts,
      ),
      [Math.ceil(Math.max(...parts.map(([, width]) => width)) / 64), parts.length * blocks],
    );
  };
  add('B', o.dy, o.t, null);
  add('A', o.x, o.u, o.norm);
}

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

import type { Lora } from '../../ops/values.ts';
import type { Range } from '../device/device.ts';
import type { Gpu } from '../device/gpu.ts';
import type { Rows } from '../device/learned.ts';
import { rankStride, strideOf } from '../device/sizes.ts';
import { GpuLora, own, type GpuVector } from '../device/values.ts';
import { FACTOR_GRADIENT, factorGradient } from '../kernels/many/factor-gradient.ts';
import { LOW_RANK, lowRank } from '../kernels/many/low-rank.ts';
import type { Part } from '../kernels/many/params.ts';

export interface NormOf {
  readonly gain: GpuVector;
  readonly eps: number;
}

/** What an adapter's narrow products left: [rows, parts × rank filled up to 4]. */
export interface Narrow {
  readonly lora: GpuLora;
  readonly buffer: Range;
  /** Of a row, in quads. */
  readonly stride: number;
}

export const quadsOfRank = ({ shape }: Lora): number => rankStride(shape.rank) / 4;

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
export const productParts = (lora: GpuLora): Part[] => bParts(lora, 4);

/** Parts for `transposed`, out of A. */
export const transposedParts = (lora: GpuLora): Part[] =>
  lora.place.parts.map(({ a }, i) => [0, 0, (a - lora.place.from) / 4, i * quadsOfRank(lora)]);

function narrow(gpu: Gpu, lora: GpuLora, rows: number, name: string): Narrow {
  const stride = lora.place.parts.length * quadsOfRank(lora);
  return { lora, stride, buffer: gpu.scratch(name, rows * stride * 16) };
}

const inverseOf = (gpu: Gpu, rows: number): Range => gpu.scratch('many: 1 / rms', rows * 4);

/** t = A x; with a norm, of the normed x, and `inverseOf` is filled. */
export function adapterInput(
  gpu: Gpu,
  handle: Lora,
  x: Rows,
  rows: number,
  norm: NormOf | null,
): Narrow {
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
export function adapterSlope(gpu: Gpu, handle: Lora, dy: Rows, rows: number): Narrow {
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
export function addFactorGradients(
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

import type { AdapterShape, MatrixShape, MatrixType, StoreType } from '../../ops/values.ts';
import { DeviceError } from '../../ops/faults.ts';

/**
 * Bytes and places of everything on a WebGPU device, from shapes only, so that a plan can be made without
 * a device. `values.ts` and the kernels lay out by the same functions.
 */

export const padded = (n: number, to: number): number => Math.ceil(n / to) * to;

/** Every range that is bound on its own begins at a multiple of this. */
const ALIGNED = 256;
/** Smallest size of a buffer and what sizes are rounded up to, as `Device.buffer` does. */
const bufferBytes = (size: number): number => Math.max(16, padded(size, 16));

/** Values between the starts of two rows of activations. What lies beyond the width is zero. */
export const strideOf = (width: number): number => padded(width, 32);

export const activationBytes = (rows: number, width: number): number =>
  bufferBytes(rows * strideOf(width) * 4);

export const vectorBytes = (length: number): number => bufferBytes(strideOf(length) * 4);

export const rotaryBytes = (positions: number, pairs: number): number =>
  bufferBytes(positions * pairs * 8);

/** Output rows of a matrix that lie together. */
export const BLOCK = 64;

/** Weights in 16 bytes, neighbours along the input. */
export const PER_UNIT: Record<MatrixType, number> = { f32: 4, f16: 8, int8: 16, int4: 32 };

/**
 * A matrix is [block of 64 rows][unit][row of the block], a unit being 16 bytes of `PER_UNIT` neighbours
 * along the input; after all units, where there are scales, [block][group of 32][row of the block] of them in
 * 16 bits. Rows and inputs are filled up with zeros.
 */
export interface MatrixLayout {
  /** Groups of 32 inputs. */
  readonly groups: number;
  /** Units of a row. */
  readonly units: number;
  readonly blocks: number;
  /** Bytes of the units of a block, and of its scales. */
  readonly blockBytes: number;
  readonly scaleBytes: number;
}

export function matrixLayout({ out, in: inputs, type }: MatrixShape): MatrixLayout {
  const groups = Math.ceil(inputs / 32);
  const units = (groups * 32) / PER_UNIT[type];
  return {
    groups,
    units,
    blocks: Math.ceil(out / BLOCK),
    blockBytes: units * BLOCK * 16,
    scaleBytes: type === 'int8' || type === 'int4' ? groups * BLOCK * 2 : 0,
  };
}

/** Rows [row, row + rows) of a matrix, in a buffer of their own: units, then scales from `scales` on. */
export interface MatrixPart {
  readonly row: number;
  readonly rows: number;
  readonly blocks: number;
  readonly scales: number;
  readonly bytes: number;
}

/**
 * The buffers of a matrix: one, or where that is larger than the device binds at once, several by rows.
 * @param largest bytes of the largest binding
 */
export function matrixParts(shape: MatrixShape, largest: number): MatrixPart[] {
  const { blocks, blockBytes, scaleBytes } = matrixLayout(shape);
  const most = Math.floor(largest / blockBytes);
  if (most < 1)
    throw new DeviceError(
      `WebGPU: ${BLOCK} rows of a matrix [${shape.out}, ${shape.in}] in ${shape.type} take ${blockBytes} bytes, ` +
        `more than this device binds at once (${largest}). Choose a smaller weight type`,
    );
  const count = Math.max(1, Math.ceil(blocks / most));
  const each = Math.ceil(blocks / count);
  return Array.from({ length: count }, (_, i) => {
    const from = i * each;
    const here = Math.min(each, blocks - from);
    const scales = here * blockBytes;
    return {
      row: from * BLOCK,
      rows: Math.min(shape.out - from * BLOCK, here * BLOCK),
      blocks: here,
      scales,
      bytes: bufferBytes(scales + here * scaleBytes),
    };
  });
}

export const matrixBytes = (shape: MatrixShape, largest = Infinity): number =>
  matrixParts(shape, largest).reduce((sum, { bytes }) => sum + bytes, 0);

/** Values of a key that are stored: the head size filled up with zeros. */
export const storedDim = (headDim: number): number => padded(headDim, 4);

/** Bytes of all keys of a store [position][kvHead][dim]; as many values follow. */
export function keyBytes(positions: number, kvHeads: number, headDim: number, type: StoreType) {
  const each = type === 'f16' ? 2 : 4;
  return padded(positions * kvHeads * storedDim(headDim) * each, ALIGNED);
}

export const kvCacheBytes = (
  positions: number,
  kvHeads: number,
  headDim: number,
  type: StoreType,
): number => 2 * keyBytes(positions, kvHeads, headDim, type);

/** Of two tables of 16 bytes per row: a row per token, a row per run. At least 64 rows, which kernels bind at once. */
export const tokenTableBytes = (rows: number): number => Math.max(64, rows) * 16;
export const tokensBytes = (rows: number): number => 2 * tokenTableBytes(rows);

/** A table of 32 bytes and a result of 32 bytes per row. */
export const DRAW_BYTES = 32;
export const drawsBytes = (rows: number): number => 2 * bufferBytes(rows * DRAW_BYTES);

/** A table of 16 bytes and a result of 16 bytes per row. */
export const picksBytes = (rows: number): number => 2 * bufferBytes(rows * 16);

/** Where the factors of a part lie, in values from the start of all factors. */
interface FactorPlace {
  /** Rows [row, row + out) of the matrix. */
  readonly row: number;
  readonly out: number;
  /** A [rank, strideOf(in)], padded with zeros. */
  readonly a: number;
  /** B [out, rank filled up to 4]. */
  readonly b: number;
}

export interface LoraPlace {
  readonly parts: readonly FactorPlace[];
  /** First value and number of values; the first byte is aligned for a binding. */
  readonly from: number;
  readonly length: number;
}

/** Values between the starts of two rows of B. */
export const rankStride = (rank: number): number => padded(rank, 4);

/** Where all factors of an adapter lie, each at a multiple of 256 bytes. */
export function adapterPlaces(shapes: readonly AdapterShape[]): {
  loras: LoraPlace[];
  /** Values with what fills them up, and without. */
  held: number;
  length: number;
} {
  let at = 0;
  let length = 0;
  const take = (values: number): number => {
    const from = at;
    at += padded(values, ALIGNED / 4);
    return from;
  };
  const loras = shapes.map(({ in: inputs, rank, parts }): LoraPlace => {
    const from = at;
    const places = parts.map(({ row, out }): FactorPlace => {
      length += rank * (inputs + out);
      const a = take(rank * strideOf(inputs));
      return { row, out, a, b: take(out * rankStride(rank)) };
    });
    return { parts: places, from, length: at - from };
  });
  return { loras, held: at, length };
}

export const adapterBytes = (shapes: readonly AdapterShape[], trained: boolean): number =>
  bufferBytes(adapterPlaces(shapes).held * 4) * (trained ? 2 : 1);

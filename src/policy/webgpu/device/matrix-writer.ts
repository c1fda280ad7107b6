import type { PackedRows } from '../../checkpoint/packed-rows.ts';
import { halves, packedRows, rowCount, valuesOf } from '../../ops/quantise.ts';
import type { Matrix, MatrixShape, MatrixWriter } from '../../ops/values.ts';
import type { Gpu } from './gpu.ts';
import { BLOCK, matrixLayout, matrixParts, type MatrixLayout } from './sizes.ts';
import { deviceRow, GpuMatrix, type GpuMatrixPart } from './values.ts';

/** Rows of a matrix as they are held: the words of each row's units, and its scales. */
interface HeldRows {
  /** [rows][units][4] */
  readonly words: Uint32Array;
  /** [rows][groups]; null for types without. */
  readonly scales: Uint16Array | null;
}

/** Values that are in for those that a row lacks in its last group of 32 are zero. */
function filledUp(values: Float32Array, columns: number, width: number): Float32Array {
  if (columns === width) return values;
  const rows = values.length / columns;
  const all = new Float32Array(rows * width);
  for (let row = 0; row < rows; row++)
    all.set(values.subarray(row * columns, (row + 1) * columns), row * width);
  return all;
}

/**
 * Codes are held so that a mask and a product with a power of two give a float that is a multiple of the code:
 * with an offset of 8 (of 128), except for the highest one of a word, whose sign is the word's. `weights.ts` of the
 * kernels undoes it.
 */
function heldRows(
  rows: Float32Array | PackedRows,
  shape: MatrixShape,
  layout: MatrixLayout,
): HeldRows {
  const { type, in: columns } = shape;
  if (type === 'f32' || type === 'f16') {
    const all = filledUp(valuesOf(rows), columns, layout.groups * 32);
    if (type === 'f32') return { words: new Uint32Array(all.slice().buffer), scales: null };
    return { words: new Uint32Array(halves(all, layout.groups * 32).buffer), scales: null };
  }
  const { codes, scales } = packedRows(rows, columns, type);
  // A copy: the caller may write packed rows again, to a second device.
  const words = new Uint32Array(codes.slice().buffer);
  const flip = type === 'int4' ? 0x80000000 : 0x00808080;
  for (let i = 0; i < words.length; i++) words[i] = (words[i] ?? 0) ^ flip;
  return { words, scales };
}

interface Block {
  readonly words: Uint32Array<ArrayBuffer>;
  readonly scales: Uint16Array<ArrayBuffer>;
  filled: number;
}

/** The buffers of a matrix, zeros at first. @throws DeviceError */
export function matrixBuffers(gpu: Gpu, shape: MatrixShape, label: string): GpuMatrixPart[] {
  const { device } = gpu;
  const layout = matrixLayout(shape);
  const largest = Math.min(device.limits.maxStorageBufferBindingSize, device.limits.maxBufferSize);
  return matrixParts(shape, largest).map((part) => {
    const buffer = device.buffer(part.bytes, label);
    const scaleBytes = part.blocks * layout.scaleBytes;
    const units = { buffer, offset: 0, size: part.scales };
    const scaleRange = scaleBytes > 0 ? { buffer, offset: part.scales, size: scaleBytes } : null;
    return { ...part, units, scaleRange };
  });
}

/** Packs rows as they come and uploads each block of 64 as soon as it is whole. */
export class GpuMatrixWriter implements MatrixWriter {
  private readonly layout: MatrixLayout;
  private readonly parts: GpuMatrixPart[];
  private readonly blocks = new Map<number, Block>();
  private readonly spare: Block[] = [];
  private written = 0;

  constructor(
    private readonly gpu: Gpu,
    private readonly shape: MatrixShape,
    label: string,
  ) {
    this.layout = matrixLayout(shape);
    this.parts = matrixBuffers(gpu, shape, label);
  }

  write(from: number, given: Float32Array | PackedRows): void {
    const { shape, layout } = this;
    const rows = rowCount(given, shape.in);
    if (!Number.isInteger(rows) || from < 0 || from + rows > shape.out)
      throw new RangeError(`${rows} rows from ${from} on, in a matrix [${shape.out}, ${shape.in}]`);
    const held = heldRows(given, shape, layout);
    const rowWords = layout.units * 4;
    for (let i = 0; i < rows; i++) {
      const row = deviceRow(from + i, shape.turned);
      const index = Math.floor(row / BLOCK);
      const lane = row % BLOCK;
      const block = this.block(index);
      for (let unit = 0; unit < layout.units; unit++)
        for (let k = 0; k < 4; k++)
          block.words[(unit * BLOCK + lane) * 4 + k] = held.words[i * rowWords + unit * 4 + k] ?? 0;
      if (held.scales)
        for (let group = 0; group < layout.groups; group++)
          block.scales[group * BLOCK + lane] = held.scales[i * layout.groups + group] ?? 0;
      block.filled++;
      this.written++;
      if (block.filled === Math.min(BLOCK, shape.out - index * BLOCK)) this.upload(index, block);
    }
  }

  finish(): Matrix {
    if (this.written !== this.shape.out)
      throw new RangeError(`${this.written} of ${this.shape.out} rows of a matrix were written`);
    this.spare.length = 0;
    return new GpuMatrix(this.shape, [...this.parts]);
  }

  abandon(): void {
    for (const { units } of this.parts) this.gpu.encoder.release(units.buffer);
    this.parts.length = 0;
  }

  private block(index: number): Block {
    const known = this.blocks.get(index);
    if (known) return known;
    const { blockBytes, scaleBytes, blocks } = this.layout;
    // The last block may lack rows, which are zero, so it is a new one.
    const spare = index < blocks - 1 ? this.spare.pop() : undefined;
    const block = spare ?? {
      words: new Uint32Array(blockBytes / 4),
      scales: new Uint16Array(scaleBytes / 2),
      filled: 0,
    };
    this.blocks.set(index, block);
    return block;
  }

  private upload(index: number, block: Block): void {
    const part = this.parts.findLast(({ row }) => row <= index * BLOCK);
    if (!part) throw new RangeError(`block ${index} is in no part of the matrix`);
    const { buffer } = part.units;
    const at = index - part.row / BLOCK;
    const { blockBytes, scaleBytes } = this.layout;
    this.gpu.encoder.write(buffer, at * blockBytes, block.words);
    if (scaleBytes > 0) this.gpu.encoder.write(buffer, part.scales + at * scaleBytes, block.scales);
    this.blocks.delete(index);
    block.filled = 0;
    this.spare.push(block);
  }
}

import { halves, quantise } from '../ops/quantise.ts';
import type { Matrix, MatrixShape, MatrixWriter } from '../ops/values.ts';
import { TYPE_CODE, WasmMatrix } from './handles.ts';
import type { WasmMemory } from './memory.ts';

/** Values that are placed at one time. */
const STAGED = 2 ** 18;

/** Places rows into panels as they come; a row that is written twice counts once. */
export class WasmWriter implements MatrixWriter {
  readonly #memory: WasmMemory;
  readonly #matrix: WasmMatrix;
  readonly #written: Uint8Array;

  constructor(memory: WasmMemory, shape: MatrixShape, label: string) {
    this.#memory = memory;
    this.#matrix = new WasmMatrix(memory, shape, label);
    this.#written = new Uint8Array(shape.out);
  }

  write(from: number, values: Float32Array): void {
    const { out, in: columns } = this.#matrix;
    const rows = values.length / columns;
    if (!Number.isInteger(rows) || from < 0 || from + rows > out)
      throw new RangeError(
        `matrix: ${values.length} values from row ${from} are not rows of [${out}, ${columns}]`,
      );
    const most = Math.max(1, Math.floor(STAGED / columns));
    for (let row = 0; row < rows; row += most)
      this.#place(from + row, values.subarray(row * columns, Math.min(rows, row + most) * columns));
    this.#written.fill(1, from, from + rows);
  }

  finish(): Matrix {
    const missing = this.#written.indexOf(0);
    if (missing >= 0) throw new Error(`matrix: row ${missing} was not written`);
    this.#dropScratch();
    return this.#matrix;
  }

  abandon(): void {
    this.#dropScratch();
    for (const at of this.#matrix.blocks) this.#memory.release(at);
  }

  #dropScratch(): void {
    this.#memory.drop('staging');
    this.#memory.drop('staged scales');
  }

  #place(from: number, values: Float32Array): void {
    const memory = this.#memory;
    const { in: columns, type, depth, at, scales } = this.#matrix;
    const rows = values.length / columns;
    if (type === 'f32') {
      const staging = memory.scratch('staging', 4 * values.length);
      memory.floats(staging, values.length).set(values);
      memory.kernels.place_floats(staging, columns, from, rows, depth, at);
      return;
    }
    if (type === 'f16') {
      const bits = halves(values, columns);
      const staging = memory.scratch('staging', 2 * bits.length);
      memory.halves(staging, bits.length).set(bits);
      memory.kernels.place_halves(staging, columns, from, rows, depth, at);
      return;
    }
    const packed = quantise(values, columns, type);
    const staging = memory.scratch('staging', packed.codes.length);
    const stagedScales = memory.scratch('staged scales', 2 * packed.scales.length);
    memory.bytesAt(staging, packed.codes.length).set(packed.codes);
    memory.halves(stagedScales, packed.scales.length).set(packed.scales);
    // prettier-ignore
    memory.kernels.place_codes(
      TYPE_CODE[type], staging, stagedScales, from, rows, depth, at, scales,
    );
  }
}

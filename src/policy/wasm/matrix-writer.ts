import type { PackedRows } from '../checkpoint/packed-rows.ts';
import { groupsOf, halves, packedRows, rowCount, valuesOf } from '../ops/quantise.ts';
import type { Matrix, MatrixShape, MatrixWriter } from '../ops/values.ts';
import { TYPE_CODE, WasmMatrix } from './handles.ts';
import type { WasmMemory } from './memory.ts';

/** Values that are placed at one time. */
const STAGED = 2 ** 18;

/** Rows [from, to). */
function cut(
  rows: Float32Array | PackedRows,
  columns: number,
  from: number,
  to: number,
): Float32Array | PackedRows {
  if (rows instanceof Float32Array) return rows.subarray(from * columns, to * columns);
  const groups = groupsOf(columns);
  const bytes = (rows.codes.length / rows.scales.length) * groups;
  return {
    codes: rows.codes.subarray(from * bytes, to * bytes),
    scales: rows.scales.subarray(from * groups, to * groups),
  };
}

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

  write(from: number, given: Float32Array | PackedRows): void {
    const { out, in: columns } = this.#matrix;
    const rows = rowCount(given, columns);
    if (!Number.isInteger(rows) || from < 0 || from + rows > out)
      throw new RangeError(
        `matrix: ${rows} rows from ${from} on are not those of [${out}, ${columns}]`,
      );
    const most = Math.max(1, Math.floor(STAGED / columns));
    for (let row = 0; row < rows; row += most) {
      const end = Math.min(rows, row + most);
      this.#place(from + row, end - row, cut(given, columns, row, end));
    }
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

  #place(from: number, rows: number, given: Float32Array | PackedRows): void {
    const memory = this.#memory;
    const { in: columns, type, depth, at, scales } = this.#matrix;
    if (type === 'f32') {
      const values = valuesOf(given);
      const staging = memory.scratch('staging', 4 * values.length);
      memory.floats(staging, values.length).set(values);
      memory.kernels.place_floats(staging, columns, from, rows, depth, at);
      return;
    }
    if (type === 'f16') {
      const bits = halves(valuesOf(given), columns);
      const staging = memory.scratch('staging', 2 * bits.length);
      memory.halves(staging, bits.length).set(bits);
      memory.kernels.place_halves(staging, columns, from, rows, depth, at);
      return;
    }
    const packed = packedRows(given, columns, type);
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

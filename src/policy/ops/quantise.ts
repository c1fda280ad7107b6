import { fromFloat16, fromFloat16Bits, toFloat16, toFloat16Bits } from '../../base/float16.ts';
import type { PackedRows } from '../checkpoint/packed-rows.ts';
import type { MatrixType, PackedType } from '../checkpoint/weight-type.ts';

/** Values along the input that share a scale. */
export const GROUP = 32;

/** Groups of a row. */
export const groupsOf = (columns: number): number => Math.ceil(columns / GROUP);

/** Bytes of a group's codes. */
const groupBytes = (type: PackedType): number => (type === 'int8' ? GROUP : GROUP / 2);

/** Rows as they are held in a packed type: those that are packed stay as they are. */
export const packedRows = (
  rows: Float32Array | PackedRows,
  columns: number,
  type: PackedType,
): PackedRows => (rows instanceof Float32Array ? quantise(rows, columns, type) : rows);

/** Rows that come as values or packed. */
export const rowCount = (rows: Float32Array | PackedRows, columns: number): number =>
  rows instanceof Float32Array ? rows.length / columns : rows.scales.length / groupsOf(columns);

/** @throws TypeError for packed rows, which no other type takes */
export function valuesOf(rows: Float32Array | PackedRows): Float32Array {
  if (rows instanceof Float32Array) return rows;
  throw new TypeError('matrix: packed rows are for int8 and int4 only');
}

/** Bytes that `rows` rows take in a type, without what a device adds to fill up its tiles. */
export function rowBytes(type: MatrixType, rows: number, columns: number): number {
  if (type === 'f32') return 4 * rows * columns;
  if (type === 'f16') return 2 * rows * columns;
  return rows * groupsOf(columns) * (groupBytes(type) + 2);
}

const broken = (index: number, columns: number, why: string): RangeError =>
  new RangeError(
    `weights: the value in row ${Math.floor(index / columns)}, column ${index % columns} ${why}. ` +
      'The checkpoint is damaged: download or import it again',
  );

/** @throws RangeError that says where a value is no finite number */
function checkFinite(values: Float32Array, columns: number): void {
  // Finite exactly where every value is: a sum of float32 numbers cannot outgrow a double.
  let magnitude = 0;
  for (let i = 0; i < values.length; i++) magnitude += Math.abs(values[i] ?? 0);
  if (Number.isFinite(magnitude)) return;
  throw broken(
    values.findIndex((value) => !Number.isFinite(value)),
    columns,
    'is no finite number',
  );
}

/**
 * The scale of a group, rounded to binary16. `int8`: the largest value is ±127. `int4`: the value that
 * is largest in size is −8, so that a scale may be negative and all 16 codes serve.
 */
function scaleOf(values: Float32Array, from: number, to: number, type: PackedType): number {
  let largest = 0;
  for (let i = from; i < to; i++) {
    const value = values[i] ?? 0;
    if (Math.abs(value) > Math.abs(largest)) largest = value;
  }
  return toFloat16Bits(type === 'int8' ? Math.abs(largest) / 127 : largest / -8);
}

/** Half away from zero, as `Math.round` of a size: the same for a value and its negative. */
const rounded = (x: number): number => Math.sign(x) * Math.floor(Math.abs(x) + 0.5);

/**
 * Rounds rows [rows, columns] to codes and scales.
 * @throws RangeError where a value is no finite number, or a group is too large for a binary16 scale
 */
export function quantise(values: Float32Array, columns: number, type: PackedType): PackedRows {
  checkFinite(values, columns);
  const rows = values.length / columns;
  const groups = groupsOf(columns);
  const bytes = groupBytes(type);
  const [low, high] = type === 'int8' ? [-127, 127] : [-8, 7];
  const codes = new Uint8Array(rows * groups * bytes);
  const scales = new Uint16Array(rows * groups);
  for (let row = 0; row < rows; row++)
    for (let g = 0; g < groups; g++) {
      const at = row * groups + g;
      const from = row * columns + g * GROUP;
      const to = Math.min(from + GROUP, (row + 1) * columns);
      const bits = scaleOf(values, from, to, type);
      const scale = fromFloat16Bits(bits);
      if (!Number.isFinite(scale))
        throw broken(from, columns, `and its neighbours are too large for ${type}`);
      scales[at] = bits;
      for (let k = 0; k < GROUP; k++) {
        const value = from + k < to ? (values[from + k] ?? 0) : 0;
        const level = scale === 0 ? 0 : rounded(value / scale);
        const code = Math.min(high, Math.max(low, level));
        if (type === 'int8') codes[at * bytes + k] = code;
        else {
          const byte = at * bytes + (k >> 1);
          codes[byte] = (codes[byte] ?? 0) | ((code + 8) << (4 * (k & 1)));
        }
      }
    }
  return { codes, scales };
}

/** The values that codes and scales stand for: [rows, columns]. */
export function dequantise(packed: PackedRows, columns: number, type: PackedType): Float32Array {
  const groups = groupsOf(columns);
  const bytes = groupBytes(type);
  const rows = packed.scales.length / groups;
  const scales = fromFloat16(packed.scales);
  const values = new Float32Array(rows * columns);
  for (let row = 0; row < rows; row++)
    for (let column = 0; column < columns; column++) {
      const at = row * groups + Math.floor(column / GROUP);
      const k = column % GROUP;
      const byte = packed.codes[at * bytes + (type === 'int8' ? k : k >> 1)] ?? 0;
      const level = type === 'int8' ? (byte << 24) >> 24 : ((byte >> (4 * (k & 1))) & 15) - 8;
      values[row * columns + column] = level * (scales[at] ?? 0);
    }
  return values;
}

/**
 * The bits of values in binary16.
 * @throws RangeError where a value is no finite number in it
 */
export function halves(values: Float32Array, columns: number): Uint16Array {
  checkFinite(values, columns);
  const bits = toFloat16(values);
  const over = bits.findIndex((half) => (half & 0x7c00) === 0x7c00);
  if (over >= 0) throw broken(over, columns, `(${values[over]}) is too large for f16; use f32`);
  return bits;
}

/** What a matrix of a type holds in place of `values` [rows, columns]. */
export function heldValues(values: Float32Array, columns: number, type: MatrixType): Float32Array {
  if (type === 'f32') return values.slice();
  if (type === 'f16') return fromFloat16(halves(values, columns));
  return dequantise(quantise(values, columns, type), columns, type);
}

import { fromFloat16, fromFloat16Bits, toFloat16, toFloat16Bits } from '../../base/float16.ts';
import type { PackedRows, RoundingError } from '../checkpoint/packed-rows.ts';
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

/** The value of a group that is largest in size. */
function largestOf(values: Float32Array, from: number, to: number): number {
  let largest = 0;
  for (let i = from; i < to; i++) {
    const value = values[i] ?? 0;
    if (Math.abs(value) > Math.abs(largest)) largest = value;
  }
  return largest;
}

/**
 * Rounds values [from, to) to whole multiples of a scale between `low` and `high`, half away from zero.
 * @param bits those of `values`: a branch on the sign would be guessed wrong for every second value
 * @returns the largest difference from what they stand for then
 */
function roundGroup(
  values: Float32Array,
  bits: Int32Array,
  from: number,
  to: number,
  scale: number,
  low: number,
  high: number,
  levels: Int8Array,
  at: number,
): number {
  const turned = scale < 0 ? -1 : 0;
  let worst = 0;
  for (let i = from, k = at; i < to; i++, k++) {
    const value = values[i]!;
    // Truncated, as sizes are far below 2³¹.
    const size = (Math.abs(value / scale) + 0.5) | 0;
    const sign = (bits[i]! ^ turned) >> 31;
    let level = (size ^ sign) - sign;
    if (level < low) level = low;
    else if (level > high) level = high;
    levels[k] = level;
    const difference = Math.abs(value - Math.fround(level * scale));
    if (difference > worst) worst = difference;
  }
  return worst;
}

/** Two levels a byte, the first in the low half. */
function inHalves(levels: Int8Array): Uint8Array {
  const codes = new Uint8Array(levels.length / 2);
  for (let i = 0; i < codes.length; i++)
    codes[i] = (levels[2 * i]! + 8) | ((levels[2 * i + 1]! + 8) << 4);
  return codes;
}

/**
 * Rounds rows [rows, columns] to codes and scales. A scale is rounded to binary16; in `int8` the largest value is ±127,
 * in `int4` the value that is largest in size is −8, so that a scale may be negative and all 16 codes serve.
 * @param error is raised to the largest differences, where it is given
 * @throws RangeError where a value is no finite number, or a group is too large for a binary16 scale
 */
export function quantise(
  values: Float32Array,
  columns: number,
  type: PackedType,
  error?: RoundingError,
): PackedRows {
  checkFinite(values, columns);
  const rows = values.length / columns;
  const groups = groupsOf(columns);
  const [low, high] = type === 'int8' ? [-127, 127] : [-8, 7];
  const words = new Int32Array(values.buffer, values.byteOffset, values.length);
  const levels = new Int8Array(rows * groups * GROUP);
  const scales = new Uint16Array(rows * groups);
  for (let row = 0; row < rows; row++)
    for (let g = 0; g < groups; g++) {
      const at = row * groups + g;
      const from = row * columns + g * GROUP;
      const to = Math.min(from + GROUP, (row + 1) * columns);
      const largest = largestOf(values, from, to);
      const bits = toFloat16Bits(type === 'int8' ? Math.abs(largest) / 127 : largest / -8);
      const scale = fromFloat16Bits(bits);
      if (!Number.isFinite(scale))
        throw broken(from, columns, `and its neighbours are too large for ${type}`);
      scales[at] = bits;
      if (largest === 0) continue;
      const worst =
        scale === 0
          ? Math.abs(largest)
          : roundGroup(values, words, from, to, scale, low, high, levels, at * GROUP);
      if (error && worst > 0) {
        error.worst = Math.max(error.worst, worst);
        error.share = Math.max(error.share, worst / Math.abs(largest));
      }
    }
  const codes = type === 'int8' ? new Uint8Array(levels.buffer) : inHalves(levels);
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

import type { PolicyConfig } from '../../checkpoint/config.ts';
import type { ParameterSlot } from '../../checkpoint/weights.ts';
import {
  ggufName,
  interleavedHeads,
  interleavedRow,
  storedPlusOne,
  type GgufArchitecture,
} from '../names.ts';
import { typeShape } from '../types.ts';
import type { WrittenTensor, WrittenType } from './encode.ts';

/** Vectors stay F32, as llama.cpp's converter writes them; F16 where a row does not fill whole blocks. */
function typeFor(shape: readonly number[], type: WrittenType): WrittenType {
  if (shape.length < 2) return 'F32';
  return (shape.at(-1) ?? 0) % typeShape(type).values === 0 ? type : 'F16';
}

/** The tensor of a parameter in the file. */
export function tensorOf(
  architecture: GgufArchitecture,
  { name, shape }: Pick<ParameterSlot, 'name' | 'shape'>,
  type: WrittenType,
): WrittenTensor {
  const written = ggufName(architecture, name);
  if (written === null) throw new Error(`gguf: ${name} has no name in GGUF files`);
  return { name: written, shape, type: typeFor(shape, type) };
}

/** Rows in the order that llama.cpp turns them in. @param columns values per row */
export function interleave(values: Float32Array, headDim: number, columns: number): Float32Array {
  const out = new Float32Array(values.length);
  for (let row = 0; row * columns < values.length; row++)
    out.set(
      values.subarray(row * columns, (row + 1) * columns),
      interleavedRow(row, headDim) * columns,
    );
  return out;
}

/** Values of a parameter as the file holds them. */
export function writtenValues(
  architecture: GgufArchitecture,
  { headDim }: PolicyConfig,
  { name, shape }: Pick<ParameterSlot, 'name' | 'shape'>,
  values: Float32Array,
): Float32Array {
  if (interleavedHeads(architecture, name)) return interleave(values, headDim, shape[1] ?? 1);
  return storedPlusOne(architecture, name) ? values.map((value) => value + 1) : values;
}

import { variantOf, type PolicyConfig } from '../../checkpoint/config.ts';
import { EMBED, FINAL_NORM, type ParameterSlot } from '../../checkpoint/weights.ts';
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

/**
 * llama.cpp scales Gemma's embeddings by √hidden in float32, a model in bfloat16 by that rounded. The difference goes into
 * the embedding and, since that is the output matrix too, out of the norm before it: the model stays what it was.
 */
function embedRatio(config: PolicyConfig): number {
  const { embedScale } = variantOf(config);
  return embedScale === 1 ? 1 : embedScale / Math.fround(Math.sqrt(config.hiddenSize));
}

/** Values of a parameter as the file holds them. */
export function writtenValues(
  architecture: GgufArchitecture,
  config: PolicyConfig,
  { name, shape }: Pick<ParameterSlot, 'name' | 'shape'>,
  values: Float32Array,
): Float32Array {
  if (interleavedHeads(architecture, name))
    return interleave(values, config.headDim, shape[1] ?? 1);
  const ratio = embedRatio(config);
  if (ratio !== 1 && name === EMBED) return values.map((value) => value * ratio);
  if (!storedPlusOne(architecture, name)) return values;
  const divisor = name === FINAL_NORM && config.tieWordEmbeddings ? ratio : 1;
  return values.map((value) => (value + 1) / divisor);
}

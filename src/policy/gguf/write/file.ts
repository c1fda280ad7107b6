import type { PiecedFile } from '../../open/merged-files.ts';
import {
  encodeGgufHeader,
  paddingAfter,
  tensorBytes,
  tensorValues,
  type GgufMetadata,
  type WrittenTensor,
  type WrittenType,
} from './encode.ts';
import { toFloat16, toFloat16Bits } from '../../../base/float16.ts';
import { fitsHalf } from '../../checkpoint/weight-type.ts';

/** What a GGUF file holds; `values` are those of all tensors in order, in pieces of whole rows, none of two tensors. */
export interface GgufContent {
  readonly metadata: GgufMetadata;
  readonly tensors: readonly WrittenTensor[];
  readonly values: () => AsyncIterable<Float32Array>;
}

const BLOCK = 32;
const BLOCK_BYTES = 34;

/**
 * Q8_0 as ggml's `quantize_row_q8_0_ref` rounds: blocks of 32 values, each with a binary16 scale
 * `d = max|x| / 127` and 32 codes `round(x / d)`, halves away from zero. Every operation is rounded to float32.
 * @param values finite; a multiple of 32 of them
 */
export function quantizeQ8(values: Float32Array): Uint8Array<ArrayBuffer> {
  const blocks = values.length / BLOCK;
  const out = new Uint8Array(blocks * BLOCK_BYTES);
  const codes = new Int8Array(out.buffer);
  for (let block = 0; block < blocks; block++) {
    const from = block * BLOCK;
    let largest = 0;
    for (let i = from; i < from + BLOCK; i++) largest = Math.max(largest, Math.abs(values[i]!));
    const scale = Math.fround(largest / 127);
    const bits = toFloat16Bits(scale);
    const to = block * BLOCK_BYTES;
    out[to] = bits & 0xff;
    out[to + 1] = bits >>> 8;
    // Below 2^-128 the inverse overflows; the stored scale is 0 there, so codes mean nothing.
    const inverse = scale < 2 ** -128 ? 0 : Math.fround(1 / scale);
    for (let i = 0; i < BLOCK; i++) {
      const scaled = Math.fround(values[from + i]! * inverse);
      codes[to + 2 + i] = Math.sign(scaled) * Math.floor(Math.abs(scaled) + 0.5);
    }
  }
  return out;
}

/**
 * Values as a tensor type stores them.
 * @throws Error that says which values do not fit
 */
export function storeAs(
  type: WrittenType,
  tensor: string,
  values: Float32Array,
): Uint8Array<ArrayBuffer> {
  switch (type) {
    case 'F32':
      return new Uint8Array(new Float32Array(values).buffer);
    case 'F16':
      if (!fitsHalf(values))
        throw new Error(
          `${tensor} holds values beyond ±65504, which F16 cannot store; choose Q8_0 instead.`,
        );
      return new Uint8Array(toFloat16(values).buffer);
    case 'Q8_0':
      for (const value of values)
        if (!(Math.abs(value) < Infinity))
          throw new Error(
            `${tensor} holds values that are not finite numbers; Q8_0 needs finite ones.`,
          );
      return quantizeQ8(values);
  }
}

async function* pieces(header: Uint8Array<ArrayBuffer>, { tensors, values }: GgufContent) {
  yield header;
  const given = values()[Symbol.asyncIterator]();
  for (const tensor of tensors) {
    let left = tensorValues(tensor);
    while (left > 0) {
      const { value, done } = await given.next();
      if (done || value.length > left)
        throw new Error(`gguf: ${tensor.name} was given other values than its shape asks for`);
      yield storeAs(tensor.type, tensor.name, value);
      left -= value.length;
    }
    yield new Uint8Array(paddingAfter(tensorBytes(tensor)));
  }
}

/** A GGUF file, written tensor by tensor. */
export function ggufFile(name: string, content: GgufContent): PiecedFile {
  const header = encodeGgufHeader(content.metadata, content.tensors);
  const padded = (bytes: number): number => bytes + paddingAfter(bytes);
  const data = content.tensors.reduce((sum, tensor) => sum + padded(tensorBytes(tensor)), 0);
  return { name, bytes: header.length + data, pieces: () => pieces(header, content) };
}

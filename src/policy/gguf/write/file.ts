import type { PiecedFile } from '../../open/merged-files.ts';
import {
  encodeGgufHeader,
  paddingAfter,
  tensorBytes,
  tensorValues,
  type GgufMetadata,
  type WrittenTensor,
} from './encode.ts';
import { storeAs } from './values.ts';

/** What a GGUF file holds; `values` are those of all tensors in order, in pieces of whole rows, none of two tensors. */
export interface GgufContent {
  readonly metadata: GgufMetadata;
  readonly tensors: readonly WrittenTensor[];
  readonly values: () => AsyncIterable<Float32Array>;
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

import { fromFloat16 } from '../../../base/float16.ts';
import { ByteReader } from '../../web/bytes.ts';
import { parameterShapes, type EncoderConfig, type EncoderWeights } from './weights.ts';

/** The built-in encoder out of the ONNX file that `pretrain/encoder/onnx-export.ts` writes. */

export const PRODUCER = 'forage';
export const GRAPH = 'encoder';
export const OUTPUT = 'sentence_embedding';

const HALVES = 10;
const STORED = '.f16';

/** Numbers of fields in onnx.proto3. */
const MODEL = { producer: 2, graph: 7 } as const;
const GRAPH_PROTO = { name: 2, initializer: 5 } as const;
const TENSOR = { dims: 1, type: 2, name: 8, data: 9 } as const;

/** Fields of a protobuf message: numbers, or bytes in place. @throws RangeError where it is cut off or none */
function* fields(bytes: Uint8Array): Generator<[field: number, value: number | Uint8Array]> {
  const reader = new ByteReader(bytes);
  while (!reader.done) {
    const key = reader.varint();
    const [field, wire] = [Math.floor(key / 8), key % 8];
    if (wire === 0) yield [field, reader.varint()];
    else if (wire === 2) yield [field, reader.block()];
    else if (wire === 1) yield [field, reader.raw(8)];
    else if (wire === 5) yield [field, reader.raw(4)];
    else throw new RangeError(`wire type ${wire}`);
  }
}

const textOf = (value: number | Uint8Array): string =>
  typeof value === 'number' ? '' : new TextDecoder().decode(value);

interface Tensor {
  name: string;
  type: number;
  dims: number[];
  data: Uint8Array;
}

function readTensor(bytes: Uint8Array): Tensor {
  const tensor: Tensor = { name: '', type: 0, dims: [], data: new Uint8Array() };
  for (const [field, value] of fields(bytes)) {
    if (field === TENSOR.name) tensor.name = textOf(value);
    else if (field === TENSOR.type) tensor.type = Number(value);
    else if (typeof value === 'number') continue;
    else if (field === TENSOR.data) tensor.data = value;
    else if (field === TENSOR.dims) {
      const packed = new ByteReader(value);
      while (!packed.done) tensor.dims.push(packed.varint());
    }
  }
  return tensor;
}

/** Tensors of halves by the name of what they are cast to; null where the file is of another maker. */
function readHalves(file: Uint8Array): Map<string, Tensor> | null {
  let graph: Uint8Array | null = null;
  for (const [field, value] of fields(file)) {
    // It stands before the graph: a large file of another maker is not read through.
    if (field === MODEL.producer && textOf(value) !== PRODUCER) return null;
    if (field === MODEL.graph && typeof value !== 'number') graph = value;
  }
  if (!graph) return null;
  const found = new Map<string, Tensor>();
  for (const [field, value] of fields(graph)) {
    if (field === GRAPH_PROTO.name && textOf(value) !== GRAPH) return null;
    if (field !== GRAPH_PROTO.initializer || typeof value === 'number') continue;
    const tensor = readTensor(value);
    if (tensor.type === HALVES && tensor.name.endsWith(STORED))
      found.set(tensor.name.slice(0, -STORED.length), tensor);
  }
  return found;
}

function configOf(tensors: ReadonlyMap<string, Tensor>): EncoderConfig {
  const dim = (name: string, axis: number): number => tensors.get(name)?.dims[axis] ?? 0;
  let layers = 0;
  while (tensors.has(`conv${layers}.in`)) layers++;
  return {
    vocabSize: dim('tokens', 0),
    hidden: dim('tokens', 1),
    inner: dim('conv0.in', 1),
    layers,
    out: dim('projection', 1),
    maxTokens: dim('positions', 0),
  };
}

/** What the file holds; null where it is none of ours, or not whole. */
export function readOnnx(
  file: Uint8Array,
): { config: EncoderConfig; weights: EncoderWeights } | null {
  let tensors: Map<string, Tensor> | null;
  try {
    tensors = readHalves(file);
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
  if (!tensors) return null;
  const config = configOf(tensors);
  const shapes = parameterShapes(config);
  // A tensor more is one whose name was damaged: the model would be run without its layer.
  if (tensors.size !== shapes.length) return null;
  const weights: EncoderWeights = {};
  for (const [name, shape] of shapes) {
    const { dims, data } = tensors.get(name) ?? { dims: [], data: new Uint8Array() };
    const size = shape.reduce((product, n) => product * n, 1);
    if (dims.join() !== shape.join() || size === 0 || data.length !== 2 * size) return null;
    // Halves may begin at an odd byte of the file.
    weights[name] = fromFloat16(new Uint16Array(new Uint8Array(data).buffer));
  }
  return { config, weights };
}

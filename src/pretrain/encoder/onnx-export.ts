import { toFloat16 } from '../../base/float16.ts';
import { GRAPH, OUTPUT, PRODUCER } from '../../retrieval/encoder/built-in/onnx-file.ts';
import { ByteWriter } from '../../retrieval/web/bytes.ts';
import {
  NORM_EPSILON,
  parameterShapes,
  type EncoderConfig,
  type EncoderWeights,
} from '../../retrieval/encoder/built-in/weights.ts';

const OPSET = 17;

/** The part of the ONNX file format (onnx.proto3, IR version 8) that the export here needs. */

const DATA_TYPE = { float: 1, int64: 7, float16: 10 } as const;
type DataType = keyof typeof DATA_TYPE;

/** Fields of one protobuf message, in the order in which they are added. */
class Message {
  readonly #out = new ByteWriter();

  /** int32, int64, enum (not negative). */
  int(field: number, value: number): this {
    this.#out.varint(field * 8).varint(value);
    return this;
  }

  text(field: number, value: string): this {
    this.#out.varint(field * 8 + 2).text(value);
    return this;
  }

  bytes(field: number, value: Uint8Array): this {
    this.#out.varint(field * 8 + 2).block(value);
    return this;
  }

  message(field: number, value: Message): this {
    return this.bytes(field, value.finish());
  }

  /** A repeated message. */
  messages(field: number, values: readonly Message[]): this {
    for (const value of values) this.message(field, value);
    return this;
  }

  /** A repeated int64, packed. */
  ints(field: number, values: readonly number[]): this {
    const packed = new ByteWriter();
    for (const value of values) packed.varint(value);
    return this.bytes(field, packed.finish());
  }

  finish(): Uint8Array {
    return this.#out.finish();
  }
}

/** Constant tensor; `data` is little endian. */
function tensor(name: string, type: DataType, dims: readonly number[], data: Uint8Array): Message {
  return new Message().ints(1, dims).int(2, DATA_TYPE[type]).text(8, name).bytes(9, data);
}

/** Constant vector of (possibly negative) 64-bit integers. */
function int64s(name: string, values: readonly number[]): Message {
  const data = new BigInt64Array(values.map(BigInt));
  return tensor(name, 'int64', [values.length], new Uint8Array(data.buffer));
}

/** Integer attribute of a node. */
const intAttribute = (name: string, value: number): Message =>
  new Message().text(1, name).int(3, value).int(20, 2);

function node(
  type: string,
  inputs: readonly string[],
  output: string,
  attributes: readonly Message[] = [],
): Message {
  const message = new Message();
  for (const input of inputs) message.text(1, input);
  return message.text(2, output).text(3, `${type}:${output}`).text(4, type).messages(5, attributes);
}

/** Input or output of a graph; a dimension that is a string is free and bears that name. */
function valueInfo(name: string, type: DataType, dims: readonly (number | string)[]): Message {
  const shape = new Message().messages(
    1,
    dims.map((dim) =>
      typeof dim === 'number' ? new Message().int(1, dim) : new Message().text(2, dim),
    ),
  );
  const tensorType = new Message().int(1, DATA_TYPE[type]).message(2, shape);
  return new Message().text(1, name).message(2, new Message().message(1, tensorType));
}

interface Graph {
  name: string;
  nodes: Message[];
  initializers: Message[];
  inputs: Message[];
  outputs: Message[];
}

/** A whole ONNX file with the standard operators of `opset`. */
function onnxModel(graph: Graph, opset: number): Uint8Array {
  const body = new Message()
    .messages(1, graph.nodes)
    .text(2, graph.name)
    .messages(5, graph.initializers)
    .messages(11, graph.inputs)
    .messages(12, graph.outputs);
  return new Message()
    .int(1, 8)
    .text(2, PRODUCER)
    .message(7, body)
    .message(8, new Message().text(1, '').int(2, opset))
    .finish();
}

/**
 * Writes the encoder as an ONNX file: `input_ids`, `attention_mask` (int64, [batch, length]) →
 * `sentence_embedding` (float32, [batch, out], unit length). Weights are stored as halves and cast
 * when the session is made; batch and length are free up to `maxTokens`.
 */
export function exportOnnx(config: EncoderConfig, weights: EncoderWeights): Uint8Array {
  const graph = new GraphBuilder();
  for (const [name, shape] of parameterShapes(config)) {
    graph.weight(name, shape, weights[name] ?? new Float32Array());
  }
  const mask = graph.add('Unsqueeze', [graph.cast('attention_mask'), graph.ints([2])]);
  const embedded = graph.add('Add', [
    graph.add('Gather', ['tokens', 'input_ids']),
    positions(graph),
  ]);
  let x = graph.add('Mul', [embedded, mask]);
  for (let layer = 0; layer < config.layers; layer++) x = convolution(graph, layer, x, mask);
  const gates = graph.add('Sigmoid', [graph.linear(x, 'gate', 'gateBias')]);
  const gated = graph.add('Mul', [x, graph.add('Mul', [gates, mask])]);
  const pooled = graph.sum(gated, 1, 0);
  normalize(graph, graph.add('MatMul', [pooled, 'projection']));
  return onnxModel(
    {
      name: GRAPH,
      nodes: graph.nodes,
      initializers: graph.initializers,
      inputs: ['input_ids', 'attention_mask'].map((name) =>
        valueInfo(name, 'int64', ['batch', 'length']),
      ),
      outputs: [valueInfo(OUTPUT, 'float', ['batch', config.out])],
    },
    OPSET,
  );
}

/** The first `length` rows of the position table. */
function positions(graph: GraphBuilder): string {
  const length = graph.add('Gather', [graph.add('Shape', ['input_ids']), graph.ints([1])]);
  return graph.add('Slice', ['positions', graph.ints([0]), length, graph.ints([0])]);
}

/** x + silu([left, x, right] · in + b) · out + b, padding kept at zero. */
function convolution(graph: GraphBuilder, layer: number, x: string, mask: string): string {
  const name = (part: string): string => `conv${layer}.${part}`;
  const padded = graph.add('Pad', [x, graph.ints([0, 1, 0, 0, 1, 0])]);
  const slice = (from: number, to: number): string =>
    graph.add('Slice', [padded, graph.ints([from]), graph.ints([to]), graph.ints([1])]);
  const window = graph.add('Concat', [slice(0, -2), x, slice(2, END)], [intAttribute('axis', 2)]);
  const inner = graph.linear(window, name('in'), name('inBias'));
  const active = graph.add('Mul', [inner, graph.add('Sigmoid', [inner])]);
  const outer = graph.linear(active, name('out'), name('outBias'));
  return graph.add('Add', [x, graph.add('Mul', [outer, mask])]);
}

function normalize(graph: GraphBuilder, x: string): void {
  const squares = graph.sum(graph.add('Mul', [x, x]), 1, 1);
  const norm = graph.add('Sqrt', [graph.add('Add', [squares, graph.scalar(NORM_EPSILON)])]);
  graph.nodes.push(node('Div', [x, norm], OUTPUT));
}

/** "To the end" for Slice. */
const END = 2 ** 31 - 1;

/** Collects nodes and constants, naming what they make. */
class GraphBuilder {
  readonly nodes: Message[] = [];
  readonly initializers: Message[] = [];
  #names = 0;

  add(type: string, inputs: readonly string[], attributes: readonly Message[] = []): string {
    const output = `v${this.#names++}`;
    this.nodes.push(node(type, inputs, output, attributes));
    return output;
  }

  /** Stores halves as `name.f16` and casts them to `name`. */
  weight(name: string, shape: readonly number[], values: Float32Array): void {
    const bits = toFloat16(values);
    this.initializers.push(tensor(`${name}.f16`, 'float16', shape, new Uint8Array(bits.buffer)));
    this.nodes.push(node('Cast', [`${name}.f16`], name, [intAttribute('to', DATA_TYPE.float)]));
  }

  cast(input: string): string {
    return this.add('Cast', [input], [intAttribute('to', DATA_TYPE.float)]);
  }

  linear(input: string, matrix: string, bias: string): string {
    return this.add('Add', [this.add('MatMul', [input, matrix]), bias]);
  }

  sum(input: string, axis: number, keepdims: 0 | 1): string {
    return this.add('ReduceSum', [input, this.ints([axis])], [intAttribute('keepdims', keepdims)]);
  }

  ints(values: readonly number[]): string {
    const name = `c${this.#names++}`;
    this.initializers.push(int64s(name, values));
    return name;
  }

  scalar(value: number): string {
    const name = `c${this.#names++}`;
    const data = new Uint8Array(new Float32Array([value]).buffer);
    this.initializers.push(tensor(name, 'float', [1], data));
    return name;
  }
}

import { PRODUCER } from '../../retrieval/encoder/built-in/onnx-file.ts';
import { Message } from './protobuf.ts';

/** The part of the ONNX file format (onnx.proto3, IR version 8) that the export here needs. */

export const DATA_TYPE = { float: 1, int64: 7, float16: 10 } as const;
export type DataType = keyof typeof DATA_TYPE;

/** Constant tensor; `data` is little endian. */
export function tensor(
  name: string,
  type: DataType,
  dims: readonly number[],
  data: Uint8Array,
): Message {
  return new Message().ints(1, dims).int(2, DATA_TYPE[type]).text(8, name).bytes(9, data);
}

/** Constant vector of (possibly negative) 64-bit integers. */
export function int64s(name: string, values: readonly number[]): Message {
  const data = new BigInt64Array(values.map(BigInt));
  return tensor(name, 'int64', [values.length], new Uint8Array(data.buffer));
}

/** Integer attribute of a node. */
export const intAttribute = (name: string, value: number): Message =>
  new Message().text(1, name).int(3, value).int(20, 2);

export function node(
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
export function valueInfo(
  name: string,
  type: DataType,
  dims: readonly (number | string)[],
): Message {
  const shape = new Message().messages(
    1,
    dims.map((dim) =>
      typeof dim === 'number' ? new Message().int(1, dim) : new Message().text(2, dim),
    ),
  );
  const tensorType = new Message().int(1, DATA_TYPE[type]).message(2, shape);
  return new Message().text(1, name).message(2, new Message().message(1, tensorType));
}

export interface Graph {
  name: string;
  nodes: Message[];
  initializers: Message[];
  inputs: Message[];
  outputs: Message[];
}

/** A whole ONNX file with the standard operators of `opset`. */
export function onnxModel(graph: Graph, opset: number): Uint8Array {
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

import type { FetchFile } from '../../../src/base/fetch-file.ts';
import type { OrtModule } from '../../../src/retrieval/encoder/runtime.ts';
import { readJson } from './model-folder.ts';

export interface Inputs {
  rows: number;
  length: number;
  /** Numbers of each input, row-major. */
  of: Readonly<Record<string, readonly number[]>>;
}

interface Model {
  inputs?: readonly string[];
  outputs?: readonly string[];
  type?: string;
  /** The model: values of the output that is asked for. */
  compute: (inputs: Inputs, output: string) => ArrayLike<number> | Promise<ArrayLike<number>>;
}

/** An onnxruntime whose one model is a function, so that a test can see what it is given. */
export function fakeOrt({
  inputs = ['input_ids', 'attention_mask'],
  outputs = ['state'],
  type = 'float32',
  compute,
}: Model): { ort: OrtModule; created: unknown[]; released: () => number } {
  const created: unknown[] = [];
  let released = 0;
  class Tensor {
    constructor(
      readonly kind: string,
      readonly data: BigInt64Array,
      readonly dims: readonly number[],
    ) {}
  }
  const session = {
    inputNames: inputs,
    outputNames: outputs,
    run: async (given: Record<string, Tensor>, wanted: readonly string[]) => {
      const [first] = Object.values(given);
      const [rows = NaN, length = NaN] = first?.dims ?? [];
      const of = Object.fromEntries(
        Object.entries(given).map(([name, { kind, data }]) => {
          if (kind !== 'int64') throw new Error(`${name} is ${kind}`);
          return [name, Array.from(data, Number)];
        }),
      );
      const [output = ''] = wanted;
      return { [output]: { type, data: await compute({ rows, length, of }, output), dims: [] } };
    },
    release: async () => void released++,
  };
  const ort = {
    Tensor,
    InferenceSession: {
      create: async (...args: unknown[]) => {
        created.push(args);
        return session;
      },
    },
  };
  return { ort: ort as unknown as OrtModule, created, released: () => released };
}

/** The tokenizer of the BERT fixture: [CLS] 2, [SEP] 3; letters and words of its texts. */
export const bertTokenizer = (): Record<string, unknown> =>
  readJson('test/fixtures/encoders/bert-cross/tokenizer.json') as Record<string, unknown>;

/** A folder from memory; "model.onnx" is there by default otherwise. */
export const folder =
  (files: Record<string, object>): FetchFile =>
  async (name) => {
    const bytes = new TextEncoder();
    if (files[name]) return bytes.encode(JSON.stringify(files[name]));
    if (name === 'model.onnx') return bytes.encode('model');
    throw new Error(`${name} is not there`);
  };

/** Rows of ids without what is masked. */
export const shown = ({ rows, length, of }: Inputs): number[][] =>
  Array.from({ length: rows }, (_, row) =>
    (of['input_ids'] ?? [])
      .slice(row * length, (row + 1) * length)
      .filter((_, i) => of['attention_mask']?.[row * length + i] === 1),
  );

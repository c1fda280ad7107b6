import { itemAt } from '../../base/items.ts';
import type { Ops } from '../ops/ops.ts';
import { own } from '../ops/own.ts';
import type { TrainableOps } from '../ops/trainable.ts';
import type { Matrix, Vector } from '../ops/values.ts';
import { pad8, WasmActivations, WasmMatrix, WasmPicks, WasmTokens, WasmVector } from './handles.ts';
import { scoreBackward } from './head.ts';
import type { WasmMemory } from './memory.ts';

const ownOf = (handle: Matrix | Vector): WasmMatrix | WasmVector =>
  handle.kind === 'matrix' ? own(WasmMatrix, handle) : own(WasmVector, handle);

/** Rows of a handle's values, and how far apart those of its gradient are. */
const layoutOf = (
  handle: WasmMatrix | WasmVector,
): { rows: number; width: number; stride: number } =>
  handle.kind === 'matrix'
    ? { rows: handle.out, width: handle.in, stride: pad8(handle.in) }
    : { rows: 1, width: handle.length, stride: pad8(handle.length) };

function checkLength(handle: WasmMatrix | WasmVector, values: Float32Array): void {
  const { rows, width } = layoutOf(handle);
  if (values.length !== rows * width)
    throw new RangeError(`${handle.kind}: ${values.length} values, it has ${rows * width}`);
}

/** The gradient of one that learns. */
function gradientOf(handle: WasmMatrix | WasmVector): number {
  if (handle.gradient === 0) throw new Error(`${handle.kind}: it does not learn`);
  return handle.gradient;
}

/** What trainable operations have beside the others. */
export const learningOver = (memory: WasmMemory): Omit<TrainableOps, keyof Ops> => ({
  learn(...handles) {
    for (const one of handles) {
      const handle = ownOf(one);
      if (handle.kind === 'matrix' && handle.type !== 'f32')
        throw new Error(`matrix: one that is held in ${handle.type} cannot learn; hold it in f32`);
      const { rows, stride } = layoutOf(handle);
      handle.gradient ||= memory.zeros(4 * rows * stride, 'gradient');
    }
    return {
      zero() {
        for (const one of handles) {
          const { rows, stride } = layoutOf(ownOf(one));
          memory.floats(gradientOf(ownOf(one)), rows * stride).fill(0);
        }
      },
      async read(into) {
        handles.forEach((one, i) => {
          const [handle, values] = [ownOf(one), itemAt(into, i, 'gradients')];
          checkLength(handle, values);
          const { rows, width, stride } = layoutOf(handle);
          const at = gradientOf(handle);
          for (let row = 0; row < rows; row++)
            values.set(memory.floats(at + 4 * row * stride, width), row * width);
        });
      },
    };
  },

  rewrite(one, values) {
    const handle = ownOf(one);
    checkLength(handle, values);
    if (handle.kind === 'vector') return memory.floats(handle.at, values.length).set(values);
    if (handle.type !== 'f32') throw new Error('matrix: only float32 can be rewritten');
    const { out, in: columns, depth, at } = handle;
    const staging = memory.scratch('staging', 4 * values.length);
    memory.floats(staging, values.length).set(values);
    memory.kernels.place_floats(staging, columns, 0, out, depth, at);
  },

  embedBackward({ table, tokens, dx }) {
    const [W, ids, from] = [
      own(WasmMatrix, table),
      own(WasmTokens, tokens),
      own(WasmActivations, dx),
    ];
    // prettier-ignore
    memory.kernels.scatter_rows(
      gradientOf(W), pad8(W.in), ids.ids, from.at, from.stride, ids.count, W.in,
    );
  },

  scoreAndLearn: (o) => scoreBackward(memory, o, true),

  async readHits(handle) {
    const { logprobs, hits, count } = own(WasmPicks, handle);
    return {
      logprobs: memory.floats(logprobs, count).slice(),
      hits: Uint8Array.from(memory.integers(hits, count)),
    };
  },
});

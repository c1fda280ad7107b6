import { itemAt } from '../../../base/items.ts';
import type { TrainableOps } from '../../ops/trainable.ts';
import type { Matrix, Vector } from '../../ops/values.ts';
import type { DeviceOptions, Range } from '../device/device.ts';
import type { Gpu } from '../device/gpu.ts';
import { BLOCK, matrixLayout, strideOf } from '../device/sizes.ts';
import {
  deviceRow,
  GpuActivations,
  GpuMatrix,
  GpuPicks,
  GpuTokens,
  GpuVector,
  own,
} from '../device/values.ts';
import { score, scoreBackward } from '../many/head.ts';
import { createWebGpuOps } from '../ops.ts';
import { learnMatrix, learnVector, type LearnedVector } from './gradients.ts';
import { TOKEN_GRADIENT, TOKEN_ROWS, tokenGradient, tokenRows, CHUNK_ROWS } from './kernels.ts';

const ownOf = (handle: Matrix | Vector): GpuMatrix | GpuVector =>
  handle.kind === 'matrix' ? own(GpuMatrix, handle) : own(GpuVector, handle);

const valuesOf = (handle: GpuMatrix | GpuVector): number =>
  handle.kind === 'matrix' ? handle.out * handle.in : handle.length;

function checkLength(handle: GpuMatrix | GpuVector, values: Float32Array): void {
  if (values.length !== valuesOf(handle))
    throw new RangeError(`${handle.kind}: ${values.length} values, it has ${valuesOf(handle)}`);
}

/** A float32 matrix as its parts hold it: see `matrixLayout`. */
function placed(matrix: GpuMatrix, values: Float32Array): Float32Array<ArrayBuffer>[] {
  const { units } = matrixLayout(matrix);
  const parts = matrix.parts.map(({ blocks }) => new Float32Array(blocks * units * BLOCK * 4));
  const each = (matrix.parts[0]?.blocks ?? 1) * BLOCK;
  for (let row = 0; row < matrix.out; row++) {
    const at = deviceRow(row, matrix.turned);
    const into = itemAt(parts, Math.floor(at / each), 'parts');
    const local = at % each;
    const start = (Math.floor(local / BLOCK) * units * BLOCK + (local % BLOCK)) * 4;
    for (let k = 0; k < matrix.in; k++)
      into[start + (k >> 2) * BLOCK * 4 + (k & 3)] = values[row * matrix.in + k] ?? 0;
  }
  return parts;
}

/** Where the gradient of one handle lies, and how. */
interface Learned {
  readonly handle: GpuMatrix | GpuVector;
  readonly range: Range;
  /** How a vector's values are ordered, once that is known. */
  readonly vector: LearnedVector | null;
}

/** Copies a gradient out of the device's order. */
function readOut({ handle, vector }: Learned, held: Float32Array, into: Float32Array): void {
  checkLength(handle, into);
  if (handle.kind === 'matrix') {
    const stride = strideOf(handle.in);
    for (let row = 0; row < handle.out; row++) {
      const at = deviceRow(row, handle.turned) * stride;
      into.set(held.subarray(at, at + handle.in), row * handle.in);
    }
    return;
  }
  for (let i = 0; i < handle.length; i++) into[i] = held[deviceRow(i, vector?.turned)] ?? NaN;
}

/** The block operations on WebGPU with gradients of what they compute with. @throws DeviceError */
export async function createTrainableWebGpuOps(options?: DeviceOptions): Promise<TrainableOps> {
  const ops = await createWebGpuOps(options);
  const { gpu } = ops;
  const tables = new WeakMap<object, Range>();
  const learning: Pick<
    TrainableOps,
    'learn' | 'rewrite' | 'embedBackward' | 'scoreAndLearn' | 'readHits'
  > = {
    learn(...handles) {
      const all = handles.map(ownOf);
      let size = 0;
      const places = all.map((handle) => {
        if (handle.kind === 'matrix' && handle.type !== 'f32')
          throw new Error(
            `matrix: one that is held in ${handle.type} cannot learn; hold it in f32`,
          );
        const offset = size;
        const bytes =
          4 *
          (handle.kind === 'matrix' ? handle.out * strideOf(handle.in) : strideOf(handle.length));
        // What is bound on its own begins at a multiple of 256 bytes.
        size += Math.ceil(bytes / 256) * 256;
        return { offset, size: bytes };
      });
      const buffer = gpu.device.buffer(size, 'gradients');
      const learned = all.map((handle, i): Learned => {
        const range = { buffer, ...itemAt(places, i, 'places') };
        if (handle.kind === 'matrix') {
          handle.learn = learnMatrix(gpu, handle, range);
          tables.set(handle, range);
          return { handle, range, vector: null };
        }
        const vector = learnVector(gpu, handle, range);
        handle.learn = vector.learn;
        return { handle, range, vector };
      });
      return {
        zero: () => gpu.encoder.clear(buffer),
        async read(into) {
          const held = new Float32Array(await gpu.reader.read(buffer));
          learned.forEach((one, i) => {
            const { offset, size: bytes } = one.range;
            const values = held.subarray(offset / 4, (offset + bytes) / 4);
            readOut(one, values, itemAt(into, i, 'gradients'));
          });
        },
      };
    },

    rewrite(one, values) {
      const handle = ownOf(one);
      checkLength(handle, values);
      if (handle.kind === 'vector') {
        gpu.encoder.write(handle.buffer, 0, Float32Array.from(values));
        return;
      }
      if (handle.type !== 'f32') throw new Error('matrix: only float32 can be rewritten');
      const parts = placed(handle, values);
      handle.parts.forEach(({ units }, i) =>
        gpu.encoder.write(units.buffer, 0, itemAt(parts, i, 'parts')),
      );
    },

    embedBackward({ table, tokens, dx }) {
      const range = tables.get(table);
      if (!range) throw new Error('matrix: it does not learn');
      embedBackward(gpu, own(GpuMatrix, table), range, own(GpuTokens, tokens), dx);
    },

    scoreAndLearn(o) {
      score(gpu, o);
      scoreBackward(gpu, o);
    },

    async readHits(handle) {
      const picks = own(GpuPicks, handle);
      const { count } = picks;
      const held = new Float32Array(await gpu.reader.read(picks.results, 0, count * 16));
      return {
        logprobs: Float32Array.from({ length: count }, (_, i) => held[4 * i] ?? NaN),
        hits: Uint8Array.from({ length: count }, (_, i) => held[4 * i + 3] ?? 0),
      };
    },
  };
  return Object.assign(ops, learning);
}

/** Rows by token, for `tokenRows` and `tokenGradient`. */
interface TokenTable {
  readonly words: Uint32Array<ArrayBuffer>;
  readonly chunks: number;
  /** Where in `words` the chunks begin. */
  readonly chunksAt: number;
  /** How many tokens occur. */
  readonly ids: number;
  readonly idsAt: number;
}

/** @param tokens 4 words per row, the token's id first */
function tokenTable(tokens: Uint32Array, count: number): TokenTable {
  const rowsOf = new Map<number, number[]>();
  for (let row = 0; row < count; row++) {
    const id = tokens[4 * row] ?? 0;
    const rows = rowsOf.get(id);
    if (rows) rows.push(row);
    else rowsOf.set(id, [row]);
  }
  const order: number[] = [];
  const chunks: number[] = [];
  const ids: number[] = [];
  for (const [id, rows] of rowsOf) {
    const first = chunks.length / 2;
    for (let at = 0; at < rows.length; at += CHUNK_ROWS)
      chunks.push(order.length + at, order.length + Math.min(rows.length, at + CHUNK_ROWS));
    for (const row of rows) order.push(row);
    ids.push(id, first, chunks.length / 2);
  }
  return {
    words: Uint32Array.from([...order, ...chunks, ...ids]),
    chunks: chunks.length / 2,
    chunksAt: order.length,
    ids: ids.length / 3,
    idsAt: order.length + chunks.length,
  };
}

/** See `TrainableOps.embedBackward`. */
function embedBackward(
  gpu: Gpu,
  table: GpuMatrix,
  gradient: Range,
  tokens: GpuTokens,
  dx: object,
): void {
  const { words, chunks, chunksAt, ids, idsAt } = tokenTable(tokens.words, tokens.count);
  if (chunks === 0) return;
  const rows = own(GpuActivations, dx);
  const index = gpu.scratch('learning: rows by token', words.byteLength);
  gpu.encoder.write(index.buffer, 0, words);
  const parts = gpu.scratch('learning: parts', chunks * table.in * 4);
  gpu.encoder.dispatch(
    tokenRows(),
    [index, rows.buffer, parts],
    TOKEN_ROWS.words({ width: table.in, dStride: rows.stride, chunks, at: chunksAt }),
    chunks,
  );
  gpu.encoder.dispatch(
    tokenGradient(),
    [index, parts, gradient],
    TOKEN_GRADIENT.words({ width: table.in, gStride: strideOf(table.in), ids, at: idsAt }),
    ids,
  );
}

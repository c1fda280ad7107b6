import { own } from '../ops/own.ts';
import type { TrainableOps } from '../ops/trainable.ts';
import type { Handle, Ops, Norm, ResidualInput } from '../ops/ops.ts';
import {
  attend,
  attendBackward,
  copyKeys,
  projectHeads,
  projectHeadsBackward,
} from './attention.ts';
import {
  TYPE_CODE,
  WasmActivations,
  WasmAdapter,
  WasmDraws,
  WasmMatrix,
  WasmPicks,
  WasmRotary,
  WasmStore,
  WasmTokens,
  WasmVector,
  pad8,
} from './handles.ts';
import { placePicks, readLogits, sample, score, scoreBackward } from './head.ts';
import { WasmMemory } from './memory.ts';
import {
  normTokens,
  normTokensBackward,
  project,
  projectBackward,
  scratchRows,
  ZERO,
  ADD,
  type Rows,
} from './projection.ts';
import type { PackedRows } from '../checkpoint/packed-rows.ts';
import { groupsOf, halves, packedRows, rowCount, valuesOf } from '../ops/quantise.ts';
import type { Matrix, MatrixShape, MatrixWriter, Vector } from '../ops/values.ts';
import { itemAt } from '../../base/items.ts';

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
const learningOver = (memory: WasmMemory): Omit<TrainableOps, keyof Ops> => ({
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

/** Values that are placed at one time. */
const STAGED = 2 ** 18;

/** Rows [from, to). */
function cut(
  rows: Float32Array | PackedRows,
  columns: number,
  from: number,
  to: number,
): Float32Array | PackedRows {
  if (rows instanceof Float32Array) return rows.subarray(from * columns, to * columns);
  const groups = groupsOf(columns);
  const bytes = (rows.codes.length / rows.scales.length) * groups;
  return {
    codes: rows.codes.subarray(from * bytes, to * bytes),
    scales: rows.scales.subarray(from * groups, to * groups),
  };
}

/** Places rows into panels as they come; a row that is written twice counts once. */
class WasmWriter implements MatrixWriter {
  readonly #memory: WasmMemory;
  readonly #matrix: WasmMatrix;
  readonly #written: Uint8Array;

  constructor(memory: WasmMemory, shape: MatrixShape, label: string) {
    this.#memory = memory;
    this.#matrix = new WasmMatrix(memory, shape, label);
    this.#written = new Uint8Array(shape.out);
  }

  write(from: number, given: Float32Array | PackedRows): void {
    const { out, in: columns } = this.#matrix;
    const rows = rowCount(given, columns);
    if (!Number.isInteger(rows) || from < 0 || from + rows > out)
      throw new RangeError(
        `matrix: ${rows} rows from ${from} on are not those of [${out}, ${columns}]`,
      );
    const most = Math.max(1, Math.floor(STAGED / columns));
    for (let row = 0; row < rows; row += most) {
      const end = Math.min(rows, row + most);
      this.#place(from + row, end - row, cut(given, columns, row, end));
    }
    this.#written.fill(1, from, from + rows);
  }

  finish(): Matrix {
    const missing = this.#written.indexOf(0);
    if (missing >= 0) throw new Error(`matrix: row ${missing} was not written`);
    this.#dropScratch();
    return this.#matrix;
  }

  abandon(): void {
    this.#dropScratch();
    for (const at of this.#matrix.blocks) this.#memory.release(at);
  }

  #dropScratch(): void {
    this.#memory.drop('staging');
    this.#memory.drop('staged scales');
  }

  #place(from: number, rows: number, given: Float32Array | PackedRows): void {
    const memory = this.#memory;
    const { in: columns, type, depth, at, scales } = this.#matrix;
    if (type === 'f32') {
      const values = valuesOf(given);
      const staging = memory.scratch('staging', 4 * values.length);
      memory.floats(staging, values.length).set(values);
      memory.kernels.place_floats(staging, columns, from, rows, depth, at);
      return;
    }
    if (type === 'f16') {
      const bits = halves(valuesOf(given), columns);
      const staging = memory.scratch('staging', 2 * bits.length);
      memory.halves(staging, bits.length).set(bits);
      memory.kernels.place_halves(staging, columns, from, rows, depth, at);
      return;
    }
    const packed = packedRows(given, columns, type);
    const staging = memory.scratch('staging', packed.codes.length);
    const stagedScales = memory.scratch('staged scales', 2 * packed.scales.length);
    memory.bytesAt(staging, packed.codes.length).set(packed.codes);
    memory.halves(stagedScales, packed.scales.length).set(packed.scales);
    // prettier-ignore
    memory.kernels.place_codes(
      TYPE_CODE[type], staging, stagedScales, from, rows, depth, at, scales,
    );
  }
}

const HANDLES = [
  WasmActivations,
  WasmVector,
  WasmMatrix,
  WasmRotary,
  WasmStore,
  WasmTokens,
  WasmPicks,
  WasmDraws,
  WasmAdapter,
];

/** Blocks of memory that a handle holds. */
function blocksOf(handle: Handle): number[] {
  for (const kind of HANDLES) if (handle instanceof kind) return handle.blocks;
  throw new TypeError('wasm: this handle was made by another device');
}

const activations = (handle: object): WasmActivations => own(WasmActivations, handle);
const tokensOf = (handle: object): WasmTokens => own(WasmTokens, handle);

/** Places factors in panels; B is scaled by alpha / rank. */
function writeAdapter(memory: WasmMemory, adapter: WasmAdapter, values: Float32Array): void {
  if (values.length !== adapter.length)
    throw new Error(`adapter: ${values.length} values given, this shape has ${adapter.length}`);
  const { kernels } = memory;
  let at = 0;
  const next = (count: number): Float32Array => {
    at += count;
    return values.subarray(at - count, at);
  };
  for (const { shape, parts, A, rank } of adapter.loras)
    for (const { out, column, B } of parts) {
      const staging = memory.scratch('staging', 4 * shape.rank * Math.max(shape.in, out));
      const a = next(shape.rank * shape.in);
      memory.floats(staging, a.length).set(a);
      kernels.place_floats(staging, shape.in, column, shape.rank, pad8(shape.in), A);
      const b = next(out * shape.rank);
      const scaled = memory.floats(staging, b.length);
      b.forEach((value, i) => {
        scaled[i] = shape.scale * value;
      });
      kernels.place_floats(staging, shape.rank, 0, out, rank, B);
    }
  memory.drop('staging');
}

function checkTrained({ trained }: WasmAdapter): void {
  if (!trained) throw new Error('adapter: it is not trained and has no gradients');
}

function zeroGradients(memory: WasmMemory, adapter: WasmAdapter): void {
  checkTrained(adapter);
  for (const { shape, parts, columns, rank, dA } of adapter.loras) {
    memory.floats(dA, columns * pad8(shape.in)).fill(0);
    for (const { out, dB } of parts) memory.floats(dB, out * rank).fill(0);
  }
}

/** In the order of `writeAdapter`. */
function readGradients(memory: WasmMemory, adapter: WasmAdapter): Float32Array {
  checkTrained(adapter);
  const flat = new Float32Array(adapter.length);
  let to = 0;
  for (const { shape, parts, rank, dA } of adapter.loras)
    for (const { out, column, dB } of parts) {
      const width = pad8(shape.in);
      for (let r = 0; r < shape.rank; r++, to += shape.in)
        flat.set(memory.floats(dA + 4 * (column + r) * width, shape.in), to);
      const b = memory.floats(dB, out * rank);
      for (let row = 0; row < out; row++)
        for (let r = 0; r < shape.rank; r++) flat[to++] = shape.scale * (b[row * rank + r] ?? 0);
    }
  return flat;
}

type Options<K extends keyof Ops> = Ops[K] extends (o: infer O) => unknown ? O : never;

/** What the output norm norms. */
function projected(memory: WasmMemory, { input, by, tokens }: ResidualInput): Rows {
  const { count } = tokens;
  const y = scratchRows(memory, 'output', count, by.matrix.out);
  project(memory, by, own(WasmActivations, input), y, count, ZERO);
  return y;
}

function projectResidual(memory: WasmMemory, o: Options<'projectResidual'>): void {
  const [x, tokens] = [own(WasmActivations, o.x), own(WasmTokens, o.tokens)];
  if (!o.outputNorm) {
    project(memory, o.by, own(WasmActivations, o.input), x, tokens.count, ADD);
    return;
  }
  const y = normTokens(memory, projected(memory, o), x.width, o.outputNorm, tokens);
  memory.kernels.add_rows(x.at, x.stride, y.at, y.stride, tokens.count, x.width);
}

function projectResidualBackward(memory: WasmMemory, o: Options<'projectResidualBackward'>): void {
  const [input, dx] = [own(WasmActivations, o.input), own(WasmActivations, o.dx)];
  const dy = o.outputNorm ? unnormed(memory, o, o.outputNorm, dx) : dx;
  projectBackward(memory, o.by, input, dy, own(WasmActivations, o.dInput), o.tokens.count);
}

/** The gradient of what the output norm normed. */
function unnormed(memory: WasmMemory, o: ResidualInput, norm: Norm, dx: WasmActivations): Rows {
  const tokens = own(WasmTokens, o.tokens);
  const dy = scratchRows(memory, 'dNormed', tokens.count, dx.width);
  memory.floats(dy.at, tokens.count * dy.stride).fill(0);
  normTokensBackward(memory, projected(memory, o), dx.width, norm, tokens, dx, dy);
  return dy;
}

/** The block operations on the kernels; every call is done when it returns. */
function opsOver(memory: WasmMemory): Ops {
  const { kernels } = memory;
  return {
    device: 'wasm',
    get bytes() {
      return memory.bytes;
    },

    activations: (rows, width, label) => new WasmActivations(memory, rows, width, label),
    vector: (values, label) => new WasmVector(memory, values, label),
    matrix: (shape, label) => new WasmWriter(memory, shape, label),
    rotary: (cos, sin, pairs) => new WasmRotary(memory, cos, sin, pairs),
    kvCache: (shape, label) => new WasmStore(memory, shape, label),
    tokens: (rows) => new WasmTokens(memory, rows),
    picks: (rows) => new WasmPicks(memory, rows),
    draws: (rows) => new WasmDraws(memory, rows),
    adapter: (shapes, trained) => new WasmAdapter(memory, shapes, trained),
    free(...handles) {
      for (const handle of handles) for (const at of blocksOf(handle)) memory.release(at);
    },

    place: (tokens, runs, size) => tokensOf(tokens).place(memory, runs, size),
    copyKeys: (stores, moves, targets) => copyKeys(memory, stores, moves, targets),

    embed(o) {
      const [W, tokens, x] = [own(WasmMatrix, o.table), tokensOf(o.tokens), activations(o.x)];
      if (tokens.most.id >= W.out)
        throw new RangeError(`wasm: token ${tokens.most.id} is beyond the vocabulary of ${W.out}`);
      // prettier-ignore
      kernels.embed(
        TYPE_CODE[W.type], W.at, W.scales, W.depth, tokens.ids, x.at, x.stride, tokens.count, W.in,
        o.scale ?? 1,
      );
    },

    projectHeads: (o) => projectHeads(memory, o),
    attend: (o) => attend(memory, o),

    projectResidual: (o) => projectResidual(memory, o),

    feedForward(o) {
      const [x, out, tokens] = [activations(o.x), activations(o.out), tokensOf(o.tokens)];
      const { count } = tokens;
      const normed = normTokens(memory, x, x.width, o.norm, tokens);
      const raw = o.raw ? activations(o.raw) : scratchRows(memory, 'raw', count, o.by.matrix.out);
      project(memory, o.by, normed, raw, count, ZERO);
      const gate = o.gate === 'gelu' ? kernels.geglu : kernels.swiglu;
      gate(raw.at, raw.stride, out.at, out.stride, count, out.width);
    },

    async readActivations(handle, rows) {
      const from = activations(handle);
      const all = new Float32Array(rows * from.width);
      for (let row = 0; row < rows; row++)
        all.set(memory.floats(from.at + 4 * row * from.stride, from.width), row * from.width);
      return all;
    },

    copyRows({ from, to, tokens }) {
      const [a, b] = [activations(from), activations(to)];
      const values = tokens.count * a.stride;
      memory.floats(b.at, values).set(memory.floats(a.at, values));
    },

    sample: (o) => sample(memory, o),

    placeDraws(handle, wanted) {
      const draws = own(WasmDraws, handle);
      if (wanted.length > draws.rows)
        throw new RangeError(`draws: ${wanted.length} wanted, there is room for ${draws.rows}`);
      draws.wanted = [...wanted];
      memory.integers(draws.index, wanted.length).set(wanted.map(({ row }) => row));
    },

    readDraws: async (draws) => own(WasmDraws, draws).drawn,

    score: (o) => score(memory, o),
    placePicks: (picks, rows) => placePicks(memory, picks, rows),

    async readScores(handle) {
      const { logprobs, entropies, count } = own(WasmPicks, handle);
      return {
        logprobs: memory.floats(logprobs, count).slice(),
        entropies: memory.floats(entropies, count).slice(),
      };
    },

    scoreBackward: (o) => scoreBackward(memory, o),
    readLogits: async (o) => readLogits(memory, o),

    projectResidualBackward: (o) => projectResidualBackward(memory, o),

    feedForwardBackward(o) {
      const [x, raw, dOut] = [activations(o.x), activations(o.raw), activations(o.dOut)];
      const tokens = tokensOf(o.tokens);
      const { count } = tokens;
      const gateBackward = o.gate === 'gelu' ? kernels.geglu_backward : kernels.swiglu_backward;
      gateBackward(raw.at, raw.stride, dOut.at, dOut.stride, count, dOut.width);
      const normed = normTokens(memory, x, x.width, o.norm, tokens);
      const dNormed = scratchRows(memory, 'dNormed', count, x.width);
      projectBackward(memory, o.by, normed, raw, dNormed, count);
      normTokensBackward(memory, x, x.width, o.norm, tokens, dNormed, activations(o.dx));
    },

    attendBackward: (o) => attendBackward(memory, o),
    projectHeadsBackward: (o) => projectHeadsBackward(memory, o),

    writeAdapter: (adapter, values) => writeAdapter(memory, own(WasmAdapter, adapter), values),
    zeroGradients: (adapter) => zeroGradients(memory, own(WasmAdapter, adapter)),
    readGradients: async (adapter) => readGradients(memory, own(WasmAdapter, adapter)),

    submit() {},
    settled: async () => {},
    // WebAssembly has no way to give memory back: it goes with the object.
    dispose() {},
  };
}

/**
 * The block operations on C kernels in WebAssembly.
 * @param relaxed whether multiply-adds are fused; absent: where the engine can. Results differ in the last
 *   bits.
 * @throws MemoryError where there is no memory
 */
export async function createWasmOps(relaxed?: boolean): Promise<Ops> {
  return opsOver(await WasmMemory.create(relaxed));
}

/** The same with gradients of what they compute with. @throws as `createWasmOps` */
export async function createTrainableWasmOps(relaxed?: boolean): Promise<TrainableOps> {
  const memory = await WasmMemory.create(relaxed);
  return Object.assign(opsOver(memory), learningOver(memory));
}

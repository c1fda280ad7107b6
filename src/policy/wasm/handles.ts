import { itemAt } from '../../base/items.ts';
import type { Draw, Drawn } from '../ops/ops.ts';
import type {
  Activations,
  Adapter,
  AdapterShape,
  Draws,
  KvCache,
  KvMove,
  Lora,
  Matrix,
  MatrixShape,
  MatrixType,
  Picks,
  Rotary,
  StoreType,
  TokenRun,
  Tokens,
  Vector,
} from '../ops/values.ts';
import { prefixCopies } from '../ops/prefixes.ts';
import type { WasmMemory } from './memory.ts';

export const pad8 = (n: number): number => Math.ceil(n / 8) * 8;

/** [rows, width], a row every `stride` values; what fills a row up is zero. */
export class WasmActivations implements Activations {
  readonly kind = 'activations';
  readonly stride: number;
  readonly at: number;

  constructor(
    memory: WasmMemory,
    readonly rows: number,
    readonly width: number,
    label: string,
  ) {
    this.stride = pad8(width);
    this.at = memory.zeros(4 * rows * this.stride, label);
  }

  get blocks(): number[] {
    return [this.at];
  }
}

export class WasmVector implements Vector {
  readonly kind = 'vector';
  readonly length: number;
  readonly at: number;
  /** 0 in one that does not learn. */
  gradient = 0;

  constructor(memory: WasmMemory, values: Float32Array, label: string) {
    this.length = values.length;
    this.at = memory.zeros(4 * pad8(values.length), label);
    memory.floats(this.at, values.length).set(values);
  }

  get blocks(): number[] {
    return [this.at, this.gradient];
  }
}

/** How kernels name the types. */
export const TYPE_CODE: Record<MatrixType, number> = { f32: 0, f16: 1, int8: 2, int4: 3 };

const VALUE_BYTES: Record<MatrixType, number> = { f32: 4, f16: 2, int8: 1, int4: 0.5 };

/** Inputs that a matrix is filled up to, and bytes of its values and scales. */
export function matrixLayout({ out, in: columns, type }: MatrixShape): {
  depth: number;
  values: number;
  scales: number;
} {
  const packed = type === 'int8' || type === 'int4';
  const depth = packed ? Math.ceil(columns / 32) * 32 : pad8(columns);
  const count = pad8(out) * depth;
  return { depth, values: count * VALUE_BYTES[type], scales: packed ? count / 16 : 0 };
}

/** In panels of 8 outputs, see kernels/matrix.c. */
export class WasmMatrix implements Matrix {
  readonly kind = 'matrix';
  readonly out: number;
  readonly in: number;
  readonly type: MatrixType;
  readonly bytes: number;
  readonly depth: number;
  readonly at: number;
  /** 0 in types without scales. */
  readonly scales: number;
  /** [out, in filled up to 8]; 0 in one that does not learn. */
  gradient = 0;

  constructor(memory: WasmMemory, shape: MatrixShape, label: string) {
    [this.out, this.in, this.type] = [shape.out, shape.in, shape.type];
    const { depth, values, scales } = matrixLayout(shape);
    this.depth = depth;
    this.at = memory.zeros(values, label);
    this.scales = scales > 0 ? memory.zeros(scales, label) : 0;
    this.bytes = values + scales;
  }

  get blocks(): number[] {
    return [this.at, this.scales, this.gradient];
  }
}

export class WasmRotary implements Rotary {
  readonly kind = 'rotary';
  readonly positions: number;
  readonly cos: number;
  readonly sin: number;

  constructor(
    memory: WasmMemory,
    cos: Float32Array,
    sin: Float32Array,
    readonly pairs: number,
  ) {
    this.positions = cos.length / pairs;
    this.cos = memory.allocate(4 * cos.length, 'rotary tables');
    this.sin = memory.allocate(4 * sin.length, 'rotary tables');
    memory.floats(this.cos, cos.length).set(cos);
    memory.floats(this.sin, sin.length).set(sin);
  }

  get blocks(): number[] {
    return [this.cos, this.sin];
  }
}

export interface StoreShape {
  readonly positions: number;
  readonly kvHeads: number;
  readonly headDim: number;
  readonly type: StoreType;
}

/** Keys [kvHeads][room / 8][headDim][8], values [kvHeads][room][headDim filled up to 8]. */
export class WasmStore implements KvCache {
  readonly kind = 'keys';
  readonly positions: number;
  readonly kvHeads: number;
  readonly headDim: number;
  readonly type: StoreType;
  /** Positions filled up to 8. */
  readonly room: number;
  /** Bytes of the keys, and of the values, of a position and head. */
  readonly keyBytes: number;
  readonly valueBytes: number;
  readonly keys: number;
  readonly values: number;

  constructor(
    memory: WasmMemory,
    { positions, kvHeads, headDim, type }: StoreShape,
    label: string,
  ) {
    [this.positions, this.kvHeads, this.headDim, this.type] = [positions, kvHeads, headDim, type];
    const size = type === 'f16' ? 2 : 4;
    this.room = pad8(positions);
    this.keyBytes = size * headDim;
    this.valueBytes = size * pad8(headDim);
    this.keys = memory.zeros(this.room * kvHeads * this.keyBytes, label);
    this.values = memory.zeros(this.room * kvHeads * this.valueBytes, label);
  }

  get blocks(): number[] {
    return [this.keys, this.values];
  }
}

/** Rows [row, row + count) are the tokens of one context from `position`; its position 0 is at `start`. */
export interface PlacedRun {
  readonly row: number;
  readonly count: number;
  readonly position: number;
  readonly start: number;
  /** Index of the placed run that it continues. */
  readonly after?: number;
}

const FEW_RUNS = 64;

export class WasmTokens implements Tokens {
  readonly kind = 'tokens';
  /** [rows] each, 32-bit. */
  readonly ids: number;
  readonly positions: number;
  readonly places: number;
  count = 0;
  runs: PlacedRun[] = [];
  /** Of runs that continue others. */
  copies: readonly KvMove[] = [];
  /** Largest id, position and place. */
  most = { id: -1, position: -1, place: -1 };

  constructor(
    memory: WasmMemory,
    readonly rows: number,
  ) {
    this.ids = memory.allocate(4 * rows, 'tokens');
    this.positions = memory.allocate(4 * rows, 'tokens');
    this.places = memory.allocate(4 * rows, 'tokens');
  }

  get blocks(): number[] {
    return [this.ids, this.positions, this.places];
  }

  place(memory: WasmMemory, runs: readonly TokenRun[], size: 'few' | 'many'): void {
    if (size === 'few' && (runs.length > FEW_RUNS || runs.some(({ ids }) => ids.length !== 1)))
      throw new RangeError(`tokens: "few" is for at most ${FEW_RUNS} runs of one token`);
    const odd = runs.find(({ start }) => start % 8 !== 0);
    if (odd) throw new RangeError(`tokens: a context begins at ${odd.start}, no multiple of 8`);
    const count = runs.reduce((sum, { ids }) => sum + ids.length, 0);
    if (count > this.rows)
      throw new RangeError(`tokens: ${count} given, there is room for ${this.rows}`);
    const [ids, positions, places] = [this.ids, this.positions, this.places].map((at) =>
      memory.integers(at, this.rows),
    );
    this.copies = prefixCopies(
      runs.map((run) => ({ ...run, count: run.ids.length })),
      size,
    );
    this.runs = [];
    const placedAt: number[] = [];
    this.most = { id: -1, position: -1, place: -1 };
    let row = 0;
    for (const run of runs) {
      const length = run.ids.length;
      placedAt.push(this.runs.length);
      if (length === 0) continue;
      const { position, start } = run;
      const after = run.after === undefined ? {} : { after: itemAt(placedAt, run.after) };
      this.runs.push({ row, count: length, position, start, ...after });
      const last = run.position + length - 1;
      this.most.position = Math.max(this.most.position, last);
      this.most.place = Math.max(this.most.place, run.start + last);
      for (let i = 0; i < length; i++, row++) {
        const id = itemAt(run.ids, i);
        if (!(id >= 0)) throw new RangeError(`tokens: ${id} is no id`);
        this.most.id = Math.max(this.most.id, id);
        if (ids) ids[row] = id;
        if (positions) positions[row] = run.position + i;
        if (places) places[row] = run.start + run.position + i;
      }
    }
    this.count = count;
  }
}

export class WasmPicks implements Picks {
  readonly kind = 'picks';
  /** [rows] each: row, target, 1 / temperature, coefficient, and what is found: the last as integers. */
  readonly index: number;
  readonly targets: number;
  readonly factors: number;
  readonly coefficients: number;
  readonly logprobs: number;
  readonly entropies: number;
  readonly hits: number;
  count = 0;

  constructor(
    memory: WasmMemory,
    readonly rows: number,
  ) {
    const make = (): number => memory.allocate(4 * rows, 'picks');
    [this.index, this.targets, this.factors] = [make(), make(), make()];
    [this.coefficients, this.logprobs, this.entropies] = [make(), make(), make()];
    this.hits = make();
  }

  get blocks(): number[] {
    const { index, targets, factors, coefficients, logprobs, entropies, hits } = this;
    return [index, targets, factors, coefficients, logprobs, entropies, hits];
  }
}

export class WasmDraws implements Draws {
  readonly kind = 'draws';
  readonly index: number;
  wanted: readonly Draw[] = [];
  drawn: Drawn[] = [];

  constructor(
    memory: WasmMemory,
    readonly rows: number,
  ) {
    this.index = memory.allocate(4 * rows, 'draws');
  }

  get count(): number {
    return this.wanted.length;
  }

  get blocks(): number[] {
    return [this.index];
  }
}

/** One part: scaled B [out, rank] in panels, and the gradient of B itself [out, rank filled up to 8]. */
export interface WasmPart {
  readonly row: number;
  readonly out: number;
  /** First of its columns in A x of all parts. */
  readonly column: number;
  readonly B: number;
  /** 0 where it is not trained; then of scale · B. */
  readonly dB: number;
}

export class WasmLora implements Lora {
  /** Rank filled up to 8, and that of all parts together. */
  readonly rank: number;
  readonly columns: number;
  /** A of all parts [columns, in] in panels; its gradient [columns, in filled up to 8], or 0. */
  readonly A: number;
  readonly dA: number;
  readonly parts: readonly WasmPart[];

  constructor(
    memory: WasmMemory,
    readonly shape: AdapterShape,
    readonly adapter: WasmAdapter,
  ) {
    this.rank = pad8(shape.rank);
    this.columns = this.rank * shape.parts.length;
    const make = (values: number): number => memory.zeros(4 * values, 'adapter');
    const gradient = (values: number): number => (adapter.trained ? make(values) : 0);
    this.A = make(this.columns * pad8(shape.in));
    this.dA = gradient(this.columns * pad8(shape.in));
    this.parts = shape.parts.map(({ row, out }, i) => ({
      row,
      out,
      column: i * this.rank,
      B: make(pad8(out) * this.rank),
      dB: gradient(out * this.rank),
    }));
  }

  get blocks(): number[] {
    return [this.A, this.dA, ...this.parts.flatMap(({ B, dB }) => [B, dB])];
  }
}

export class WasmAdapter implements Adapter {
  readonly kind = 'adapter';
  readonly loras: readonly WasmLora[];

  constructor(
    memory: WasmMemory,
    shapes: readonly AdapterShape[],
    readonly trained: boolean,
  ) {
    this.loras = shapes.map((shape) => new WasmLora(memory, shape, this));
  }

  get length(): number {
    return this.loras.reduce(
      (sum, { shape }) =>
        sum + shape.parts.reduce((s, { out }) => s + shape.rank * (shape.in + out), 0),
      0,
    );
  }

  get blocks(): number[] {
    return this.loras.flatMap((lora) => lora.blocks);
  }
}

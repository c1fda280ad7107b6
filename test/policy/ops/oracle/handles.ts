import { fromFloat16Bits, toFloat16Bits } from '../../../../src/base/float16.ts';
import type { PackedRows } from '../../../../src/policy/checkpoint/packed-rows.ts';
import {
  dequantise,
  heldValues,
  packedRows,
  rowBytes,
  rowCount,
  valuesOf,
} from '../../../../src/policy/ops/quantise.ts';
import type { Draw, Drawn } from '../../../../src/policy/ops/ops.ts';
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
  MatrixWriter,
  Picks,
  Rotary,
  StoreType,
  TokenRun,
  Tokens,
  Vector,
} from '../../../../src/policy/ops/values.ts';
import { prefixCopies } from '../../../../src/policy/ops/prefixes.ts';
import { Table } from './table.ts';

export class OracleActivations extends Table implements Activations {
  readonly kind = 'activations';

  get width(): number {
    return this.columns;
  }
}

export class OracleVector implements Vector {
  readonly kind = 'vector';
  readonly values: Float64Array;
  /** Null in one that does not learn. */
  gradient: Float64Array | null = null;

  constructor(values: Float32Array) {
    this.values = Float64Array.from(values);
  }

  get length(): number {
    return this.values.length;
  }
}

export class OracleMatrix extends Table implements Matrix {
  readonly kind = 'matrix';
  readonly type: MatrixType;
  /** Null in one that does not learn. */
  gradient: Table | null = null;

  constructor(shape: MatrixShape, values: Float64Array) {
    super(shape.out, shape.in, values);
    this.type = shape.type;
  }

  get out(): number {
    return this.rows;
  }

  get in(): number {
    return this.columns;
  }

  get bytes(): number {
    return rowBytes(this.type, this.rows, this.columns);
  }
}

export class OracleWriter implements MatrixWriter {
  readonly #shape: MatrixShape;
  readonly #values: Float64Array;
  readonly #written: Uint8Array;

  constructor(shape: MatrixShape) {
    this.#shape = shape;
    this.#values = new Float64Array(shape.out * shape.in);
    this.#written = new Uint8Array(shape.out);
  }

  write(from: number, given: Float32Array | PackedRows): void {
    const { out, in: columns, type } = this.#shape;
    const rows = rowCount(given, columns);
    if (!Number.isInteger(rows) || from < 0 || from + rows > out)
      throw new RangeError(
        `matrix: ${rows} rows from ${from} on are not those of [${out}, ${columns}]`,
      );
    const values =
      type === 'int8' || type === 'int4'
        ? dequantise(packedRows(given, columns, type), columns, type)
        : heldValues(valuesOf(given), columns, type);
    this.#values.set(values, from * columns);
    this.#written.fill(1, from, from + rows);
  }

  abandon(): void {
    this.#written.fill(0);
  }

  finish(): Matrix {
    const missing = this.#written.indexOf(0);
    if (missing >= 0) throw new Error(`matrix: row ${missing} was not written`);
    return new OracleMatrix(this.#shape, this.#values);
  }
}

export class OracleRotary implements Rotary {
  readonly kind = 'rotary';
  readonly cos: Table;
  readonly sin: Table;

  constructor(cos: Float32Array, sin: Float32Array, pairs: number) {
    this.cos = new Table(cos.length / pairs, pairs, cos);
    this.sin = new Table(sin.length / pairs, pairs, sin);
  }

  get positions(): number {
    return this.cos.rows;
  }

  get pairs(): number {
    return this.cos.columns;
  }
}

export class OracleKvCache implements KvCache {
  readonly kind = 'keys';
  readonly positions: number;
  readonly kvHeads: number;
  readonly headDim: number;
  readonly type: StoreType;
  /** [positions, kvHeads headDim] */
  readonly keys: Table;
  readonly values: Table;

  constructor(shape: { positions: number; kvHeads: number; headDim: number; type: StoreType }) {
    this.positions = shape.positions;
    this.kvHeads = shape.kvHeads;
    this.headDim = shape.headDim;
    this.type = shape.type;
    this.keys = new Table(shape.positions, shape.kvHeads * shape.headDim);
    this.values = new Table(shape.positions, shape.kvHeads * shape.headDim);
  }

  /** What the store holds of a number. */
  held(value: number): number {
    return this.type === 'f16' ? fromFloat16Bits(toFloat16Bits(value)) : value;
  }
}

/** A row: a token, its position in its context, and where that context begins in the stores. */
export interface PlacedToken {
  readonly id: number;
  readonly position: number;
  readonly start: number;
}

const FEW_RUNS = 64;

export class OracleTokens implements Tokens {
  readonly kind = 'tokens';
  placed: PlacedToken[] = [];
  /** Of runs that continue others. */
  copies: readonly KvMove[] = [];

  constructor(readonly rows: number) {}

  get count(): number {
    return this.placed.length;
  }

  place(runs: readonly TokenRun[], size: 'few' | 'many'): void {
    if (size === 'few' && (runs.length > FEW_RUNS || runs.some(({ ids }) => ids.length !== 1)))
      throw new RangeError(`tokens: "few" is for at most ${FEW_RUNS} runs of one token`);
    const odd = runs.find(({ start }) => start % 8 !== 0);
    if (odd) throw new RangeError(`tokens: a context begins at ${odd.start}, no multiple of 8`);
    const placed = runs.flatMap(({ ids, position, start }) =>
      Array.from(ids, (id, i) => ({ id, position: position + i, start })),
    );
    if (placed.length > this.rows)
      throw new RangeError(`tokens: ${placed.length} given, there is room for ${this.rows}`);
    this.copies = prefixCopies(
      runs.map((run) => ({ ...run, count: run.ids.length })),
      size,
    );
    this.placed = placed;
  }
}

/** A row whose next token is known. */
export interface Pick {
  readonly row: number;
  readonly target: number;
  readonly temperature: number;
}

export class OraclePicks implements Picks {
  readonly kind = 'picks';
  picked: Pick[] = [];
  logprobs = new Float64Array(0);
  entropies = new Float64Array(0);

  constructor(readonly rows: number) {}

  get count(): number {
    return this.picked.length;
  }
}

export class OracleDraws implements Draws {
  readonly kind = 'draws';
  wanted: readonly Draw[] = [];
  drawn: Drawn[] = [];

  constructor(readonly rows: number) {}

  get count(): number {
    return this.wanted.length;
  }
}

/** Factors of rows [row, row + out) of a matrix: A [rank, in], B [out, rank], and their gradients. */
export interface OraclePart {
  readonly row: number;
  readonly out: number;
  readonly A: Table;
  readonly B: Table;
  readonly dA: Table;
  readonly dB: Table;
}

export class OracleLora implements Lora {
  readonly shape: AdapterShape;
  readonly adapter: OracleAdapter;
  readonly parts: readonly OraclePart[];

  constructor(shape: AdapterShape, adapter: OracleAdapter) {
    this.shape = shape;
    this.adapter = adapter;
    this.parts = shape.parts.map(({ row, out }) => ({
      row,
      out,
      A: new Table(shape.rank, shape.in),
      B: new Table(out, shape.rank),
      dA: new Table(shape.rank, shape.in),
      dB: new Table(out, shape.rank),
    }));
  }
}

export class OracleAdapter implements Adapter {
  readonly kind = 'adapter';
  readonly trained: boolean;
  readonly loras: readonly OracleLora[];

  constructor(shapes: readonly AdapterShape[], trained: boolean) {
    this.trained = trained;
    this.loras = shapes.map((shape) => new OracleLora(shape, this));
  }

  get parts(): OraclePart[] {
    return this.loras.flatMap((lora) => lora.parts);
  }

  get length(): number {
    return this.parts.reduce((total, { A, B }) => total + A.values.length + B.values.length, 0);
  }
}

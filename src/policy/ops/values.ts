/**
 * What lies on a device. Handles are opaque: how many bytes a row takes, in which order values lie and
 * whether a matrix is one buffer or several is the device's own.
 */

import { MATRIX_TYPES, type MatrixType } from '../checkpoint/weight-type.ts';
import type { PackedRows } from '../checkpoint/packed-rows.ts';

/** [rows, width], float32. */
export interface Activations {
  readonly kind: 'activations';
  readonly rows: number;
  readonly width: number;
}

/** Parameters other than matrices: norms and biases, float32. */
export interface Vector {
  readonly kind: 'vector';
  readonly length: number;
}

export { MATRIX_TYPES };
export type { MatrixType };

/** y[out] = W[out, in] x[in] */
export interface MatrixShape {
  readonly out: number;
  readonly in: number;
  readonly type: MatrixType;
  /** The first `rows` rows are heads of `headDim` rows, whose row i is turned together with row i + headDim/2. */
  readonly turned?: { readonly rows: number; readonly headDim: number };
}

export interface Matrix extends MatrixShape {
  readonly kind: 'matrix';
  readonly bytes: number;
}

/** Takes a matrix row by row, so that no second copy of it exists. */
export interface MatrixWriter {
  /**
   * Rows from `from` on: row-major values, or rows that are packed in the matrix's type already, of which nothing is
   * rounded.
   * @throws RangeError beyond the matrix
   */
  write(from: number, rows: Float32Array | PackedRows): void;
  /** The matrix, once every row was written. */
  finish(): Matrix;
  /** Frees what was made, where the rest cannot be written. */
  abandon(): void;
}

export interface Rotary {
  readonly kind: 'rotary';
  readonly positions: number;
  /** headDim / 2 */
  readonly pairs: number;
}

/** What keys and values are held in; sums over them are float32. */
export const STORE_TYPES = ['f32', 'f16'] as const;
export type StoreType = (typeof STORE_TYPES)[number];

/**
 * Keys and values of one layer: places for the positions of contexts. A context's places are neighbours;
 * which are whose is the caller's to say.
 */
export interface KvCache {
  readonly kind: 'keys';
  readonly positions: number;
  readonly kvHeads: number;
  readonly headDim: number;
  readonly type: StoreType;
}

/** `count` neighbouring positions, from a place in a store to another one. */
export interface KvMove {
  readonly from: number;
  readonly to: number;
  readonly count: number;
}

/** Neighbouring tokens of one context. */
export interface TokenRun {
  readonly ids: ArrayLike<number>;
  /** Position of the first one in its context. */
  readonly position: number;
  /** Place of the context's position 0 in the stores, a multiple of 8. */
  readonly start: number;
  /**
   * Index of an earlier run of the same call that this one continues, in a context of its own: that run ends where this
   * one begins, at a multiple of 8. `projectHeads` copies the keys and values before it, and `attendBackward` adds
   * their gradients to the rows that they came from. Absent: none. Only among `many` tokens.
   */
  readonly after?: number;
}

/** What the rows of activations are; filled by `place`. */
export interface Tokens {
  readonly kind: 'tokens';
  /** Most rows. */
  readonly rows: number;
  /** Rows that were placed last. */
  readonly count: number;
}

/** Rows whose next token is known. */
export interface Picks {
  readonly kind: 'picks';
  readonly rows: number;
  readonly count: number;
}

/** Rows whose next token is drawn. */
export interface Draws {
  readonly kind: 'draws';
  readonly rows: number;
  readonly count: number;
}

/** Factors of one matrix: of each part of its rows, A [rank, in] and B [out, rank]. */
export interface AdapterShape {
  readonly in: number;
  readonly rank: number;
  /** alpha / rank */
  readonly scale: number;
  /** Rows [row, row + out) of the matrix, by `row`. */
  readonly parts: readonly { readonly row: number; readonly out: number }[];
  readonly turned?: MatrixShape['turned'];
}

export interface Lora {
  readonly shape: AdapterShape;
  readonly adapter: Adapter;
}

/** The factors of all adapted matrices of a model, and where it is trained their gradients. */
export interface Adapter {
  readonly kind: 'adapter';
  readonly trained: boolean;
  /** Number of values. */
  readonly length: number;
  /** One a shape. */
  readonly loras: readonly Lora[];
}

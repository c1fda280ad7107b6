import type { MatrixShape } from '../../ops/values.ts';
import type { GpuBuffer, Range } from './device.ts';

/** Rows of float32 numbers on the device. */
export interface Rows {
  readonly buffer: GpuBuffer | Range;
  /** Numbers between the starts of two rows, a multiple of 4. */
  readonly stride: number;
}

/** Of a product y = W x: x and the gradient of y, whose columns are in the device's order of W's rows. */
export interface MatrixSlopes {
  readonly x: Rows;
  /** What x is normed by first. */
  readonly norm: { readonly gain: { readonly buffer: GpuBuffer }; readonly eps: number } | null;
  readonly dy: Rows;
  readonly rows: number;
  /** Where only some of W's rows were multiplied: the first, and how many. */
  readonly part?: { readonly first: number; readonly count: number };
}

/** What the gradient of a vector is a sum of. */
export type VectorSlopes =
  | {
      readonly kind: 'bias';
      readonly dy: Rows;
      readonly rows: number;
      readonly turned: MatrixShape['turned'];
    }
  | {
      /** The weight of a norm of x: dn is the gradient of the normed rows. */
      readonly kind: 'gain';
      readonly x: Rows;
      readonly dn: Rows;
      readonly rows: number;
      readonly eps: number;
      /** Table whose entries' first words say which rows of x those of dn are of; absent: the same. */
      readonly picks?: GpuBuffer;
    }
  | {
      /** The weight of a norm of heads: of raw's from `column` on, `given` being the gradient behind turning. */
      readonly kind: 'heads';
      readonly raw: Rows;
      readonly given: Rows;
      readonly turns: { readonly angles: GpuBuffer; readonly tokens: GpuBuffer } | null;
      readonly rows: number;
      readonly heads: number;
      readonly headDim: number;
      readonly column: number;
      readonly scale: number;
      readonly eps: number;
    };

import type { WasmMemory } from '../../../policy/wasm/memory.ts';

/** Float32 rows in the kernels' memory, one every `stride` values; what fills a row up is zero. */
export interface Rows {
  readonly at: number;
  readonly rows: number;
  readonly width: number;
  readonly stride: number;
}

/** A matrix W [rows, width] = [in, out] as the kernels multiply with it. */
export interface Matrix {
  readonly panels: number;
  readonly rows: number;
  readonly width: number;
  readonly stride: number;
}

/** The kernels' numbers for float32 values, and for a product that replaces what was there. */
export const FLOATS = 0;
export const ZERO = 0;
export const pad8 = (n: number): number => Math.ceil(n / 8) * 8;

/** Matrix products of the encoder on the policy's kernels, one thread. */
export class Products {
  readonly memory: WasmMemory;

  constructor(memory: WasmMemory) {
    this.memory = memory;
  }

  /** Zeros. Views that `values` gave before are of no use after it. */
  rows(rows: number, width: number): Rows {
    const stride = pad8(width);
    return { at: this.memory.zeros(4 * rows * stride, 'encoder'), rows, width, stride };
  }

  free(...blocks: readonly Rows[]): void {
    for (const { at } of blocks) this.memory.release(at);
  }

  values({ at, rows, stride }: Rows): Float32Array {
    return this.memory.floats(at, rows * stride);
  }

  matrix(rows: number, width: number): Matrix {
    const panels = this.memory.zeros(4 * pad8(rows) * pad8(width), 'encoder');
    return { panels, rows, width, stride: pad8(width) };
  }

  /** @param values row-major [in, out] */
  write({ panels, rows, width, stride }: Matrix, values: Float32Array): void {
    const staging = this.memory.scratch('staging', 4 * values.length);
    this.memory.floats(staging, values.length).set(values);
    // The kernels' matrices are [out, in]: to them this is the transposed one.
    this.memory.kernels.place_floats(staging, width, 0, rows, stride, panels);
  }

  /** y = x W */
  times(x: Rows, { panels, rows, width, stride }: Matrix, y: Rows): void {
    // prettier-ignore
    this.memory.kernels.multiply_back(
      FLOATS, x.at, x.stride, panels, 0, stride, y.at, y.stride, x.rows, rows, width, ZERO, this.block(),
    );
  }

  /** What a product needs beside its operands. */
  protected block(): number {
    return this.memory.scratch('block', 4 * 8192);
  }
}

import { WasmMemory } from '../../policy/wasm/memory.ts';

/** Float32 rows in the kernels' memory, one every `stride` values; what fills a row up is zero. */
export interface Rows {
  readonly at: number;
  readonly rows: number;
  readonly width: number;
  readonly stride: number;
}

/** A matrix W [in, out] as the kernels multiply with it, and its gradient. */
export interface Matrix {
  readonly panels: number;
  readonly gradient: Rows;
}

const FLOATS = 0;
const ZERO = 0;
const pad8 = (n: number): number => Math.ceil(n / 8) * 8;

/** Matrix products of the encoder on the policy's kernels, one thread. */
export class Products {
  readonly #memory: WasmMemory;

  private constructor(memory: WasmMemory) {
    this.#memory = memory;
  }

  /** @throws MemoryError where the engine gives none */
  static async create(): Promise<Products> {
    return new Products(await WasmMemory.create());
  }

  /** Zeros. Views that `values` gave before are of no use behind it. */
  rows(rows: number, width: number): Rows {
    const stride = pad8(width);
    return { at: this.#memory.zeros(4 * rows * stride, 'encoder'), rows, width, stride };
  }

  free(...blocks: readonly Rows[]): void {
    for (const { at } of blocks) this.#memory.release(at);
  }

  values({ at, rows, stride }: Rows): Float32Array {
    return this.#memory.floats(at, rows * stride);
  }

  matrix(rows: number, columns: number): Matrix {
    const panels = this.#memory.zeros(4 * pad8(rows) * pad8(columns), 'encoder');
    return { panels, gradient: this.rows(rows, columns) };
  }

  /** @param values row-major [in, out] */
  write({ panels, gradient }: Matrix, values: Float32Array): void {
    const { rows, width, stride } = gradient;
    const staging = this.#memory.scratch('staging', 4 * values.length);
    this.#memory.floats(staging, values.length).set(values);
    // The kernels' matrices are [out, in]: to them this is the transposed one.
    this.#memory.kernels.place_floats(staging, width, 0, rows, stride, panels);
  }

  /** y = x W */
  times(x: Rows, { panels, gradient }: Matrix, y: Rows): void {
    const { rows, width, stride } = gradient;
    // prettier-ignore
    this.#memory.kernels.multiply_back(
      FLOATS, x.at, x.stride, panels, 0, stride, y.at, y.stride, x.rows, rows, width, ZERO, this.#block(),
    );
  }

  /** dx = dy Wᵀ; the gradient of W gets xᵀ dy added. */
  timesBackward(x: Rows, { panels, gradient }: Matrix, dy: Rows, dx: Rows): void {
    const { rows, width, stride } = gradient;
    const { kernels } = this.#memory;
    // prettier-ignore
    kernels.multiply(
      FLOATS, dy.at, dy.stride, panels, 0, stride, dx.at, dx.stride, dy.rows, pad8(rows), width, ZERO, 0,
      this.#block(),
    );
    const turned = this.#memory.scratch('turned', 4 * 128 * (rows + 6 + stride));
    // prettier-ignore
    kernels.multiply_transposed(
      x.at, x.stride, dy.at, dy.stride, gradient.at, stride, rows, stride, x.rows, turned,
    );
  }

  #block(): number {
    return this.#memory.scratch('block', 4 * 8192);
  }
}

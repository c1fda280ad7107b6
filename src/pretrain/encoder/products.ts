import { WasmMemory } from '../../policy/wasm/memory.ts';
import {
  FLOATS,
  pad8,
  Products,
  ZERO,
  type Matrix,
  type Rows,
} from '../../retrieval/encoder/built-in/products.ts';

/** Products that go back as well. */
export class LearningProducts extends Products {
  /** @throws MemoryError where the engine gives none */
  static async create(): Promise<LearningProducts> {
    return new LearningProducts(await WasmMemory.create());
  }

  /** dx = dy Wᵀ; the gradient of W [in, out] gets xᵀ dy added. */
  timesBackward(x: Rows, matrix: Matrix, gradient: Rows, dy: Rows, dx: Rows): void {
    const { panels, rows, width, stride } = matrix;
    const { kernels } = this.memory;
    // prettier-ignore
    kernels.multiply(
      FLOATS, dy.at, dy.stride, panels, 0, stride, dx.at, dx.stride, dy.rows, pad8(rows), width, ZERO, 0,
      this.block(),
    );
    const turned = this.memory.scratch('turned', 4 * 128 * (rows + 6 + stride));
    // prettier-ignore
    kernels.multiply_transposed(
      x.at, x.stride, dy.at, dy.stride, gradient.at, stride, rows, stride, x.rows, turned,
    );
  }
}

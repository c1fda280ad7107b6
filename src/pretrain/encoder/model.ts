import { present } from '../../base/items.ts';
import { EncoderModel } from '../../retrieval/encoder/built-in/model.ts';
import {
  type Rows,
  FLOATS,
  pad8,
  Products,
  ZERO,
  type Matrix,
} from '../../retrieval/encoder/built-in/products.ts';
import {
  parameterShapes,
  type EncoderConfig,
  type EncoderWeights,
} from '../../retrieval/encoder/built-in/weights.ts';
import type { PaddedBatch } from '../../retrieval/encoder/tokens.ts';
import { LearningPass } from './pass.ts';
import { WasmMemory } from '../../policy/wasm/memory.ts';

/** Products that go back as well. */
class LearningProducts extends Products {
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

/** The built-in bi-encoder with gradients of its parameters; the way back is written out (pass.ts). */
export class Encoder extends EncoderModel<LearningProducts> {
  /** Of matrices, in the kernels' memory. */
  readonly #matrixGradients = new Map<string, Rows>();
  /** Of parameters that are not matrices. */
  readonly #gradients: EncoderWeights = {};

  private constructor(config: EncoderConfig, products: LearningProducts, weights: EncoderWeights) {
    super(config, products, weights);
    for (const [name] of parameterShapes(config)) {
      const matrix = this.matrices.get(name);
      if (matrix) this.#matrixGradients.set(name, products.rows(matrix.rows, matrix.width));
      else this.#gradients[name] = new Float32Array(this.weight(name).length);
    }
  }

  /** @param weights stay the caller's: `update` takes over what was changed in them */
  static async create(config: EncoderConfig, weights: EncoderWeights): Promise<Encoder> {
    return new Encoder(config, await LearningProducts.create(), weights);
  }

  /** Gradient of a parameter that is not a matrix. */
  gradient(name: string): Float32Array {
    return present(this.#gradients[name], `the gradient of the encoder's ${name}`);
  }

  matrixGradient(name: string): Rows {
    return present(this.#matrixGradients.get(name), `the gradient of the encoder's matrix ${name}`);
  }

  /** Takes over the weights as they are now, and sets gradients to zero. */
  update(): void {
    this.read();
    for (const gradient of this.#matrixGradients.values()) this.products.values(gradient).fill(0);
    for (const gradient of Object.values(this.#gradients)) gradient.fill(0);
  }

  /** Gradients of all parameters, summed over the passes since `update`. */
  gradients(): EncoderWeights {
    const all: EncoderWeights = { ...this.#gradients };
    for (const [name, gradient] of this.#matrixGradients) {
      const values = this.products.values(gradient);
      const { rows, width, stride } = gradient;
      const into = new Float32Array(rows * width);
      for (let row = 0; row < rows; row++)
        into.set(values.subarray(row * stride, row * stride + width), row * width);
      all[name] = into;
    }
    return all;
  }

  /** Texts on their way through the encoder; to be disposed of. */
  pass(batch: PaddedBatch): LearningPass {
    return new LearningPass(this, batch);
  }
}

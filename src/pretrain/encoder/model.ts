import { present } from '../../base/items.ts';
import { EncoderModel } from '../../retrieval/encoder/built-in/model.ts';
import type { Rows } from '../../retrieval/encoder/built-in/products.ts';
import {
  parameterShapes,
  type EncoderConfig,
  type EncoderWeights,
} from '../../retrieval/encoder/built-in/weights.ts';
import type { PaddedBatch } from '../../retrieval/encoder/tokens.ts';
import { LearningPass } from './pass.ts';
import { LearningProducts } from './products.ts';

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

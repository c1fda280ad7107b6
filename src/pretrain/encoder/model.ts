import { present } from '../../base/items.ts';
import type { PaddedBatch } from '../../retrieval/encoder/tokens.ts';
import { Products, type Matrix } from './products.ts';
import { EncoderPass } from './pass.ts';
import { parameterShapes, type EncoderConfig, type EncoderWeights } from './weights.ts';

/** Parameters that every token is multiplied with. */
const isMatrix = (name: string): boolean => /^conv\d+\.(in|out)$|^projection$/.test(name);

/**
 * The built-in bi-encoder: token and position embeddings, residual convolutions over three tokens
 * (they see names of several pieces, which a bag of tokens does not), gated pooling over the tokens,
 * a projection, L2 normalisation. Queries and passages share it.
 *
 * Forward and backward are written out (pass.ts): products on the policy's kernels, the rest here.
 */
export class Encoder {
  readonly config: EncoderConfig;
  readonly products: Products;
  readonly #weights: EncoderWeights;
  readonly #matrices = new Map<string, Matrix>();
  /** Of parameters that are no matrices. */
  readonly #gradients: EncoderWeights = {};

  private constructor(config: EncoderConfig, products: Products, weights: EncoderWeights) {
    this.config = config;
    this.products = products;
    this.#weights = weights;
    for (const [name, [rows = 0, columns = 0]] of parameterShapes(config))
      if (isMatrix(name)) this.#matrices.set(name, products.matrix(rows, columns));
      else this.#gradients[name] = new Float32Array(this.weight(name).length);
    this.update();
  }

  /** @param weights stay the caller's: `update` takes over what was changed in them */
  static async create(config: EncoderConfig, weights: EncoderWeights): Promise<Encoder> {
    return new Encoder(config, await Products.create(), weights);
  }

  weight(name: string): Float32Array {
    return present(this.#weights[name], `the encoder's parameter ${name}`);
  }

  matrix(name: string): Matrix {
    return present(this.#matrices.get(name), `the encoder's matrix ${name}`);
  }

  /** Gradient of a parameter that is no matrix. */
  gradient(name: string): Float32Array {
    return present(this.#gradients[name], `the gradient of the encoder's ${name}`);
  }

  /** Takes over the weights as they are now, and sets gradients to zero. */
  update(): void {
    for (const [name, matrix] of this.#matrices) {
      this.products.write(matrix, this.weight(name));
      this.products.values(matrix.gradient).fill(0);
    }
    for (const gradient of Object.values(this.#gradients)) gradient.fill(0);
  }

  /** Gradients of all parameters, summed over the passes since `update`. */
  gradients(): EncoderWeights {
    const all: EncoderWeights = { ...this.#gradients };
    for (const [name, { gradient }] of this.#matrices) {
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
  pass(batch: PaddedBatch): EncoderPass {
    return new EncoderPass(this, batch);
  }

  /** Unit vectors [texts, out]. A text without tokens gives zeros. */
  encode(batch: PaddedBatch): Float32Array {
    const pass = this.pass(batch);
    const { vectors } = pass;
    pass.dispose();
    return vectors;
  }
}

import { present } from '../../../base/items.ts';
import { EncoderPass } from './pass.ts';
import type { Matrix, Products } from './products.ts';
import type { TokenBatch } from './text-rows.ts';
import { parameterShapes, type EncoderConfig, type EncoderWeights } from './weights.ts';

/** Parameters that every token is multiplied with. */
const isMatrix = (name: string): boolean => /^conv\d+\.(in|out)$|^projection$/.test(name);

/**
 * The built-in bi-encoder: token and position embeddings, residual convolutions over three tokens
 * (they see names of several pieces, which a bag of tokens does not), gated pooling over the tokens,
 * a projection, L2 normalisation. Queries and passages share it.
 *
 * Products run on the policy's kernels, the rest is written out (pass.ts).
 */
export class EncoderModel<P extends Products = Products> {
  readonly config: EncoderConfig;
  readonly products: P;
  readonly #weights: EncoderWeights;
  protected readonly matrices: ReadonlyMap<string, Matrix>;

  /** @param weights stay the caller's: `read` takes over what was changed in them */
  constructor(config: EncoderConfig, products: P, weights: EncoderWeights) {
    this.config = config;
    this.products = products;
    this.#weights = weights;
    this.matrices = new Map(
      parameterShapes(config)
        .filter(([name]) => isMatrix(name))
        .map(([name, [rows = 0, width = 0]]) => [name, products.matrix(rows, width)]),
    );
    this.read();
  }

  weight(name: string): Float32Array {
    return present(this.#weights[name], `the encoder's parameter ${name}`);
  }

  matrix(name: string): Matrix {
    return present(this.matrices.get(name), `the encoder's matrix ${name}`);
  }

  /** Takes over the weights as they are now. */
  read(): void {
    for (const [name, matrix] of this.matrices) this.products.write(matrix, this.weight(name));
  }

  /** Unit vectors [texts, out]. A text without tokens gives zeros. */
  encode(batch: TokenBatch): Float32Array {
    const pass = new EncoderPass(this, batch);
    const { vectors } = pass;
    pass.dispose();
    return vectors;
  }
}

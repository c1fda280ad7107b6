import { present, itemAt } from '../../base/items.ts';
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
import { WasmMemory } from '../../policy/wasm/memory.ts';
import { EncoderPass, sigmoid } from '../../retrieval/encoder/built-in/pass.ts';

/** A pass that goes back from gradients of its vectors. N tokens of n texts. */
class LearningPass extends EncoderPass {
  readonly #encoder: Encoder;

  constructor(encoder: Encoder, batch: PaddedBatch) {
    super(encoder, batch);
    this.#encoder = encoder;
  }

  /** Adds to the encoder's gradients what those of `vectors` [n, out] come to. */
  backward(dVectors: Float32Array): void {
    const { products, config } = this.#encoder;
    const { texts, count } = this.texts;
    const dProjected = products.rows(texts, config.out);
    const dPooled = products.rows(texts, config.hidden);
    const dx = products.rows(count, config.hidden);
    this.#normalizeBackward(dVectors, dProjected);
    this.#times('projection', this.pooled, dProjected, dPooled);
    this.#poolBackward(dPooled, dx);
    const dWide = products.rows(count, 3 * config.hidden);
    const dInner = products.rows(count, config.inner);
    for (let layer = config.layers - 1; layer >= 0; layer--)
      this.#layerBackward(layer, dx, dWide, dInner);
    this.#embedBackward(dx);
    products.free(dProjected, dPooled, dx, dWide, dInner);
  }

  /** Back through y = x W, by the name of W. */
  #times(name: string, x: Rows, dy: Rows, dx: Rows): void {
    const encoder = this.#encoder;
    encoder.products.timesBackward(x, encoder.matrix(name), encoder.matrixGradient(name), dy, dx);
  }

  #embedBackward(dx: Rows): void {
    const { ids, position, count } = this.texts;
    const values = this.values(dx);
    const tokens = this.#encoder.gradient('tokens');
    const positions = this.#encoder.gradient('positions');
    for (let r = 0; r < count; r++) {
      const [from, at] = [(ids[r] ?? 0) * dx.width, (position[r] ?? 0) * dx.width];
      for (let i = 0; i < dx.width; i++) {
        const d = values[r * dx.stride + i] ?? 0;
        tokens[from + i] = (tokens[from + i] ?? 0) + d;
        positions[at + i] = (positions[at + i] ?? 0) + d;
      }
    }
  }

  #learnBias(rows: Rows, gradient: Float32Array): void {
    const values = this.values(rows);
    for (let r = 0; r < rows.rows; r++)
      for (let i = 0; i < rows.width; i++)
        gradient[i] = (gradient[i] ?? 0) + (values[r * rows.stride + i] ?? 0);
  }

  /** `dx` holds the gradient of the layer's output, and then of its input. */
  #layerBackward(layer: number, dx: Rows, dWide: Rows, dInner: Rows): void {
    const of = (name: string): string => `conv${layer}.${name}`;
    const raw = itemAt(this.raw, layer, 'layers');
    this.widen(itemAt(this.x, layer, 'layers'));
    this.activate(raw);
    this.#learnBias(dx, this.#encoder.gradient(of('outBias')));
    this.#times(of('out'), this.inner, dx, dInner);
    const [before, d] = [this.values(raw), this.values(dInner)];
    for (let i = 0; i < d.length; i++) {
      const value = before[i] ?? 0;
      const s = sigmoid(value);
      // silu' = s (1 + x (1 − s))
      d[i] = (d[i] ?? 0) * s * (1 + value * (1 - s));
    }
    this.#learnBias(dInner, this.#encoder.gradient(of('inBias')));
    this.#times(of('in'), this.wide, dInner, dWide);
    const { left, right, count } = this.texts;
    const [from, to] = [this.values(dWide), this.values(dx)];
    for (let r = 0; r < count; r++)
      for (const [part, row] of [left[r] ?? -1, r, right[r] ?? -1].entries()) {
        if (row < 0) continue;
        const at = r * dWide.stride + part * dx.width;
        for (let i = 0; i < dx.width; i++) {
          const place = row * dx.stride + i;
          to[place] = (to[place] ?? 0) + (from[at + i] ?? 0);
        }
      }
  }

  #poolBackward(dPooled: Rows, dx: Rows): void {
    const { text, count } = this.texts;
    const x = itemAt(this.x, this.x.length - 1, 'layers');
    const [values, from, to] = [this.values(x), this.values(dPooled), this.values(dx)];
    const gate = this.#encoder.weight('gate');
    const dGate = this.#encoder.gradient('gate');
    const dBias = this.#encoder.gradient('gateBias');
    for (let r = 0; r < count; r++) {
      const [row, source] = [r * x.stride, (text[r] ?? 0) * dPooled.stride];
      const open = this.gates[r] ?? 0;
      let dOpen = 0;
      for (let i = 0; i < x.width; i++) dOpen += (values[row + i] ?? 0) * (from[source + i] ?? 0);
      const dLogit = dOpen * open * (1 - open);
      dBias[0] = (dBias[0] ?? 0) + dLogit;
      for (let i = 0; i < x.width; i++) {
        dGate[i] = (dGate[i] ?? 0) + dLogit * (values[row + i] ?? 0);
        to[row + i] = open * (from[source + i] ?? 0) + dLogit * (gate[i] ?? 0);
      }
    }
  }

  /** With v = u / |u|: du = (dv − v (v · dv)) / |u| */
  #normalizeBackward(dVectors: Float32Array, dProjected: Rows): void {
    const { rows, width, stride } = dProjected;
    const to = this.values(dProjected);
    for (let r = 0; r < rows; r++) {
      const length = this.length(r);
      let along = 0;
      for (let i = 0; i < width; i++)
        along += (this.vectors[r * width + i] ?? 0) * (dVectors[r * width + i] ?? 0);
      for (let i = 0; i < width; i++) {
        const [v, dv] = [this.vectors[r * width + i] ?? 0, dVectors[r * width + i] ?? 0];
        to[r * stride + i] = (dv - v * along) / length;
      }
    }
  }
}

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

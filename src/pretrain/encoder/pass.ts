import { itemAt } from '../../base/items.ts';
import type { PaddedBatch } from '../../retrieval/encoder/tokens.ts';
import type { Encoder } from './model.ts';
import type { Rows } from './products.ts';
import { textRows, type TextRows } from './texts.ts';
import { NORM_EPSILON } from './weights.ts';

const sigmoid = (x: number): number => 1 / (1 + Math.exp(-x));

/** One batch of texts, forward, and back from gradients of its vectors. N tokens of n texts. */
export class EncoderPass {
  /** Unit vectors [n, out]. */
  readonly vectors: Float32Array;
  readonly #encoder: Encoder;
  readonly #texts: TextRows;
  /** [N, hidden]: the input of every layer, and what the last one gives. */
  readonly #x: readonly Rows[];
  /** [N, inner] of every layer, before its nonlinearity. */
  readonly #raw: readonly Rows[];
  /** [N, 3 hidden] and [N, inner], which layers share. */
  readonly #wide: Rows;
  readonly #inner: Rows;
  /** [n, hidden] and [n, out]: sums over tokens, and their projections. */
  readonly #pooled: Rows;
  readonly #projected: Rows;
  /** [N] */
  readonly #gates: Float32Array;

  constructor(encoder: Encoder, batch: PaddedBatch) {
    const { config, products } = encoder;
    const { hidden, inner, layers, out } = config;
    this.#encoder = encoder;
    this.#texts = textRows(batch);
    const { count, texts } = this.#texts;
    this.#x = Array.from({ length: layers + 1 }, () => products.rows(count, hidden));
    this.#raw = Array.from({ length: layers }, () => products.rows(count, inner));
    this.#wide = products.rows(count, 3 * hidden);
    this.#inner = products.rows(count, inner);
    this.#pooled = products.rows(texts, hidden);
    this.#projected = products.rows(texts, out);
    this.#gates = new Float32Array(count);
    this.#embed();
    for (let layer = 0; layer < layers; layer++) this.#layer(layer);
    this.#pool();
    products.times(this.#pooled, encoder.matrix('projection'), this.#projected);
    this.vectors = this.#normalized();
  }

  /** Adds to the encoder's gradients what those of `vectors` [n, out] come to. */
  backward(dVectors: Float32Array): void {
    const { products, config } = this.#encoder;
    const { texts, count } = this.#texts;
    const dProjected = products.rows(texts, config.out);
    const dPooled = products.rows(texts, config.hidden);
    const dx = products.rows(count, config.hidden);
    this.#normalizeBackward(dVectors, dProjected);
    const projection = this.#encoder.matrix('projection');
    products.timesBackward(this.#pooled, projection, dProjected, dPooled);
    this.#poolBackward(dPooled, dx);
    const dWide = products.rows(count, 3 * config.hidden);
    const dInner = products.rows(count, config.inner);
    for (let layer = config.layers - 1; layer >= 0; layer--)
      this.#layerBackward(layer, dx, dWide, dInner);
    this.#embedBackward(dx);
    products.free(dProjected, dPooled, dx, dWide, dInner);
  }

  dispose(): void {
    const { products } = this.#encoder;
    products.free(...this.#x, ...this.#raw, this.#wide, this.#inner);
    products.free(this.#pooled, this.#projected);
  }

  #values(rows: Rows): Float32Array {
    return this.#encoder.products.values(rows);
  }

  #embed(): void {
    const { ids, position, count } = this.#texts;
    const x = itemAt(this.#x, 0, 'layers');
    const [tokens, positions] = [this.#encoder.weight('tokens'), this.#encoder.weight('positions')];
    const values = this.#values(x);
    for (let r = 0; r < count; r++) {
      const [from, at] = [(ids[r] ?? 0) * x.width, (position[r] ?? 0) * x.width];
      for (let i = 0; i < x.width; i++)
        values[r * x.stride + i] = (tokens[from + i] ?? 0) + (positions[at + i] ?? 0);
    }
  }

  #embedBackward(dx: Rows): void {
    const { ids, position, count } = this.#texts;
    const values = this.#values(dx);
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

  /** The left neighbour, the token, the right neighbour of every row of x into `wide`. */
  #widen(x: Rows): void {
    const { left, right, count } = this.#texts;
    const [from, to] = [this.#values(x), this.#values(this.#wide)];
    for (let r = 0; r < count; r++)
      for (const [part, row] of [left[r] ?? -1, r, right[r] ?? -1].entries()) {
        const at = r * this.#wide.stride + part * x.width;
        if (row < 0) to.fill(0, at, at + x.width);
        else to.set(from.subarray(row * x.stride, row * x.stride + x.width), at);
      }
  }

  /** inner = silu(raw) */
  #activate(raw: Rows): void {
    const [from, to] = [this.#values(raw), this.#values(this.#inner)];
    for (let i = 0; i < from.length; i++) {
      const value = from[i] ?? 0;
      to[i] = value * sigmoid(value);
    }
  }

  #addBias(rows: Rows, bias: Float32Array): void {
    const values = this.#values(rows);
    for (let r = 0; r < rows.rows; r++)
      for (let i = 0; i < rows.width; i++) {
        const at = r * rows.stride + i;
        values[at] = (values[at] ?? 0) + (bias[i] ?? 0);
      }
  }

  #learnBias(rows: Rows, gradient: Float32Array): void {
    const values = this.#values(rows);
    for (let r = 0; r < rows.rows; r++)
      for (let i = 0; i < rows.width; i++)
        gradient[i] = (gradient[i] ?? 0) + (values[r * rows.stride + i] ?? 0);
  }

  /** x' = x + (silu(wide(x) In + b) Out + c) */
  #layer(layer: number): void {
    const { products } = this.#encoder;
    const of = (name: string): string => `conv${layer}.${name}`;
    const x = itemAt(this.#x, layer, 'layers');
    const next = itemAt(this.#x, layer + 1, 'layers');
    const raw = itemAt(this.#raw, layer, 'layers');
    this.#widen(x);
    products.times(this.#wide, this.#encoder.matrix(of('in')), raw);
    this.#addBias(raw, this.#encoder.weight(of('inBias')));
    this.#activate(raw);
    products.times(this.#inner, this.#encoder.matrix(of('out')), next);
    this.#addBias(next, this.#encoder.weight(of('outBias')));
    const [from, to] = [this.#values(x), this.#values(next)];
    for (let i = 0; i < to.length; i++) to[i] = (to[i] ?? 0) + (from[i] ?? 0);
  }

  /** `dx` holds the gradient of the layer's output, and then of its input. */
  #layerBackward(layer: number, dx: Rows, dWide: Rows, dInner: Rows): void {
    const { products } = this.#encoder;
    const of = (name: string): string => `conv${layer}.${name}`;
    const raw = itemAt(this.#raw, layer, 'layers');
    this.#widen(itemAt(this.#x, layer, 'layers'));
    this.#activate(raw);
    this.#learnBias(dx, this.#encoder.gradient(of('outBias')));
    products.timesBackward(this.#inner, this.#encoder.matrix(of('out')), dx, dInner);
    const [before, d] = [this.#values(raw), this.#values(dInner)];
    for (let i = 0; i < d.length; i++) {
      const value = before[i] ?? 0;
      const s = sigmoid(value);
      // silu' = s (1 + x (1 − s))
      d[i] = (d[i] ?? 0) * s * (1 + value * (1 - s));
    }
    this.#learnBias(dInner, this.#encoder.gradient(of('inBias')));
    products.timesBackward(this.#wide, this.#encoder.matrix(of('in')), dInner, dWide);
    const { left, right, count } = this.#texts;
    const [from, to] = [this.#values(dWide), this.#values(dx)];
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

  /** pooled[text] = Σ x σ(x · gate + b) over its tokens */
  #pool(): void {
    const { text, count } = this.#texts;
    const x = itemAt(this.#x, this.#x.length - 1, 'layers');
    const [values, pooled] = [this.#values(x), this.#values(this.#pooled)];
    const gate = this.#encoder.weight('gate');
    const [bias = 0] = this.#encoder.weight('gateBias');
    for (let r = 0; r < count; r++) {
      let logit = bias;
      for (let i = 0; i < x.width; i++) logit += (values[r * x.stride + i] ?? 0) * (gate[i] ?? 0);
      const open = sigmoid(logit);
      this.#gates[r] = open;
      const to = (text[r] ?? 0) * this.#pooled.stride;
      for (let i = 0; i < x.width; i++)
        pooled[to + i] = (pooled[to + i] ?? 0) + open * (values[r * x.stride + i] ?? 0);
    }
  }

  #poolBackward(dPooled: Rows, dx: Rows): void {
    const { text, count } = this.#texts;
    const x = itemAt(this.#x, this.#x.length - 1, 'layers');
    const [values, from, to] = [this.#values(x), this.#values(dPooled), this.#values(dx)];
    const gate = this.#encoder.weight('gate');
    const dGate = this.#encoder.gradient('gate');
    const dBias = this.#encoder.gradient('gateBias');
    for (let r = 0; r < count; r++) {
      const [row, source] = [r * x.stride, (text[r] ?? 0) * dPooled.stride];
      const open = this.#gates[r] ?? 0;
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

  #length(row: number): number {
    const { width, stride } = this.#projected;
    let squares = 0;
    const values = this.#values(this.#projected).subarray(row * stride, row * stride + width);
    for (const value of values) squares += value * value;
    return Math.sqrt(squares + NORM_EPSILON);
  }

  #normalized(): Float32Array {
    const { rows, width, stride } = this.#projected;
    const [values, vectors] = [this.#values(this.#projected), new Float32Array(rows * width)];
    for (let r = 0; r < rows; r++) {
      const length = this.#length(r);
      for (let i = 0; i < width; i++)
        vectors[r * width + i] = (values[r * stride + i] ?? 0) / length;
    }
    return vectors;
  }

  /** With v = u / |u|: du = (dv − v (v · dv)) / |u| */
  #normalizeBackward(dVectors: Float32Array, dProjected: Rows): void {
    const { rows, width, stride } = dProjected;
    const to = this.#values(dProjected);
    for (let r = 0; r < rows; r++) {
      const length = this.#length(r);
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

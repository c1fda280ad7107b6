import { itemAt } from '../../../base/items.ts';
import type { EncoderModel } from './model.ts';
import type { Rows } from './products.ts';
import { textRows, type TextRows, type TokenBatch } from './text-rows.ts';
import { NORM_EPSILON } from './weights.ts';

export const sigmoid = (x: number): number => 1 / (1 + Math.exp(-x));

/** One batch of texts on its way through the encoder; to be disposed of. N tokens of n texts. */
export class EncoderPass {
  /** Unit vectors [n, out]. */
  readonly vectors: Float32Array;
  readonly #encoder: EncoderModel;
  protected readonly texts: TextRows;
  /** [N, hidden]: the input of every layer, and what the last one gives. */
  protected readonly x: readonly Rows[];
  /** [N, inner] of every layer, before its nonlinearity. */
  protected readonly raw: readonly Rows[];
  /** [N, 3 hidden] and [N, inner], which layers share. */
  protected readonly wide: Rows;
  protected readonly inner: Rows;
  /** [n, hidden] and [n, out]: sums over tokens, and their projections. */
  protected readonly pooled: Rows;
  protected readonly projected: Rows;
  /** [N] */
  protected readonly gates: Float32Array;

  constructor(encoder: EncoderModel, batch: TokenBatch) {
    const { config, products } = encoder;
    const { hidden, inner, layers, out } = config;
    this.#encoder = encoder;
    this.texts = textRows(batch);
    const { count, texts } = this.texts;
    this.x = Array.from({ length: layers + 1 }, () => products.rows(count, hidden));
    this.raw = Array.from({ length: layers }, () => products.rows(count, inner));
    this.wide = products.rows(count, 3 * hidden);
    this.inner = products.rows(count, inner);
    this.pooled = products.rows(texts, hidden);
    this.projected = products.rows(texts, out);
    this.gates = new Float32Array(count);
    this.#embed();
    for (let layer = 0; layer < layers; layer++) this.#layer(layer);
    this.#pool();
    products.times(this.pooled, encoder.matrix('projection'), this.projected);
    this.vectors = this.#normalized();
  }

  dispose(): void {
    const { products } = this.#encoder;
    products.free(...this.x, ...this.raw, this.wide, this.inner);
    products.free(this.pooled, this.projected);
  }

  protected values(rows: Rows): Float32Array {
    return this.#encoder.products.values(rows);
  }

  #embed(): void {
    const { ids, position, count } = this.texts;
    const x = itemAt(this.x, 0, 'layers');
    const [tokens, positions] = [this.#encoder.weight('tokens'), this.#encoder.weight('positions')];
    const values = this.values(x);
    for (let r = 0; r < count; r++) {
      const [from, at] = [(ids[r] ?? 0) * x.width, (position[r] ?? 0) * x.width];
      for (let i = 0; i < x.width; i++)
        values[r * x.stride + i] = (tokens[from + i] ?? 0) + (positions[at + i] ?? 0);
    }
  }

  /** The left neighbour, the token, the right neighbour of every row of x into `wide`. */
  protected widen(x: Rows): void {
    const { left, right, count } = this.texts;
    const [from, to] = [this.values(x), this.values(this.wide)];
    for (let r = 0; r < count; r++)
      for (const [part, row] of [left[r] ?? -1, r, right[r] ?? -1].entries()) {
        const at = r * this.wide.stride + part * x.width;
        if (row < 0) to.fill(0, at, at + x.width);
        else to.set(from.subarray(row * x.stride, row * x.stride + x.width), at);
      }
  }

  /** inner = silu(raw) */
  protected activate(raw: Rows): void {
    const [from, to] = [this.values(raw), this.values(this.inner)];
    for (let i = 0; i < from.length; i++) {
      const value = from[i] ?? 0;
      to[i] = value * sigmoid(value);
    }
  }

  #addBias(rows: Rows, bias: Float32Array): void {
    const values = this.values(rows);
    for (let r = 0; r < rows.rows; r++)
      for (let i = 0; i < rows.width; i++) {
        const at = r * rows.stride + i;
        values[at] = (values[at] ?? 0) + (bias[i] ?? 0);
      }
  }

  /** x' = x + (silu(wide(x) In + b) Out + c) */
  #layer(layer: number): void {
    const { products } = this.#encoder;
    const of = (name: string): string => `conv${layer}.${name}`;
    const x = itemAt(this.x, layer, 'layers');
    const next = itemAt(this.x, layer + 1, 'layers');
    const raw = itemAt(this.raw, layer, 'layers');
    this.widen(x);
    products.times(this.wide, this.#encoder.matrix(of('in')), raw);
    this.#addBias(raw, this.#encoder.weight(of('inBias')));
    this.activate(raw);
    products.times(this.inner, this.#encoder.matrix(of('out')), next);
    this.#addBias(next, this.#encoder.weight(of('outBias')));
    const [from, to] = [this.values(x), this.values(next)];
    for (let i = 0; i < to.length; i++) to[i] = (to[i] ?? 0) + (from[i] ?? 0);
  }

  /** pooled[text] = Σ x σ(x · gate + b) over its tokens */
  #pool(): void {
    const { text, count } = this.texts;
    const x = itemAt(this.x, this.x.length - 1, 'layers');
    const [values, pooled] = [this.values(x), this.values(this.pooled)];
    const gate = this.#encoder.weight('gate');
    const [bias = 0] = this.#encoder.weight('gateBias');
    for (let r = 0; r < count; r++) {
      let logit = bias;
      for (let i = 0; i < x.width; i++) logit += (values[r * x.stride + i] ?? 0) * (gate[i] ?? 0);
      const open = sigmoid(logit);
      this.gates[r] = open;
      const to = (text[r] ?? 0) * this.pooled.stride;
      for (let i = 0; i < x.width; i++)
        pooled[to + i] = (pooled[to + i] ?? 0) + open * (values[r * x.stride + i] ?? 0);
    }
  }

  protected length(row: number): number {
    const { width, stride } = this.projected;
    let squares = 0;
    const values = this.values(this.projected).subarray(row * stride, row * stride + width);
    for (const value of values) squares += value * value;
    return Math.sqrt(squares + NORM_EPSILON);
  }

  #normalized(): Float32Array {
    const { rows, width, stride } = this.projected;
    const [values, vectors] = [this.values(this.projected), new Float32Array(rows * width)];
    for (let r = 0; r < rows; r++) {
      const length = this.length(r);
      for (let i = 0; i < width; i++)
        vectors[r * width + i] = (values[r * stride + i] ?? 0) / length;
    }
    return vectors;
  }
}

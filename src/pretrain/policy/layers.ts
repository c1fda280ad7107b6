import { itemAt } from '../../base/items.ts';
import type { PolicyConfig } from '../../policy/checkpoint/config.ts';
import type { Decoder } from '../../policy/model/decoder.ts';
import { headsOf } from '../../policy/model/forward.ts';
import type { TrainableOps } from '../../policy/ops/trainable.ts';
import type { Activations, KvCache, Tokens } from '../../policy/ops/values.ts';

/** What a layer leaves for its backward pass; N rows. */
interface LayerBuffers {
  /** [N, d]: the residual stream before the layer, and between attention and feed-forward. */
  readonly input: Activations;
  readonly middle: Activations;
  /** [N, (H + 2G) D], [N, H D], [N, H D], [N, H] */
  readonly heads: Activations;
  readonly q: Activations;
  readonly attended: Activations;
  readonly lse: Activations;
  /** [N, 2M], [N, M] */
  readonly gateUp: Activations;
  readonly inner: Activations;
}

/** Gradients, which layers share. */
interface Gradients {
  /** [N, d] */
  readonly dx: Activations;
  readonly dq: Activations;
  readonly dAttended: Activations;
  readonly dKeys: Activations;
  readonly dValues: Activations;
  readonly dInner: Activations;
}

/** Contexts begin at multiples of this in a store. */
const ALIGNED = 8;
export const aligned = (count: number): number => Math.ceil(count / ALIGNED) * ALIGNED;

/**
 * The layers of a decoder, forward and backward, over operations that learn. Everything that a layer
 * computes is kept, so that nothing is computed twice: for small policies that are made from scratch.
 */
export class TrainedLayers {
  readonly #ops: TrainableOps;
  readonly #decoder: Decoder;
  readonly #layers: readonly LayerBuffers[];
  readonly #gradients: Gradients;
  #stores: readonly KvCache[] = [];
  /** [N, d]: what the last layer gives. */
  readonly output: Activations;
  /** Gradient of `output`, and behind `backward` of the embeddings. */
  readonly dx: Activations;

  constructor(ops: TrainableOps, decoder: Decoder, rows: number) {
    this.#ops = ops;
    this.#decoder = decoder;
    const c = decoder.config;
    const [queries, keys] = [c.heads * c.headDim, c.kvHeads * c.headDim];
    const one = (width: number, label: string): Activations => ops.activations(rows, width, label);
    this.#layers = Array.from({ length: c.layers }, () => ({
      input: one(c.hiddenSize, 'input'),
      middle: one(c.hiddenSize, 'middle'),
      heads: one(queries + 2 * keys, 'heads'),
      q: one(queries, 'queries'),
      attended: one(queries, 'attended'),
      lse: one(c.heads, 'sums of attention'),
      gateUp: one(2 * c.intermediateSize, 'gate and up'),
      inner: one(c.intermediateSize, 'inner'),
    }));
    this.output = one(c.hiddenSize, 'output');
    this.dx = one(c.hiddenSize, 'gradient of the residual');
    this.#gradients = {
      dx: this.dx,
      dq: one(queries, 'gradient of queries'),
      dAttended: one(queries, 'gradient of attention'),
      dKeys: one(keys, 'gradient of keys'),
      dValues: one(keys, 'gradient of values'),
      dInner: one(c.intermediateSize, 'gradient of inner'),
    };
    this.reserve(aligned(rows));
  }

  /** Makes room for the keys of this many positions in every layer. */
  reserve(positions: number): void {
    if ((this.#stores[0]?.positions ?? 0) >= positions) return;
    const ops = this.#ops;
    const { kvHeads, headDim, layers }: PolicyConfig = this.#decoder.config;
    ops.free(...this.#stores);
    this.#stores = Array.from({ length: layers }, () =>
      ops.kvCache({ positions, kvHeads, headDim, type: 'f32' }, 'keys'),
    );
  }

  /** Takes the tokens through all layers into `output`. */
  forward(tokens: Tokens): void {
    const decoder = this.#decoder;
    const ops = this.#ops;
    decoder.embed(tokens, itemAt(this.#layers, 0, 'layers').input);
    this.#layers.forEach((at, layer) => {
      const { input, middle, inner } = at;
      const x = this.#layers[layer + 1]?.input ?? this.output;
      ops.projectHeads({ ...this.#heads(layer, tokens), q: at.q, raw: at.heads });
      ops.attend(this.#look(layer, tokens));
      ops.copyRows({ from: input, to: middle, tokens });
      const o = decoder.projection(layer, 'o');
      ops.projectResidual({ input: at.attended, by: o, tokens, x: middle });
      ops.feedForward({ ...this.#feed(layer, tokens), out: inner, raw: at.gateUp });
      ops.copyRows({ from: middle, to: x, tokens });
      ops.projectResidual({ input: inner, by: decoder.projection(layer, 'down'), tokens, x });
    });
  }

  /** From `dx`, the gradient of `output`, back into the embeddings. */
  backward(tokens: Tokens): void {
    const decoder = this.#decoder;
    const ops = this.#ops;
    const { dx, dq, dAttended, dKeys, dValues, dInner } = this.#gradients;
    for (let layer = this.#layers.length - 1; layer >= 0; layer--) {
      const { inner, attended, gateUp: raw, heads } = itemAt(this.#layers, layer, 'layers');
      const down = decoder.projection(layer, 'down');
      ops.projectResidualBackward({ input: inner, by: down, tokens, dx, dInput: dInner });
      ops.feedForwardBackward({ ...this.#feed(layer, tokens), raw, dOut: dInner, dx });
      const o = decoder.projection(layer, 'o');
      ops.projectResidualBackward({ input: attended, by: o, tokens, dx, dInput: dAttended });
      ops.attendBackward({ ...this.#look(layer, tokens), dOut: dAttended, dq, dKeys, dValues });
      const gradients = { raw: heads, dq, dKeys, dValues, dx };
      ops.projectHeadsBackward({ ...this.#heads(layer, tokens), ...gradients });
    }
    ops.embedBackward({ table: decoder.weights.embed, tokens, dx });
  }

  #heads(layer: number, tokens: Tokens) {
    const { input } = itemAt(this.#layers, layer, 'layers');
    return headsOf(this.#decoder, layer, input, tokens, itemAt(this.#stores, layer, 'stores'));
  }

  #look(layer: number, tokens: Tokens) {
    const { q, attended: out, lse } = itemAt(this.#layers, layer, 'layers');
    const store = itemAt(this.#stores, layer, 'stores');
    return { q, heads: this.#decoder.config.heads, store, tokens, out, lse };
  }

  #feed(layer: number, tokens: Tokens) {
    const { middle: x } = itemAt(this.#layers, layer, 'layers');
    const { mlpNorm: norm } = this.#decoder.layer(layer);
    return { x, norm, by: this.#decoder.projection(layer, 'gateUp'), tokens };
  }
}

import { itemAt } from '../../base/items.ts';
import { variantOf, type PolicyConfig } from '../checkpoint/config.ts';
import { ropeTables, type RopeScaling } from '../checkpoint/rope.ts';
import type { Gates } from '../latent/gates.ts';
import type { Norm, Ops, Projection } from '../ops/ops.ts';
import type { Activations, Adapter, Lora, Matrix, Rotary, Tokens, Vector } from '../ops/values.ts';

/** A matrix of a layer with its bias; an adapter is added where it is used. */
export interface Linear {
  readonly matrix: Matrix;
  readonly bias: Vector | null;
}

/** The frozen parameters of one decoder layer on a device. */
export interface DecoderLayer {
  readonly inputNorm: Norm;
  /** Rows of q, k, v: [(H + 2G) D, d] */
  readonly qkv: Linear;
  /** Of each head of q and k; null in families without. */
  readonly headNorms: { readonly q: Vector; readonly k: Vector; readonly eps: number } | null;
  /** [d, H D] */
  readonly o: Linear;
  /** Of what attention gives, before it is added; null in families without. */
  readonly attentionOutputNorm: Norm | null;
  readonly mlpNorm: Norm;
  /** Rows of gate, up: [2M, d] */
  readonly gateUp: Linear;
  /** [d, M] */
  readonly down: Linear;
  /** Of what the feed-forward layer gives, before it is added; null in families without. */
  readonly mlpOutputNorm: Norm | null;
  /** False where queries and keys are not turned by their positions. */
  readonly turned: boolean;
}

/** Matrices of a layer that an adapter may change, in the order of its shapes. */
export const ADAPTED = ['qkv', 'o', 'gateUp', 'down'] as const;
export type Adapted = (typeof ADAPTED)[number];

/** The parameters of a policy on a device: one copy, for sampling, scoring and training alike. */
export interface DecoderWeights {
  readonly layers: DecoderLayer[];
  /** [vocabulary, d]; the head is the same where the two are tied. */
  readonly embed: Matrix;
  readonly head: Matrix;
  readonly finalNorm: Norm;
}

/** Positions that the rotary tables hold at first; they grow by doubling. */
const FIRST_POSITIONS = 1024;

/** A decoder over block operations: what is frozen, which adapter is on, and the rotary tables. */
export class Decoder {
  readonly ops: Ops;
  readonly config: PolicyConfig;
  readonly weights: DecoderWeights;
  readonly #owner: boolean;
  #rotary: Rotary | null = null;
  /** Of the layers with a sliding window, in families that have such. */
  #windowRotary: Rotary | null = null;
  #adapter: { readonly adapter: Adapter; readonly places: AdapterPlaces } | null = null;
  #gates: Gates | null = null;

  constructor(ops: Ops, config: PolicyConfig, weights: DecoderWeights, owner = true) {
    this.#owner = owner;
    this.ops = ops;
    this.config = config;
    this.weights = weights;
  }

  /** The same weights with an adapter of their own, none at first. It does not own them. */
  view(): Decoder {
    return new Decoder(this.ops, this.config, this.weights, false);
  }

  /** Which adapter is added to the products, and the gates beside it; null for none. */
  useAdapter(
    adapter: Adapter | null,
    places: AdapterPlaces = new Map(),
    gates: Gates | null = null,
  ): void {
    this.#adapter = adapter && { adapter, places };
    this.#gates = gates;
  }

  /** The gates that what is sampled passes through while it thinks; null where there are none. */
  get gates(): Gates | null {
    return this.#gates;
  }

  /** A matrix of a layer with the adapter that is on. */
  projection(layer: number, name: Adapted): Projection {
    const { matrix, bias } = this.layer(layer)[name];
    return { matrix, bias, lora: this.#lora(layer, name) };
  }

  layer(index: number): DecoderLayer {
    return itemAt(this.weights.layers, index, 'layers');
  }

  /** The norm that a layer begins with; of the one after the last, the head's. */
  normOf(layer: number): Norm {
    return this.weights.layers[layer]?.inputNorm ?? this.weights.finalNorm;
  }

  /** Tokens to the input of the first layer. */
  embed(tokens: Tokens, x: Activations): void {
    const { embedScale: scale } = variantOf(this.config);
    this.ops.embed({ table: this.weights.embed, tokens, x, scale, next: this.normOf(0) });
  }

  /** Makes the rotary tables reach so far. */
  reach(positions: number): void {
    if (this.#rotary && this.#rotary.positions >= positions) return;
    const { headDim, ropeTheta } = this.config;
    const { rope, window } = variantOf(this.config);
    let most = this.#rotary?.positions ?? FIRST_POSITIONS;
    while (most < positions) most *= 2;
    const made = (theta: number, scaling: RopeScaling): Rotary => {
      const { cos, sin } = ropeTables(most, headDim, theta, scaling);
      return this.ops.rotary(cos, sin, headDim / 2);
    };
    this.#freeRotary();
    this.#rotary = made(ropeTheta, rope);
    if (window) this.#windowRotary = made(window.ropeTheta, window.rope);
  }

  #freeRotary(): void {
    for (const rotary of [this.#rotary, this.#windowRotary]) if (rotary) this.ops.free(rotary);
    this.#rotary = null;
    this.#windowRotary = null;
  }

  /** The tables that a layer turns by; null for one that turns nothing. */
  rotaryOf(layer: number): Rotary | null {
    if (!this.layer(layer).turned) return null;
    this.reach(1);
    return this.windowOf(layer) === undefined ? this.#rotary : this.#windowRotary;
  }

  /** Most positions that a token attends to in a layer, its own included; undefined: all before it. */
  windowOf(layer: number): number | undefined {
    const { window } = variantOf(this.config);
    return window?.layers.includes(layer) ? window.positions : undefined;
  }

  /** Frees the rotary tables; one that is not a view, its device with everything on it. */
  dispose(): void {
    this.#freeRotary();
    if (this.#owner) this.ops.dispose();
  }

  #lora(layer: number, name: Adapted): Lora | null {
    if (!this.#adapter) return null;
    const place = this.#adapter.places.get(`${layer}.${name}`);
    return place === undefined ? null : itemAt(this.#adapter.adapter.loras, place, 'loras');
  }
}

/** Index into `Adapter.loras` by `layer.matrix`. */
export type AdapterPlaces = ReadonlyMap<`${number}.${Adapted}`, number>;

/** Frees what a layer holds on the device. */
export function freeLayer(ops: Ops, layer: DecoderLayer): void {
  const { inputNorm, attentionOutputNorm, mlpNorm, mlpOutputNorm, headNorms } = layer;
  for (const norm of [inputNorm, attentionOutputNorm, mlpNorm, mlpOutputNorm])
    if (norm) ops.free(norm.weight);
  if (headNorms) ops.free(headNorms.q, headNorms.k);
  for (const name of ADAPTED) {
    const { matrix, bias } = layer[name];
    ops.free(matrix);
    if (bias) ops.free(bias);
  }
}

/** Frees what is not of a layer. */
export function freeEnds(
  ops: Ops,
  { embed, head, finalNorm }: Omit<DecoderWeights, 'layers'>,
): void {
  ops.free(embed, finalNorm.weight, ...(head === embed ? [] : [head]));
}

import { itemAt } from '../../base/items.ts';
import { checkSpec } from '../lora/check.ts';
import type { LoraSpec } from '../lora/spec.ts';
import type { PackedBatch, TrainLimits } from '../lora/train-batch.ts';
import type { HiddenStates, LoraTrainer, RowScores } from '../lora/trainer.ts';
import type { Handle } from '../ops/ops.ts';
import type {
  Activations,
  Adapter,
  KeyStore,
  Picks,
  StoreType,
  TokenRun,
  Tokens,
} from '../ops/values.ts';
import { adapterShapes } from './adapter.ts';
import type { AdapterPlaces, Decoder } from './decoder.ts';
import {
  attention,
  feedForward,
  forwardBuffers,
  headsOf,
  type ForwardBuffers,
  type Kept,
} from './forward.ts';

/** Contexts begin at multiples of this in a store. */
const ALIGNED = 8;
/** Sequences of a batch that the store has gaps for at first. */
const GAPS = 64;
const aligned = (count: number): number => Math.ceil(count / ALIGNED) * ALIGNED;

/** What the backward pass needs room for beside the forward pass; layers share it. */
interface BackwardBuffers extends Kept {
  /** [rows, d]: the residual stream behind attention, and its gradient. */
  readonly middle: Activations;
  readonly dx: Activations;
  /** [rows, H D] */
  readonly dq: Activations;
  readonly dAttended: Activations;
  /** [rows, G D] */
  readonly dKeys: Activations;
  readonly dValues: Activations;
  /** [rows, M] */
  readonly dInner: Activations;
}

/**
 * LoRA training of a frozen decoder over block operations. Of a layer only its input is kept; the
 * backward pass computes the rest again, layer by layer, in buffers that layers share. Gradients add up
 * on the device: a step reads back the scores of its rows, and at its end the gradients.
 */
export class DecoderLoraTrainer implements LoraTrainer {
  readonly maxTokens: number;
  readonly #decoder: Decoder;
  readonly #limits: TrainLimits;
  readonly #keys: StoreType;
  readonly #adapter: Adapter;
  readonly #places: AdapterPlaces;
  readonly #tokens: Tokens;
  readonly #picks: Picks;
  readonly #forward: ForwardBuffers;
  readonly #backward: BackwardBuffers;
  /** Inputs of the layers, and of the head. */
  readonly #inputs: readonly Activations[];
  #store: KeyStore;
  #state: 'none' | 'off' | 'on' = 'none';

  /**
   * @param decoder goes with the trainer
   * @param keys what keys and values are held in; gradients pass what rounds them as if it were not there
   * @throws RangeError for a spec that no adapter can have; MemoryError
   */
  constructor(decoder: Decoder, spec: LoraSpec, limits: TrainLimits, keys: StoreType = 'f32') {
    checkSpec(spec);
    const { ops, config: c } = decoder;
    const { shapes, places } = adapterShapes(c, spec);
    const rows = limits.maxTokens;
    this.maxTokens = rows;
    this.#decoder = decoder;
    this.#limits = limits;
    this.#keys = keys;
    this.#places = places;
    // What was made goes where the rest has no room.
    const made: Handle[] = [];
    const keep = <T extends Handle>(handle: T): T => {
      made.push(handle);
      return handle;
    };
    try {
      this.#adapter = keep(ops.adapter(shapes, true));
      this.#tokens = keep(ops.tokens(rows));
      this.#picks = keep(ops.picks(rows));
      const one = (width: number, label: string): Activations =>
        keep(ops.activations(rows, width, label));
      const [queries, keys] = [c.heads * c.headDim, c.kvHeads * c.headDim];
      const activations = (_: number, width: number, label: string) => one(width, label);
      this.#forward = forwardBuffers({ activations }, c, rows);
      this.#inputs = Array.from({ length: c.layers + 1 }, (_, l) =>
        one(c.hiddenSize, `input ${l}`),
      );
      this.#backward = {
        heads: one(queries + 2 * keys, 'heads'),
        lse: one(c.heads, 'sums of attention'),
        gateUp: one(2 * c.intermediateSize, 'gate and up'),
        middle: one(c.hiddenSize, 'middle'),
        dx: one(c.hiddenSize, 'gradient of the residual'),
        dq: one(queries, 'gradient of queries'),
        dAttended: one(queries, 'gradient of attention'),
        dKeys: one(keys, 'gradient of keys'),
        dValues: one(keys, 'gradient of values'),
        dInner: one(c.intermediateSize, 'gradient of inner'),
      };
      this.#store = keep(this.#newStore(aligned(rows) + GAPS * ALIGNED));
      decoder.reach(limits.maxLength);
    } catch (error) {
      ops.free(...made);
      throw error;
    }
  }

  get bytes(): number {
    return this.#decoder.ops.bytes;
  }

  async setAdapter(flat: Float32Array | null): Promise<void> {
    if (flat && flat.length !== this.#adapter.length)
      throw new Error(
        `adapter: ${flat.length} values given, this shape has ${this.#adapter.length}`,
      );
    if (flat) this.#decoder.ops.writeAdapter(this.#adapter, flat);
    this.#state = flat ? 'on' : 'off';
  }

  async score(batch: PackedBatch): Promise<RowScores> {
    this.#runForward(batch);
    return this.#scores(batch);
  }

  async hidden(batch: PackedBatch): Promise<HiddenStates> {
    this.#runForward(batch);
    const { ops, config } = this.#decoder;
    const { hiddenSize: width, layers } = config;
    const all = await ops.readActivations(itemAt(this.#inputs, layers, 'inputs'), batch.ids.length);
    const values = new Float32Array(batch.rows.length * width);
    batch.rows.forEach((row, i) =>
      values.set(all.subarray(row * width, (row + 1) * width), i * width),
    );
    return { values, width };
  }

  async accumulate(
    batch: PackedBatch,
    weigh: (scores: RowScores) => Float32Array,
  ): Promise<RowScores> {
    if (this.#state !== 'on') throw new Error('adapter: it is switched off; there is no gradient');
    const store = this.#runForward(batch);
    const scores = await this.#scores(batch);
    const coefficients = weigh(scores);
    if (coefficients.length !== batch.rows.length)
      throw new Error('batch: the loss must give one coefficient a row');
    const { ops, config } = this.#decoder;
    const { dx } = this.#backward;
    const head = { ...this.#head(), picks: this.#picks, tokens: this.#tokens };
    ops.scoreBackward({ ...head, coefficients, dx });
    for (let layer = config.layers - 1; layer >= 0; layer--) this.#layerBackward(layer, store);
    ops.submit();
    return scores;
  }

  zeroGradients(): void {
    this.#decoder.ops.zeroGradients(this.#adapter);
  }

  gradients(): Promise<Float32Array> {
    return this.#decoder.ops.readGradients(this.#adapter);
  }

  dispose(): void {
    const { ops } = this.#decoder;
    const activations = Object.values<Activations>({ ...this.#forward, ...this.#backward });
    ops.free(
      ...activations,
      ...this.#inputs,
      this.#adapter,
      this.#tokens,
      this.#picks,
      this.#store,
    );
    this.#decoder.dispose();
  }

  /** Final norm and output matrix over what the last layer gave. */
  #head() {
    const { finalNorm: norm, head } = this.#decoder.weights;
    return { x: itemAt(this.#inputs, this.#decoder.config.layers, 'inputs'), norm, head };
  }

  /** Places the sequences and takes them through the layers, keeping every layer's input. */
  #runForward(batch: PackedBatch): KeyStore {
    if (this.#state === 'none') throw new Error('adapter: none was set');
    const decoder = this.#decoder;
    const { ops, config } = decoder;
    decoder.useAdapter(this.#state === 'on' ? this.#adapter : null, this.#places);
    const runs = this.#runs(batch);
    const store = this.#storeFor(runs.positions);
    const tokens = this.#tokens;
    ops.place(tokens, runs.runs, 'many');
    decoder.embed(tokens, itemAt(this.#inputs, 0, 'inputs'));
    for (let layer = 0; layer < config.layers; layer++) {
      const from = itemAt(this.#inputs, layer, 'inputs');
      const x = itemAt(this.#inputs, layer + 1, 'inputs');
      ops.copyRows({ from, to: x, tokens });
      attention(decoder, layer, from, x, tokens, store, this.#forward);
      feedForward(decoder, layer, x, tokens, this.#forward);
    }
    return store;
  }

  async #scores({ rows, targets, temperatures }: PackedBatch): Promise<RowScores> {
    const { ops } = this.#decoder;
    ops.placePicks(this.#picks, { rows, targets, ...(temperatures && { temperatures }) });
    ops.score({ ...this.#head(), picks: this.#picks });
    return ops.readScores(this.#picks);
  }

  /** `dx` holds the gradient of the layer's output, and then of its input. */
  #layerBackward(layer: number, store: KeyStore): void {
    const decoder = this.#decoder;
    const { ops } = decoder;
    const tokens = this.#tokens;
    const x = itemAt(this.#inputs, layer, 'inputs');
    const { q, attended, inner } = this.#forward;
    const { middle, dx, dq, dKeys, dValues, dAttended, dInner, lse, ...kept } = this.#backward;
    const { postNorm: norm } = decoder.layer(layer);

    ops.copyRows({ from: x, to: middle, tokens });
    attention(decoder, layer, x, middle, tokens, store, this.#forward, { lse, ...kept });
    const feed = { x: middle, norm, by: decoder.projection(layer, 'gateUp'), tokens };
    ops.feedForward({ ...feed, out: inner, raw: kept.gateUp });

    const down = decoder.projection(layer, 'down');
    ops.projectResidualBackward({ input: inner, by: down, tokens, dx, dInput: dInner });
    ops.feedForwardBackward({ ...feed, raw: kept.gateUp, dOut: dInner, dx });
    const o = decoder.projection(layer, 'o');
    ops.projectResidualBackward({ input: attended, by: o, tokens, dx, dInput: dAttended });
    const { heads } = decoder.config;
    const look = { q, heads, store, tokens, out: attended, lse };
    ops.attendBackward({ ...look, dOut: dAttended, dq, dKeys, dValues });
    const gradients = { raw: kept.heads, dq, dKeys, dValues, dx: layer > 0 ? dx : null };
    ops.projectHeadsBackward({ ...headsOf(decoder, layer, x, tokens, store), ...gradients });
    ops.submit();
  }

  /** The sequences as runs, each at an aligned place. @throws Error over the limits */
  #runs({ ids, lengths }: PackedBatch): { runs: TokenRun[]; positions: number } {
    const { maxTokens, maxLength } = this.#limits;
    if (ids.length > maxTokens)
      throw new Error(`batch: ${ids.length} tokens, the limit is ${maxTokens}`);
    const runs: TokenRun[] = [];
    let [token, start] = [0, 0];
    for (const length of lengths) {
      if (length > maxLength)
        throw new Error(`batch: a sequence has ${length} tokens, the limit is ${maxLength}`);
      runs.push({ ids: ids.subarray(token, token + length), position: 0, start });
      token += length;
      start += aligned(length);
    }
    return { runs, positions: start };
  }

  /** Where keys and values of so many positions lie: many short sequences have gaps between them. */
  #storeFor(positions: number): KeyStore {
    if (this.#store.positions >= positions) return this.#store;
    this.#decoder.ops.free(this.#store);
    this.#store = this.#newStore(aligned(positions));
    return this.#store;
  }

  #newStore(positions: number): KeyStore {
    const { ops, config } = this.#decoder;
    const { kvHeads, headDim } = config;
    return ops.keyStore({ positions, kvHeads, headDim, type: this.#keys }, 'training');
  }
}
